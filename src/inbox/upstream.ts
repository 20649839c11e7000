// The Upstream port over a connection and a profile: checks, looks, sends.
import { canonicalName } from '../domain/addressing.js';
import type { LookOutcome, SendOutcome, Upstream } from '../ports/upstream.js';
import { readAnswer } from './answer.js';
import { createConnection } from './connection.js';
import { afterGrace } from './grace.js';
import { DEFAULT_CALL_TIMEOUT_MS, type InboxOptions } from './options.js';
import { lookFailure, sendFailure } from './outcomes.js';
import { chooseProfile } from './profiles/choose.js';
import type { Profile, ProfileIo } from './profiles/profile.js';
import { scrubber } from './secrets.js';

/** What AgentDM and the embedded inbox take; the profile corrects it once it is known. */
const MAX_CHARS = 10_000;
/** How long an abort waits for an answer that exists only once. */
const GRACE_MS = 5_000;

type Settled =
  | { readonly kind: 'settled'; readonly profile: Profile }
  | { readonly kind: 'trouble'; readonly look: LookOutcome; readonly send: SendOutcome };

/**
 * Connects to a remote MCP inbox. No I/O happens before `check`, `look` or `send`; the profile is chosen from the
 * server's tools at each new session. `maxChars` and `idempotent` are guesses on the safe side until then.
 */
export function connectInbox(options: InboxOptions): Upstream {
  const { server, clock, profile: wish = 'auto' } = options;
  const scrub = scrubber(server);
  const ownName = options.ownAlias === undefined ? undefined : canonicalName(options.ownAlias);
  const notice = (text: string) => options.onNotice?.(scrub(text));
  const connection = createConnection(
    {
      server,
      limitMs: options.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS,
      onAnnounced: options.onAnnounced,
      scrub,
      now: () => clock.now(),
      sleep: (ms, signal) => clock.sleepUntil(clock.now() + ms, signal),
      notice,
    },
    notice,
  );
  let chosen: { readonly tools: unknown; readonly profile: Profile } | undefined;
  let lastLook: Promise<unknown> = Promise.resolve();

  async function settle(signal: AbortSignal): Promise<Settled> {
    const reply = await connection.tools(signal);
    if (reply.kind === 'failed')
      return { kind: 'trouble', look: lookFailure(reply), send: sendFailure(reply) };
    // A new session may offer other tools.
    if (chosen?.tools !== reply.value) {
      const choice = chooseProfile(reply.value, wish, scrub);
      if (choice.kind === 'none') {
        const { message } = choice;
        return {
          kind: 'trouble',
          look: { kind: 'unrecognised', message },
          send: { kind: 'later', message, until: undefined },
        };
      }
      chosen = { tools: reply.value, profile: choice.profile };
    }
    return { kind: 'settled', profile: chosen.profile };
  }

  function ioFor(signal: AbortSignal): ProfileIo {
    return {
      async ask(effect, tool, args) {
        const patient = effect === 'take' ? afterGrace(signal, GRACE_MS) : undefined;
        try {
          const reply = await connection.call(tool, args, {
            signal: patient?.signal ?? signal,
            repeat: effect !== 'send',
            harmless: effect === 'peek' || effect === 'send-again',
          });
          return reply.kind === 'failed' ? reply : readAnswer(reply.value);
        } finally {
          patient?.end();
        }
      },
      now: () => clock.now(),
      scrub,
      ownName,
      notice,
    };
  }

  return {
    get maxChars() {
      return chosen?.profile.maxChars ?? (typeof wish === 'object' ? wish.max_chars : MAX_CHARS);
    },
    get idempotent() {
      return chosen?.profile.idempotent ?? false;
    },
    get protocol() {
      return connection.protocol();
    },
    ownName,

    async check(signal) {
      const settled = await settle(signal);
      return settled.kind === 'trouble' ? settled.look : settled.profile.probe(ioFor(signal));
    },

    look(spool, signal) {
      const look = lastLook.then(async (): Promise<LookOutcome> => {
        const settled = await settle(signal);
        return settled.kind === 'trouble' ? settled.look : settled.profile.look(ioFor(signal), spool);
      });
      // Two looks at once would read the same mail twice: the second waits.
      lastLook = look.catch(() => {});
      return look;
    },

    async send(message, signal) {
      const settled = await settle(signal);
      return settled.kind === 'trouble' ? settled.send : settled.profile.send(ioFor(signal), message);
    },

    close: () => connection.close(),
  };
}
