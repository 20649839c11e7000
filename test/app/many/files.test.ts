// Which files `run --all` means: what a shell would have made of the words, and what it could not.
import { mkdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { agentFiles } from '../../../src/app/many/files.js';
import { folderWith } from '../../config/folder.js';

const FILES = {
  'config/agents/clerk.json': {},
  'config/agents/scout.json': {},
  'config/agents/.hidden.json': {},
  'config/agents/README.md': '',
  'teams/a/agent.json': {},
  'teams/b/agent.json': {},
  'teams/b/agent(1).json': {},
  'odd/what?.json': {},
};

async function found(words: string[]): Promise<string[]> {
  const cwd = await folderWith(FILES);
  await mkdir(join(cwd, 'config/agents/folder.json'));
  await symlink(join(cwd, 'config/agents/scout.json'), join(cwd, 'again.json'));
  await mkdir(join(cwd, 'empty'));
  return (await agentFiles(words, cwd)).map((file) => relative(cwd, file));
}

const AGENTS = ['config/agents/clerk.json', 'config/agents/scout.json'];

it.each([
  ['nothing: config/agents', [], AGENTS],
  ['a folder', ['config/agents'], AGENTS],
  ['a pattern', ['config/agents/*.json'], AGENTS],
  ['a pattern with folders in it', ['teams/*/agent.json'], ['teams/a/agent.json', 'teams/b/agent.json']],
  ['a pattern of single characters', ['config/agents/?????.json'], AGENTS],
  ['what a pattern takes for itself elsewhere', ['teams/b/agent(*).json'], ['teams/b/agent(1).json']],
  ['a hidden file, only when asked for', ['config/agents/.*.json'], ['config/agents/.hidden.json']],
  [
    'files in the order of the words',
    ['config/agents/scout.json', 'teams/a/agent.json'],
    ['config/agents/scout.json', 'teams/a/agent.json'],
  ],
  ['a file whose name is a pattern', ['odd/what?.json'], ['odd/what?.json']],
])('takes %s', async (_what, words, expected) => {
  expect(await found(words)).toEqual(expected);
});

it('takes a file once, however it is reached', async () => {
  expect(await found(['config/agents', 'config/agents/scout.json', 'again.json'])).toHaveLength(2);
});

it('tells all words that mean nothing', async () => {
  const error = await found(['nowhere', 'empty', '*.yaml', 'config/agents']).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'file-unreadable', exitCode: 2 });
  expect(error.message.split('\n')).toEqual([
    'The settings file nowhere does not exist.',
    'The folder empty holds no .json file.',
    'No file fits *.yaml.',
  ]);
});
