// What on_hold and on_dead name: is the command there. Nothing is run, nothing is posted.
import { checkTarget, commandEnvironment, type Target } from '../tell/index.js';
import { type Finding, ok, warn } from './check.js';

export async function tellTarget(target: Target, folder: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const checked = await checkTarget(target, { cwd: folder, environment: commandEnvironment(env) });
  const text = `${checked.text.charAt(0).toUpperCase()}${checked.text.slice(1)}.`;
  return checked.ok
    ? ok(text)
    : warn(text, 'Give the whole path of the program, or correct the setting: nobody would be told.');
}
