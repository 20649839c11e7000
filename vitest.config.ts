import { defineConfig } from 'vitest/config';

// Two projects: `unit` is quick and runs from source; `e2e` starts the built program, so it builds first.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          // Limits for what hangs, not for what is slow: some machines do other work beside.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // Each file starts a worker and a Claude Code process: more than two at once only measures the machine.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
