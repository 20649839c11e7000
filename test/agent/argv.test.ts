import { describe, expect, it } from 'vitest';
import { claudeArgs } from '../../src/agent/argv.js';
import { PRESETS, rootRefusal } from '../../src/agent/presets.js';

const gateway = {
  name: 'inbox',
  url: 'http://127.0.0.1:1/mcp',
  issueToken: () => 'secret',
  revokeToken: () => {},
};
const fresh = { kind: 'fresh', sessionId: 'id-1' } as const;

/** The value behind an option. */
function argument(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
}

describe('the command line', () => {
  it.each(PRESETS)('of preset %s speaks stream-json and knows only our MCP configuration', (preset) => {
    const args = claudeArgs({ preset, gateway }, '/state/mcp.json', fresh);
    expect(args).toContain('--print');
    expect(argument(args, '--input-format')).toBe('stream-json');
    expect(argument(args, '--output-format')).toBe('stream-json');
    expect(argument(args, '--mcp-config')).toBe('/state/mcp.json');
    expect(args).toContain('--strict-mcp-config');
    expect(argument(args, '--session-id')).toBe('id-1');
    expect(args.join(' ')).not.toContain('secret');
  });

  it('of preset answer offers no tool but those of the servers', () => {
    const otherServers = { 'my docs': {} };
    const args = claudeArgs(
      { preset: 'answer', gateway, otherServers, systemPrompt: 'Be short.' },
      'f',
      fresh,
    );
    expect(argument(args, '--tools')).toBe('');
    expect(argument(args, '--permission-mode')).toBe('dontAsk');
    expect(argument(args, '--allowedTools')).toBe('mcp__inbox,mcp__my_docs');
    expect(argument(args, '--setting-sources')).toBe('project');
    expect(JSON.parse(argument(args, '--settings') ?? '')).toEqual({ disableAllHooks: true });
    expect(argument(args, '--system-prompt')).toBe('Be short.');
    expect(args).not.toContain('--dangerously-skip-permissions');
  });

  it.each(['read', 'work'] as const)('of preset %s offers no commands and hides the secrets', (preset) => {
    const args = claudeArgs({ preset, gateway, systemPrompt: 'ignored' }, 'f', fresh);
    expect(argument(args, '--tools')?.split(',')).not.toContain('Bash');
    expect(argument(args, '--settings')).toContain('Read(./.env)');
    expect(argument(args, '--settings')).toContain('Edit(./.claude/**)');
    expect(args).not.toContain('--system-prompt');
  });

  it('has a budget only where Claude Code knows the option', () => {
    const belt = { preset: 'answer', gateway, maxBudgetUsd: 20 } as const;
    expect(argument(claudeArgs({ ...belt, version: '2.1.332' }, 'f', fresh), '--max-budget-usd')).toBe('20');
    expect(claudeArgs({ ...belt, version: '2.0.56' }, 'f', fresh)).not.toContain('--max-budget-usd');
    expect(claudeArgs({ preset: 'answer', gateway }, 'f', fresh)).not.toContain('--max-budget-usd');
  });

  it('of preset everything limits nothing', () => {
    const args = claudeArgs({ preset: 'everything', gateway }, 'f', fresh);
    expect(args).toContain('--dangerously-skip-permissions');
    expect(args).not.toContain('--tools');
    expect(args).not.toContain('--setting-sources');
  });

  it('resumes, names a model, appends a prompt, and ends in the extra arguments', () => {
    const extra = { model: 'opus', appendSystemPrompt: 'Mind the gap.', extraArgs: ['--effort', 'high'] };
    const args = claudeArgs({ preset: 'answer', gateway, ...extra }, 'f', {
      kind: 'resume',
      sessionId: 'id-2',
    });
    expect(argument(args, '--resume')).toBe('id-2');
    expect(args).not.toContain('--session-id');
    expect(argument(args, '--model')).toBe('opus');
    expect(argument(args, '--append-system-prompt')).toBe('Mind the gap.');
    expect(args.slice(-2)).toEqual(['--effort', 'high']);
  });

  it.each([['--resume'], ['--session-id=x'], ['-p'], ['--mcp-config=y']])(
    'refuses the extra argument %s',
    (taken) => {
      const refused = () => claudeArgs({ preset: 'answer', gateway, extraArgs: [taken] }, 'f', fresh);
      expect(refused).toThrow(expect.objectContaining({ code: 'setting-invalid' }));
    },
  );
});

describe('root', () => {
  it('may have preset everything only in a sandbox', () => {
    expect(rootRefusal('everything', 0, {})).toMatchObject({ code: 'claude-root' });
    expect(rootRefusal('everything', 0, { IS_SANDBOX: '1' })).toBeUndefined();
    expect(rootRefusal('everything', 1000, {})).toBeUndefined();
    expect(rootRefusal('everything', undefined, {})).toBeUndefined();
    expect(rootRefusal('answer', 0, {})).toBeUndefined();
  });
});
