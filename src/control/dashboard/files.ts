// The files of the dashboard's page, by the path under which a browser asks for them.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  /** Where it lies on disk. */
  readonly path: string;
  readonly type: string;
}

/** The folder that holds all built code, or all sources. */
const ROOT = new URL('../../', import.meta.url);
const PAGE = 'control/dashboard/page/';

/** Code that the page shares with the command line, so that both say the same. */
const SHARED = [
  'control/budget-words.js',
  'control/message-words.js',
  'control/report-paths.js',
  'control/story-events.js',
  'lib/human.js',
  'lib/one-line.js',
  'lib/visible.js',
];

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** @param path below `dashboard/`; undefined when there is no such file */
export function pageFile(path: string): PageFile | undefined {
  const own = (name: string): string => fileURLToPath(new URL(`${PAGE}${name}`, ROOT));
  switch (path) {
    case '':
      return { path: own('index.html'), type: 'text/html; charset=utf-8' };
    case 'icon.svg':
      return { path: own('icon.svg'), type: 'image/svg+xml' };
    case 'uplot.js':
      return { path: packaged('uplot/dist/uPlot.iife.min.js'), type: SCRIPT };
    case 'uplot.css':
      return { path: packaged('uplot/dist/uPlot.min.css'), type: STYLE };
  }
  // Names of letters and hyphens alone: no path climbs out of its folder.
  if (/^style\/[a-z-]+\.css$/.test(path)) return { path: own(path), type: STYLE };
  const code = /^code\/([a-z/-]+\.js)$/.exec(path)?.[1];
  if (code === undefined) return undefined;
  const known = SHARED.includes(code) || (code.startsWith(PAGE) && !code.slice(PAGE.length).includes('/'));
  return known ? { path: fileURLToPath(new URL(code, ROOT)), type: SCRIPT } : undefined;
}

const { resolve } = createRequire(import.meta.url);
const packaged = (name: string): string => resolve(name);
