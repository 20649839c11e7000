// Opens an address in the person's browser, where there is one.
import { execa } from 'execa';

/** How long the opener may take to say that it cannot. A browser that stays in front of it has opened by then. */
const PATIENCE_MS = 3_000;

/** False where no browser can be expected, or its opener failed. Never rejects. */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const command = opener(process.platform, env);
  if (!command) return false;
  const [program, ...args] = command;
  // In a group of its own: Ctrl-C in this terminal is not meant for the browser.
  const started = execa(program, [...args, url], {
    stdio: 'ignore',
    detached: true,
    reject: false,
    env,
    extendEnv: false,
  });
  started.unref();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, true);
  });
  const opened = await Promise.race([started.then(({ exitCode }) => exitCode === 0), patience]);
  clearTimeout(timer);
  return opened;
}

/** Without a display xdg-open would take a browser for terminals, and this one. */
function opener(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // Not `start`: that is a word of a shell, which would read the address as commands.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
