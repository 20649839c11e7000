// Who there is: aliases, their bearer keys, descriptions and skills.
import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { aliasOf } from './names.js';

type Skill = { name: string; description: string };
export type Agent = { alias: string; description: string; skills: Skill[] };

type AgentRow = { alias: string; description: string; skills: string };

export type Aliases = ReturnType<typeof createAliases>;

/** All names go in and out in their written form (`@alias`), except that `ensure` also takes a bare one. */
export function createAliases(db: Database, clock: () => number) {
  const insert = db.prepare<[string, string, string, number]>(
    'INSERT INTO aliases (alias, key, description, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (alias) DO NOTHING',
  );
  const describe = db.prepare<[string, string]>('UPDATE aliases SET description = ? WHERE alias = ?');
  const keyOf = db.prepare<[string], string>('SELECT key FROM aliases WHERE alias = ?').pluck();
  const aliasOfKey = db.prepare<[string], string>('SELECT alias FROM aliases WHERE key = ?').pluck();
  const keys = db.prepare<[], { alias: string; key: string }>(
    'SELECT alias, key FROM aliases ORDER BY alias',
  );
  const agents = db.prepare<[], AgentRow>('SELECT alias, description, skills FROM aliases ORDER BY alias');
  const agent = db.prepare<[string], AgentRow>(
    'SELECT alias, description, skills FROM aliases WHERE alias = ?',
  );
  const skill = db.prepare<[string, string]>('UPDATE aliases SET skills = ? WHERE alias = ?');

  return {
    /** Creates the alias where it is missing; returns its key either way. Throws when the name is not allowed. */
    ensure(name: string, description?: string): string {
      const alias = aliasOf(name);
      insert.run(alias, `agentdm_${randomBytes(24).toString('hex')}`, description ?? '', clock());
      if (description !== undefined) describe.run(description, alias);
      const key = keyOf.get(alias);
      if (key === undefined)
        throw new Error(`The alias ${alias} was removed while it was created: try again.`);
      return key;
    },

    // Found by an index on a random key of 192 bits: a timing attack learns nothing it could use.
    byKey: (key: string): string | undefined => aliasOfKey.get(key),

    keys: (): Record<string, string> => Object.fromEntries(keys.all().map((row) => [row.alias, row.key])),

    find(alias: string): Agent | undefined {
      const row = agent.get(alias);
      return row && toAgent(row);
    },

    all: (): Agent[] => agents.all().map(toAgent),

    setSkills(alias: string, skills: Skill[]): void {
      skill.run(JSON.stringify(skills), alias);
    },
  };
}

function toAgent(row: AgentRow): Agent {
  return { ...row, skills: JSON.parse(row.skills) };
}
