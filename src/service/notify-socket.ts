// Speaks to the service manager that started us, through its own program: Node has no datagram sockets of that kind.
import { execa } from 'execa';

export interface NotifySocket {
  /** Sends assignments such as `READY=1`. Never rejects; resolves when the manager has them, or is known not to. */
  send(assignments: readonly string[]): Promise<void>;
}

/** `systemd-notify` waits until it was heard, by default for 5 s. */
const LIMIT_MS = 10_000;

/**
 * Undefined where nobody listens.
 * @param onTrouble one sentence, once
 */
export function notifySocket(
  env: NodeJS.ProcessEnv,
  onTrouble: (text: string) => void,
): NotifySocket | undefined {
  const socket = env.NOTIFY_SOCKET;
  if (!socket) return undefined;
  let troubled = false;
  return {
    async send(assignments) {
      const run = await execa('systemd-notify', assignments, {
        env: { PATH: env.PATH ?? '', NOTIFY_SOCKET: socket },
        extendEnv: false,
        stdin: 'ignore',
        timeout: LIMIT_MS,
        reject: false,
      });
      if (!run.failed || troubled) return;
      troubled = true;
      const why = run.stderr?.trim() || run.shortMessage;
      onTrouble(
        `systemd cannot be told how we are (${why}): a unit with Type=notify will take us for one that does not start.`,
      );
    },
  };
}
