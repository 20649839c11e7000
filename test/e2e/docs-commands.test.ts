// Runs every command of the README and of docs/ as it stands there; what it must do is a line in test/docs/ways.ts.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blocksOf, commandsOf, pages, ROOT } from '../docs/markdown.js';
import { openPlace, type Place, runCommand } from '../docs/places.js';
import { FILE_COMMANDS, PLACES, type PlaceName, programOf, WAYS, type Way } from '../docs/ways.js';

const LIMIT_MS = 300_000;
const open: Place[] = [];
afterAll(async () => {
  for (const place of open) await place.close();
}, 60_000);

async function placeOf(name: PlaceName): Promise<Place> {
  const place = await openPlace(name);
  open.push(place);
  return place;
}

/** What was wrong, or undefined. */
async function faultOf(text: string, way: Way, place: Place): Promise<string | undefined> {
  const filled = Object.entries(way.fill ?? {}).reduce(
    (whole, [part, by]) => whole.replaceAll(part, place.words[by] ?? by),
    text,
  );
  const command = filled.replaceAll(/\b[A-Z]{2,}\b(?!=)/g, (word) => place.words[word] ?? word);
  const cwd = command.startsWith('npm ') && way.at !== 'checkout' ? ROOT : place.folder;
  const run = (line: string) =>
    runCommand({ command: line, cwd, env: place.env, until: way.until, answers: way.answers });
  const first = await run(command);
  const taken = way.spare !== undefined && first.output.includes('EADDRINUSE');
  const { exitCode, output } = taken ? await run(`${command} ${way.spare}`) : first;
  const said = (way.until ?? way.says ?? /(?:)/).test(output);
  if (exitCode === (way.exit ?? 0) && said) return undefined;
  return `\`${command}\` ended with ${exitCode}${said ? '' : ', and did not say what it should'}:\n${output.slice(-2_000)}`;
}

describe('the commands of the pages', () => {
  it.each(PLACES)(
    'in the place "%s" do what is said of them',
    async (name) => {
      const mine = Object.entries(WAYS).filter(([, way]) => way.at === name);
      let shared: Place | undefined;
      const faults: string[] = [];
      for (const [text, way] of mine) {
        if (way.answers !== undefined && process.platform !== 'linux') continue;
        const place = (way.fresh ? undefined : shared) ?? (await placeOf(name));
        if (!way.fresh) shared = place;
        const fault = await faultOf(text, way, place);
        if (fault !== undefined) faults.push(fault);
      }
      expect(faults).toEqual([]);
    },
    LIMIT_MS,
  );

  it('that handle files can be typed as they stand, block by block', async () => {
    const place = await placeOf('empty');
    const faults: string[] = [];
    for (const [index, block] of pages().flatMap(blocksOf).entries()) {
      // An absolute folder of the pages is one of ours here.
      let cwd = join(place.folder, String(index));
      await mkdir(cwd);
      for (const { text, page, line, notRun } of commandsOf(block)) {
        if (notRun || !FILE_COMMANDS.includes(programOf(text))) continue;
        const [, target] = /^cd (\S+)$/.exec(text) ?? [];
        if (target !== undefined) {
          cwd = join(cwd, target);
          await mkdir(cwd, { recursive: true });
          continue;
        }
        const { exitCode, output } = await runCommand({
          command: text.replaceAll(/\bCHECKOUT\b/g, ROOT),
          cwd,
          env: place.env,
        });
        if (exitCode !== 0) faults.push(`${page}:${line}: \`${text}\` ended with ${exitCode}: ${output}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
