import { expect, it } from 'vitest';
import { fanOut } from '../../src/observe/fan-out.js';
import type { WorkerEvent } from '../../src/ports/observer.js';

it('tells all in order, whatever one of them throws, and reports a thrower once', () => {
  const heard: string[] = [];
  const thrown: unknown[] = [];
  const observer = fanOut(
    [
      { on: (event) => heard.push(`a ${event.type}`) },
      {
        on() {
          throw new Error('broken');
        },
      },
      { on: (event) => heard.push(`b ${event.type}`) },
    ],
    (error) => thrown.push(error),
  );
  const event: WorkerEvent = { type: 'stopped', text: '' };
  observer.on(event);
  observer.on(event);
  expect(heard).toEqual(['a stopped', 'b stopped', 'a stopped', 'b stopped']);
  expect(thrown).toEqual([new Error('broken')]);
});
