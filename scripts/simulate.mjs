// Plays any number of seeds of the simulation: `node scripts/simulate.mjs --seeds 1000 --from 1`. Exits 1 when one breaks.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    /** Goes on until so many have broken. */
    most: { type: 'string', default: '1' },
    /** Prints the whole story of one seed, broken or not. */
    tell: { type: 'string' },
  },
});
const load = async (name) => {
  const path = fileURLToPath(new URL(`../test/simulation/${name}.ts`, import.meta.url));
  return (await runnerImport(path, { configFile: false, logLevel: 'error' })).module;
};

if (values.tell !== undefined) {
  const { runSeed, tellStory } = await load('story');
  console.log(tellStory(await runSeed(Number(values.tell))));
  process.exit(0);
}

const { explain, runSeeds } = await load('run-seeds');
const startedAt = performance.now();
let done = 0;
const sum = await runSeeds(Number(values.from), Number(values.seeds), {
  most: Number(values.most),
  onStory: () => {
    done += 1;
    if (done % 500 === 0) process.stderr.write(`${done} seeds\n`);
  },
});
const seconds = (performance.now() - startedAt) / 1000;
for (const story of sum.broken) console.log(`${await explain(story)}\n`);
console.log(
  JSON.stringify({
    seeds: sum.seeds,
    broken: sum.broken.map((story) => [story.plan.seed, story.violation.invariant]),
    messages: sum.messages,
    virtualDays: Math.round(sum.lastedMs / 86_400_000),
    steps: sum.steps,
    seconds: Math.round(seconds),
    seedsPerSecond: Math.round(sum.seeds / seconds),
    ...sum.tally,
  }),
);
process.exitCode = sum.broken.length > 0 ? 1 : 0;
