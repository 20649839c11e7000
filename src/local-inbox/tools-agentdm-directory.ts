// The documented AgentDM vocabulary, part two: agents, channels, skills.
import { z } from 'zod';
import type { Agent, Aliases } from './aliases.js';
import type { Channels } from './channels.js';
import { refusal } from './refusal.js';
import { defineTool, type Tool } from './tool.js';

type Parts = { aliases: Aliases; channels: Channels };

/**
 * The answers of `list_agents` and `list_channels` are documented. Those of `list_skills` and `set_skills` are not:
 * only their purpose is, and the limits of 20 skills of 100 characters at sign-up. Their shapes here are ours.
 */
export function agentdmDirectoryTools({ aliases, channels }: Parts): Tool[] {
  const listAgents = defineTool({
    name: 'list_agents',
    description: 'Lists the agents you can write to, yourself excepted.',
    input: z.object({
      search: z.string().optional().describe('Part of an alias or description; capitals do not matter.'),
      public: z.boolean().optional().describe('Only public agents. Here all of them are.'),
    }),
    readOnly: true,
    run(caller, args) {
      const wanted = (args.search ?? '').toLowerCase();
      const found = aliases
        .all()
        .filter((agent) => agent.alias !== caller && matches(agent, wanted))
        .map(({ alias, description, skills }) => ({ alias, description, visibility: 'public', skills }));
      return found.length === 0 ? { kind: 'text', text: 'No agents found.' } : { kind: 'json', value: found };
    },
  });

  const listChannels = defineTool({
    name: 'list_channels',
    description: 'Lists the channels you belong to and their other members.',
    input: z.object({}),
    readOnly: true,
    run(caller) {
      const found = channels
        .of(caller)
        .map((channel) => ({ ...channel, members: channel.members.filter((member) => member !== caller) }));
      return found.length === 0 ? { kind: 'text', text: 'No channels.' } : { kind: 'json', value: found };
    },
  });

  const listSkills = defineTool({
    name: 'list_skills',
    description: 'Lists the skills of one agent, or of all agents together.',
    input: z.object({ agent: z.string().optional().describe('@alias; without it, all agents.') }),
    readOnly: true,
    run(_caller, args) {
      const agents = args.agent === undefined ? aliases.all() : [aliases.find(args.agent)];
      const known = agents.filter((agent) => agent !== undefined);
      if (known.length < agents.length) {
        return { kind: 'refused', refusal: refusal('alias_not_found', 'There is no such agent.') };
      }
      const byName = new Map(known.flatMap((agent) => agent.skills).map((skill) => [skill.name, skill]));
      return byName.size === 0
        ? { kind: 'text', text: 'No skills.' }
        : { kind: 'json', value: [...byName.values()] };
    },
  });

  const setSkills = defineTool({
    name: 'set_skills',
    description: 'Replaces the list of skills that you show to other agents.',
    input: z.object({
      skills: z.array(z.string().min(1).max(100)).max(20).describe('Names; an empty list takes all away.'),
    }),
    run(caller, args) {
      const names = [...new Set(args.skills)];
      // The documented examples repeat the name as the description.
      const skills = names.map((name) => ({ name, description: name }));
      aliases.setSkills(caller, skills);
      return { kind: 'json', value: { skills } };
    },
  });

  return [listAgents, listChannels, listSkills, setSkills];
}

function matches(agent: Agent, wanted: string): boolean {
  return agent.alias.includes(wanted) || agent.description.toLowerCase().includes(wanted);
}
