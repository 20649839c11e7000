// The profile setting: a name, or a JSON file that describes the inbox's tools.
import { readFile } from 'node:fs/promises';
import { WorkerError } from '../domain/errors.js';
import { type ProfileChoice, parseCustomProfile } from '../inbox/index.js';

/** @throws WorkerError `file-unreadable`, or `setting-invalid` naming what is wrong in the description */
export async function profileOf(setting: string): Promise<ProfileChoice> {
  if (setting === 'auto' || setting === 'dms' || setting === 'agentdm') return setting;
  let text: string;
  try {
    text = await readFile(setting, 'utf8');
  } catch (error) {
    throw new WorkerError('file-unreadable', `The profile ${setting} cannot be read.`, { cause: error });
  }
  return parseCustomProfile(text, setting);
}
