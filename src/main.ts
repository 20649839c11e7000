#!/usr/bin/env node
// The program: signals are latched before anything else is loaded; then arguments in, exit code out.
import { latchSignals } from './lib/signal-latch.js';

const signals = latchSignals(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1']);
const { main } = await import('./cli/main.js');
process.exitCode = await main(process.argv.slice(2), signals);
