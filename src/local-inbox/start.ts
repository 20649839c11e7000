// Puts the embedded inbox together, starts it, and ends it.
import { createAliases } from './aliases.js';
import { createChannels } from './channels.js';
import { openDatabase } from './database.js';
import type { Log } from './log.js';
import { createMcpEndpoint, type Faults } from './mcp-endpoint.js';
import { createMessages } from './messages.js';
import { aliasOf, parseLooseAddress, SYSTEM_ALIAS } from './names.js';
import { createSend, type Posted } from './send.js';
import { listen, MCP_PATH, WAKE_PATH } from './server.js';
import { Sessions } from './sessions.js';
import { agentdmMessageTools, type ReadShape } from './tools-agentdm.js';
import { agentdmDirectoryTools } from './tools-agentdm-directory.js';
import { dmsTools } from './tools-dms.js';
import { WakeStream } from './wake-stream.js';
import { Webhooks, type WebhookTarget } from './webhooks.js';

export type LocalInboxOptions = {
  /** A file, made with mode 0600 because the keys are in it, or `:memory:`. */
  databasePath: string;
  /** Default 127.0.0.1. Off loopback the Host header is not checked and keys travel in plain. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Which tools are offered; both by default. They share one read state: read by one is read for the other. */
  vocabularies?: { dms?: boolean; agentdm?: boolean };
  webhooks?: readonly ({ alias: string } & WebhookTarget)[];
  /** Epoch ms. */
  clock?: () => number;
  /** Messages in one answer; default 50, which is AgentDM's. */
  pageSize?: number;
  /** The form of `read_messages`; default `has_more`, the current one. */
  readShape?: ReadShape;
  /** Default 15,000. */
  wakeKeepaliveMs?: number;
  /** The wait before a webhook's second attempt, doubled before each further one; default 1,000. */
  webhookRetryMs?: number;
  /** Never given a key or the text of a message. */
  log?: Log;
  /** Every message that is taken, with its text: for a rehearsal that shows the exchange. Must not throw. */
  onPosted?: (message: Posted) => void;
  /** For tests only. */
  faults?: Faults;
};

type Post = { from: string; to: string; text: string; idempotencyKey?: string };

export type LocalInbox = {
  /** The MCP endpoint. */
  readonly url: string;
  readonly wakeStreamUrl: string;
  readonly port: number;
  /** Creates the alias (`you` or `@you`) where it is missing; returns its key, `agentdm_<hex>`. */
  ensureAlias(alias: string, description?: string): string;
  /** All keys, by alias in its written form (`@you`). */
  keys(): Record<string, string>;
  /** Creates the channel (`#general`) where it is missing and adds members, who must exist. */
  createChannel(name: string, members: readonly string[], description?: string): void;
  joinChannel(name: string, alias: string): void;
  /** One target per alias, kept until the inbox closes; `undefined` takes it away. */
  setWebhook(alias: string, target: WebhookTarget | undefined): void;
  /**
   * Sends without a client: `from` an existing alias, or `@system` for a notice of the type `system`. `repeated` tells
   * that the key was used before. Throws a sentence where a tool would refuse.
   */
  post(message: Post): { messageId: string; sentAt: number; repeated: boolean };
  /** For tests: every MCP session is forgotten, and its next call gets 404. */
  dropSessions(): Promise<void>;
  /** May be called twice. When it resolves, the port, the streams, the webhooks and the file are closed. */
  close(): Promise<void>;
};

/** Resolves when the inbox answers. Rejects with a plain Error when the file or the port cannot be had. */
export async function startLocalInbox(options: LocalInboxOptions): Promise<LocalInbox> {
  const { dms = true, agentdm = true } = options.vocabularies ?? {};
  if (!dms && !agentdm)
    throw new Error('An inbox needs at least one vocabulary: leave dms or agentdm switched on.');
  const {
    clock = Date.now,
    pageSize = 50,
    readShape = 'has_more',
    log = () => {},
    host = '127.0.0.1',
  } = options;

  const webhooks = new Webhooks({ clock, retryMs: options.webhookRetryMs ?? 1_000, log });
  for (const { alias, ...target } of options.webhooks ?? []) webhooks.set(aliasOf(alias), target);
  const wakeStream = new WakeStream(options.wakeKeepaliveMs ?? 15_000);

  const db = openDatabase(options.databasePath);
  try {
    const aliases = createAliases(db, clock);
    const channels = createChannels(db, clock);
    const messages = createMessages(db, clock);
    const announce = (receiver: string, messageId: string) => {
      wakeStream.wake(receiver);
      webhooks.announce(receiver, messageId);
    };
    const send = createSend({
      aliases,
      channels,
      messages,
      announce,
      posted: options.onPosted ?? (() => {}),
    });
    const sessions = new Sessions(
      [
        ...(dms ? dmsTools({ messages, send, pageSize }) : []),
        ...(agentdm ? agentdmMessageTools({ aliases, messages, send, pageSize, readShape }) : []),
        ...(agentdm ? agentdmDirectoryTools({ aliases, channels }) : []),
      ],
      log,
    );
    const server = await listen({
      host,
      port: options.port ?? 0,
      aliasOfKey: aliases.byKey,
      mcp: createMcpEndpoint({ sessions, faults: options.faults ?? {}, log }),
      wakeStream: (alias) => wakeStream.open(alias),
      log,
    });

    const close = async () => {
      wakeStream.close();
      // Sessions before the file: a call that a test delays finds its session gone, not the file.
      await Promise.all([sessions.drop(), webhooks.close(), server.close()]);
      db.close();
    };
    let closing: Promise<void> | undefined;

    return {
      url: server.origin + MCP_PATH,
      wakeStreamUrl: server.origin + WAKE_PATH,
      port: server.port,
      ensureAlias: aliases.ensure,
      keys: aliases.keys,
      createChannel: channels.create,
      joinChannel: channels.join,
      setWebhook: (alias, target) => webhooks.set(aliasOf(alias), target),
      post({ from, to, text, idempotencyKey }) {
        const sender = parseLooseAddress(from)?.written ?? from;
        if (sender !== SYSTEM_ALIAS && !aliases.find(sender)) {
          throw new Error(`There is no alias ${from} to send from: create it with ensureAlias first.`);
        }
        const outcome = send({
          from: sender,
          to: parseLooseAddress(to)?.written ?? to,
          text,
          idempotencyKey,
        });
        if (!outcome.ok) throw new Error(`${outcome.refusal.message} (${outcome.refusal.code})`);
        return { messageId: outcome.id, sentAt: outcome.sentAt, repeated: outcome.repeated };
      },
      dropSessions: () => sessions.drop(),
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
