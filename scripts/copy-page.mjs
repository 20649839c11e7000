// Copies the files of the dashboard's page that need no compiler to where the built program looks for them.
import { cp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const from = join(root, 'src/control/dashboard/page');
for (const name of await readdir(from, { recursive: true })) {
  if (/\.(html|css|svg)$/.test(name))
    await cp(join(from, name), join(root, 'dist/control/dashboard/page', name));
}
