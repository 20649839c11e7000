// The agent over the real Claude Code and a scripted model.
import { fileURLToPath } from 'node:url';
import { agentConformance } from '../conformance/agent.js';

const CLAUDE = fileURLToPath(new URL('../../node_modules/.bin/claude', import.meta.url));

agentConformance('Claude Code', { claudePath: CLAUDE });
