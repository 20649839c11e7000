// A real Chromium, where there is one: found, started without anything that calls home, and closed again.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** `CHROMIUM_PATH`, or the first of the usual names on PATH; undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.CHROMIUM_PATH ? [env.CHROMIUM_PATH] : [];
  const folders = (env.PATH ?? '').split(delimiter);
  const usual = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...named, ...usual].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, headless: true, args: FLAGS });
}

export const SKIPPED =
  'skipped: no Chromium was found; install one, or name it with CHROMIUM_PATH (as root, .ci/run installs it)';
