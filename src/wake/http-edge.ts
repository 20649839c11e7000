// The HTTP edge of the receiver: bytes in, a status out, and nobody slow or long-winded holds it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Addressed, Judgement, PostHead } from './judge.js';
import { REFUSALS, type RefusalReason } from './refusal.js';
import { say, sayAndClose, sayJson } from './respond.js';

export interface EdgeLimits {
  readonly maxBytes: number;
  /** A request's headers must be whole after this time, ms. */
  readonly headersMs: number;
  /** The whole request must be here after this time, ms. */
  readonly requestMs: number;
}

/** `A` is whom a post is for; the edge only hands it on. */
export interface EdgeHooks<A> {
  judge(head: PostHead): Judgement<A>;
  /** Answers at once: what asks has a short limit, and many sockets wait behind it. */
  health(): { readonly ok: boolean; readonly status: string };
  /** The proofs that hold, at least one. Called when the 202 has been handed to the socket, never before. */
  accepted(proven: readonly Addressed<A>[]): void;
  /** @param head of the post: nothing in it was proven */
  refused(reason: RefusalReason, to: readonly A[], head: PostHead): void;
  /** The sender went away, or was cut for slowness, before its body was whole. */
  aborted(to: readonly A[]): void;
}

/** More senders at once than any inbox has; each costs a socket and a hash. */
const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Written on node:http rather than a framework: what is read, in which order, and when a connection is cut, is the
 * whole point here. What is not HTTP at all is answered 400, 408 or 431 by Node itself.
 */
export function httpEdge<A>(limits: EdgeLimits, hooks: EdgeHooks<A>): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // How often Node looks for late requests; its default of 30 s would triple the limits.
    connectionsCheckingInterval: Math.max(50, Math.min(1000, limits.headersMs)),
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => handle({ request, response, asks: false }, limits, hooks));
  // The sender asks before it sends its body: a refusal reaches it before it has sent a byte.
  server.on('checkContinue', (request, response) => handle({ request, response, asks: true }, limits, hooks));
  return server;
}

interface Post {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asks: boolean;
}

function handle<A>(post: Post, limits: EdgeLimits, hooks: EdgeHooks<A>): void {
  const { request, response, asks } = post;
  // A peer that vanishes is an everyday thing; `close` tells of it.
  request.on('error', () => {});
  response.on('error', () => {});

  const { method = '', url = '', headers } = request;
  const head = { method, url, headers };
  const refuse = (
    reason: RefusalReason,
    to: readonly A[],
    options: { allow?: string; bodyComes: boolean },
  ): void => {
    hooks.refused(reason, to, head);
    if (options.allow !== undefined) response.setHeader('allow', options.allow);
    sayAndClose(request, response, REFUSALS[reason], options.bodyComes);
  };

  const judgement = hooks.judge(head);
  if (judgement.kind === 'health') {
    const { ok, status } = hooks.health();
    sayJson(response, ok ? 200 : 503, { status });
  } else if (judgement.kind === 'refused') {
    refuse(judgement.reason, judgement.to, { ...judgement, bodyComes: !asks });
  } else {
    const { to, proofs } = judgement;
    if (asks) response.writeContinue();
    readBody(request, proofs, limits.maxBytes, (end) => {
      if (end === 'aborted') hooks.aborted(to);
      else if (end === 'too-large') refuse('too-large', to, { bodyComes: true });
      else decide(to, proofs);
    });
  }

  function decide(to: readonly A[], proofs: readonly Addressed<A>[]): void {
    // Not `find`: all proofs are worked out, whichever holds.
    const proven = proofs.filter(({ proof }) => proof.holds());
    if (proven.length === 0) {
      refuse('signature', to, { bodyComes: false });
      return;
    }
    say(response, 202, 'accepted');
    hooks.accepted(proven);
  }
}

/** Feeds the body to the proofs and calls `done` once. A declared length was judged before; here the real one is. */
function readBody(
  request: IncomingMessage,
  proofs: readonly Addressed<unknown>[],
  maxBytes: number,
  done: (end: 'whole' | 'too-large' | 'aborted') => void,
): void {
  let size = 0;
  let over = false;
  const finish = (end: 'whole' | 'too-large' | 'aborted'): void => {
    if (over) return;
    over = true;
    request.off('data', take);
    done(end);
  };
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > maxBytes) finish('too-large');
    else for (const { proof } of proofs) proof.update(chunk);
  };
  request.on('data', take);
  request.once('end', () => finish('whole'));
  request.once('close', () => finish('aborted'));
}
