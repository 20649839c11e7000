// Keeps .orchestrator/ledger.md: one line a turn, for people and for Claude, bounded.
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.js';
import { oneLine } from '../lib/one-line.js';
import { openToAppend, readRegular } from '../lib/regular-file.js';
import type { WorkerEvent } from '../ports/observer.js';
import { type FileObserver, type FileObserverOptions, reportingWriter } from './reporting-writer.js';

const HEADER = `# Ledger

What each turn did and cost: one line a turn, the newest last, times in UTC. Older lines are dropped.

| time | conversation | verdict | seconds | dollars | attempt |
|---|---|---|---:|---:|---:|
`;

type TurnEnded = Extract<WorkerEvent, { type: 'turn-ended' }>;

export interface LedgerFileOptions extends FileObserverOptions {
  /** How many lines are kept when the file is cut down. Default 1000. */
  readonly keep?: number;
}

/** Appends a line when a turn ends. It holds neither secrets nor message text: the agent may read it. */
export function ledgerFileObserver(options: LedgerFileOptions): FileObserver {
  const { folder, clock, onTrouble } = options;
  const keep = options.keep ?? 1000;
  // Cutting a full file at every turn would write it whole each time: it may grow by a tenth first.
  const most = keep + Math.ceil(keep / 10);
  const path = join(folder, 'ledger.md');
  const attempts = new Map<string, number>();
  let pending: string[] = [];
  let count: number | undefined;

  const rewrite = async (rows: readonly string[]): Promise<void> => {
    await writeFileAtomic(path, HEADER + asLines(rows), { mode: 0o644 });
    count = rows.length;
  };

  const add = async (batch: readonly string[]): Promise<void> => {
    await mkdir(folder, { recursive: true });
    if (count === undefined || !(await isThere(path))) {
      // The first write of a run counts what earlier ones left, and mends a line that a crash cut short.
      await rewrite([...(await rowsOf(path)), ...batch].slice(-keep));
    } else {
      const file = await openToAppend(path, 0o644);
      await file.appendFile(asLines(batch)).finally(() => file.close());
      count += batch.length;
    }
  };

  const write = async (): Promise<void> => {
    const batch = pending;
    pending = [];
    try {
      if (batch.length > 0) await add(batch);
    } catch (error) {
      pending = newest([...batch, ...pending], keep);
      throw error;
    }
    if (count !== undefined && count > most) await rewrite((await rowsOf(path)).slice(-keep));
  };

  const writer = reportingWriter('.orchestrator/ledger.md', write, onTrouble);
  return {
    on(event) {
      if (event.type === 'turn-began') attempts.set(event.turnId, event.attempt);
      if (event.type !== 'turn-ended') return;
      // While the disk fails, the newest lines are the ones worth their memory.
      pending = newest([...pending, rowOf(event, clock.now(), attempts.get(event.turnId))], keep);
      attempts.delete(event.turnId);
      writer.request();
    },
    flush: () => writer.idle(),
  };
}

function rowOf(turn: TurnEnded, at: number, attempt: number | undefined): string {
  const cells = [
    new Date(at).toISOString().slice(0, 19).replace('T', ' '),
    code(turn.conversation),
    plain(turn.verdict),
    (turn.durationMs / 1000).toFixed(1),
    turn.usage.costUsd.toFixed(4),
    attempt === undefined ? '' : String(attempt),
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * A stranger chooses the name: as a code span it can be neither a link, a heading nor HTML. A backtick would end
 * the span and a bar the cell, and Markdown has no way to keep both inside.
 */
function code(name: string): string {
  return `\`${plain(name) || '?'}\``;
}

const plain = (text: string): string => oneLine(text.replaceAll(/[`|]/g, '·'), 64);

const asLines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

const newest = (rows: string[], keep: number): string[] => (rows.length > keep ? rows.slice(-keep) : rows);

/** What stands below the header, whoever wrote it; nothing when there is no such file. */
async function rowsOf(path: string): Promise<string[]> {
  const header = new Set(HEADER.split('\n'));
  const text = (await readRegular(path)) ?? '';
  return text.split('\n').filter((line) => line.trim() !== '' && !header.has(line));
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
