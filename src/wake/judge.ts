// Everything about a post that can be judged before its body is read: method, path, length, headers, in this order.
import {
  bearerProof,
  type Claimed,
  type Headers,
  header,
  hubProof,
  noProof,
  type Proof,
  standardProof,
} from './proof.js';
import type { RefusalReason } from './refusal.js';
import type { Secret } from './secret.js';

export interface PostHead {
  readonly method: string;
  /** The request target, with its query. */
  readonly url: string;
  readonly headers: Headers;
}

export interface Rules {
  /** Empty: unsigned posts are taken. */
  readonly secrets: readonly Secret[];
  readonly maxBytes: number;
  readonly toleranceS: number;
  /** What `/webhook/NAME` must name. */
  readonly agentName: string | undefined;
}

export type Judgement =
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly allow?: string }
  | { readonly kind: 'healthy' }
  /** Believed if any of the proofs holds; there is at least one. */
  | { readonly kind: 'post'; readonly proofs: readonly Proof[] };

const refuse = (reason: RefusalReason): Judgement => ({ kind: 'refused', reason });

export function judge(head: PostHead, rules: Rules, nowMs: number): Judgement {
  const reads = head.method === 'GET' || head.method === 'HEAD';
  if (!reads && head.method !== 'POST') return { kind: 'refused', reason: 'method', allow: 'GET, POST' };
  const route = routeOf(head.url, rules.agentName);
  if (route === undefined) return refuse('path');
  if (route === 'healthz') {
    return reads ? { kind: 'healthy' } : { kind: 'refused', reason: 'method', allow: 'GET' };
  }
  if (reads) return { kind: 'refused', reason: 'method', allow: 'POST' };
  if (Number(header(head.headers, 'content-length') ?? 0) > rules.maxBytes) return refuse('too-large');
  return judgeHeaders(head.headers, rules, nowMs);
}

function judgeHeaders(headers: Headers, rules: Rules, nowMs: number): Judgement {
  const { secrets, toleranceS } = rules;
  if (secrets.length === 0) return { kind: 'post', proofs: [noProof(headers)] };
  const claims = [
    standardProof('webhook', headers, secrets, { nowMs, toleranceS }),
    standardProof('svix', headers, secrets, { nowMs, toleranceS }),
    hubProof(headers, secrets),
    bearerProof(headers, secrets),
  ].filter((claim) => claim !== 'absent');
  const proofs = claims.filter(isProof);
  if (proofs.length > 0) return { kind: 'post', proofs };
  return refuse(claims.includes('stale') ? 'stale' : claims.includes('malformed') ? 'malformed' : 'unsigned');
}

const isProof = (claim: Claimed): claim is Proof => typeof claim !== 'string';

function routeOf(url: string, agentName: string | undefined): 'webhook' | 'healthz' | undefined {
  const path = url.split('?', 1)[0];
  if (path === '/healthz') return 'healthz';
  if (path === '/webhook') return 'webhook';
  const name = /^\/webhook\/([^/]+)$/.exec(path ?? '')?.[1];
  return name !== undefined && agentName !== undefined && decoded(name) === agentName ? 'webhook' : undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
