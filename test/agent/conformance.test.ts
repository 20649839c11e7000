// The conformance suite over a stand-in that does what newer versions do.
import { agentConformance } from '../conformance/agent.js';
import { fakeClaude } from './fakes.js';

agentConformance('a stand-in for Claude Code', { claudePath: fakeClaude('well-behaved') });
agentConformance('a stand-in for an old Claude Code', { claudePath: fakeClaude('old'), version: '2.1.110' });
