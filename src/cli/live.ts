// The live line of `run`: only on a terminal that can show it, and gone whenever somebody else needs the terminal.
import type { Settings } from '../config/index.js';
import { isForeground } from '../lib/foreground.js';
import { isJson, type LiveLine, liveLine } from '../observe/index.js';

/** Undefined where the settings, the stream or the environment say that nobody looks on. */
export function liveLineFor(
  settings: Pick<Settings, 'liveLine' | 'logFormat'>,
  stream: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
): (LiveLine & { release(): void }) | undefined {
  const wanted =
    settings.liveLine === 'auto' &&
    stream.isTTY === true &&
    !isJson(settings.logFormat, stream) &&
    !isOn(env.CI) &&
    env.TERM !== 'dumb';
  if (!wanted) return undefined;
  const line = liveLine({ terminal: stream, colour: !env.NO_COLOR, ours: isForeground });
  // Ctrl-Z hands the terminal to the shell: it must find an empty line. Then we stop, as we were asked to.
  const onStop = (): void => {
    line.pause();
    process.kill(process.pid, 'SIGSTOP');
  };
  const onGoOn = (): void => line.resume();
  const onExit = (): void => line.end();
  process.on('SIGTSTP', onStop).on('SIGCONT', onGoOn).on('exit', onExit);
  return {
    stream: line.stream,
    on: (event) => line.on(event),
    pause: () => line.pause(),
    resume: () => line.resume(),
    end: () => line.end(),
    release() {
      line.end();
      process.off('SIGTSTP', onStop).off('SIGCONT', onGoOn).off('exit', onExit);
    },
  };
}

const isOn = (value: string | undefined): boolean => !['', '0', 'false'].includes(value ?? '');
