// Chooses the profile from the server's tools, or says what is there and what is missing.
import type { Tool } from '../call.js';
import { sentenceStart } from '../failed-request.js';
import type { ProfileChoice } from '../options.js';
import { unfilled } from '../schema-arguments.js';
import type { Scrub } from '../secrets.js';
import { AGENTDM_ARGUMENTS, AGENTDM_TOOLS, agentdmProfile } from './agentdm.js';
import { customProfile, customTools } from './custom.js';
import { DMS_ARGUMENTS, DMS_TOOLS, dmsProfile } from './dms.js';
import type { Profile } from './profile.js';

export type Chosen =
  | { readonly kind: 'chosen'; readonly profile: Profile }
  | { readonly kind: 'none'; readonly message: string };

interface Candidate {
  readonly name: string;
  readonly tools: readonly string[];
  /** The arguments we can fill, by tool; undefined: whatever the description says. */
  readonly fills: Readonly<Record<string, readonly string[]>> | undefined;
  make(tools: readonly Tool[]): Profile;
}

const DMS: Candidate = { name: 'dms', tools: DMS_TOOLS, fills: DMS_ARGUMENTS, make: dmsProfile };
const AGENTDM: Candidate = {
  name: 'agentdm',
  tools: AGENTDM_TOOLS,
  fills: AGENTDM_ARGUMENTS,
  make: agentdmProfile,
};

/** `auto`: dms where both vocabularies are there, because it can look without consuming. */
export function chooseProfile(tools: readonly Tool[], wish: ProfileChoice, scrub: Scrub): Chosen {
  const candidates = candidatesFor(wish);
  const troubles: string[] = [];
  for (const candidate of candidates) {
    const trouble = troubleWith(candidate, tools);
    if (trouble === undefined) return { kind: 'chosen', profile: candidate.make(tools) };
    troubles.push(trouble);
  }
  return {
    kind: 'none',
    message: scrub(`The inbox offers ${offered(tools)}. ${sentenceStart(troubles.join('; '))}.`, 600),
  };
}

function candidatesFor(wish: ProfileChoice): Candidate[] {
  if (wish === 'auto') return [DMS, AGENTDM];
  if (wish === 'dms') return [DMS];
  if (wish === 'agentdm') return [AGENTDM];
  return [{ name: wish.name, tools: customTools(wish), fills: undefined, make: () => customProfile(wish) }];
}

function troubleWith({ name, tools: needed, fills }: Candidate, tools: readonly Tool[]): string | undefined {
  const missing = needed.filter((wanted) => !tools.some((tool) => tool.name === wanted));
  if (missing.length > 0) return `the profile ${name} misses ${missing.join(', ')}`;
  for (const tool of fills ? tools : []) {
    const known = fills?.[tool.name];
    const wanted = known === undefined ? [] : unfilled(tool, known);
    if (wanted.length > 0) return `the profile ${name} cannot fill ${wanted.join(', ')} of ${tool.name}`;
  }
  return undefined;
}

function offered(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'no tools';
  const names = tools.slice(0, 20).map((tool) => tool.name);
  return `the tools ${names.join(', ')}${tools.length > names.length ? ` and ${tools.length - names.length} more` : ''}`;
}
