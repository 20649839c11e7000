// The profile setting: a built-in vocabulary, or a description of the inbox's tools from a preset or a file.
import { readProfileFile, type Settings } from '../config/index.js';
import { type ProfileChoice, parseCustomProfile } from '../inbox/index.js';

/** @throws WorkerError as `readProfileFile`; `setting-invalid` naming what is wrong in the description */
export async function profileOf(
  settings: Pick<Settings, 'profile' | 'dir'>,
  env: NodeJS.ProcessEnv,
): Promise<ProfileChoice> {
  const { profile } = settings;
  if (profile === 'auto' || profile === 'dms' || profile === 'agentdm') return profile;
  const { value, where } = await readProfileFile(settings, env);
  return parseCustomProfile(value, where);
}
