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

/** One of the agents behind the receiver. */
export interface Addressee {
  /** What `/webhook/NAME` must name; without one only `/webhook` reaches it. */
  readonly name: string | undefined;
  /** Empty: unsigned posts are taken. */
  readonly secrets: readonly Secret[];
}

export interface Rules<A extends Addressee> {
  readonly agents: readonly A[];
  readonly maxBytes: number;
  readonly toleranceS: number;
}

/** What would make a post count for one agent. */
export interface Addressed<A> {
  readonly to: A;
  readonly proof: Proof;
}

/** `to`: the agents that the path names, as far as it was judged. */
export type Judgement<A> =
  | {
      readonly kind: 'refused';
      readonly reason: RefusalReason;
      readonly to: readonly A[];
      readonly allow?: string;
    }
  | { readonly kind: 'health' }
  /** Believed by each agent of which a proof holds; there is at least one proof. */
  | { readonly kind: 'post'; readonly to: readonly A[]; readonly proofs: readonly Addressed<A>[] };

export function judge<A extends Addressee>(head: PostHead, rules: Rules<A>, nowMs: number): Judgement<A> {
  const refuse = (reason: RefusalReason, to: readonly A[] = [], allow?: string): Judgement<A> => ({
    kind: 'refused',
    reason,
    to,
    ...(allow === undefined ? {} : { allow }),
  });
  const reads = head.method === 'GET' || head.method === 'HEAD';
  if (!reads && head.method !== 'POST') return refuse('method', [], 'GET, POST');
  const route = routeOf(head.url, rules.agents);
  if (route === undefined) return refuse('path');
  if (route === 'healthz') return reads ? { kind: 'health' } : refuse('method', [], 'GET');
  if (reads) return refuse('method', [], 'POST');
  if (Number(header(head.headers, 'content-length') ?? 0) > rules.maxBytes) return refuse('too-large', route);

  const time = { nowMs, toleranceS: rules.toleranceS };
  const claims = route.map((to) => ({ to, claim: claimsOn(head.headers, to.secrets, time) }));
  const proofs = claims.flatMap(({ to, claim }) =>
    typeof claim === 'string' ? [] : claim.map((proof) => ({ to, proof })),
  );
  if (proofs.length > 0) return { kind: 'post', to: route, proofs };
  // What is wrong with the headers does not depend on whose secrets they are held against.
  const [first] = claims;
  return refuse(typeof first?.claim === 'string' ? first.claim : 'unsigned', route);
}

/** The proofs that may hold for these secrets, or why there are none. */
function claimsOn(
  headers: Headers,
  secrets: readonly Secret[],
  time: { readonly nowMs: number; readonly toleranceS: number },
): readonly Proof[] | 'stale' | 'malformed' | 'unsigned' {
  if (secrets.length === 0) return [noProof(headers)];
  const claims = [
    standardProof('webhook', headers, secrets, time),
    standardProof('svix', headers, secrets, time),
    hubProof(headers, secrets),
    bearerProof(headers, secrets),
  ].filter((claim) => claim !== 'absent');
  const proofs = claims.filter(isProof);
  if (proofs.length > 0) return proofs;
  return claims.includes('stale') ? 'stale' : claims.includes('malformed') ? 'malformed' : 'unsigned';
}

const isProof = (claim: Claimed): claim is Proof => typeof claim !== 'string';

/** Whom the path names: all, one, or the question whether we are well; undefined where it names nothing. */
function routeOf<A extends Addressee>(
  url: string,
  agents: readonly A[],
): readonly A[] | 'healthz' | undefined {
  const path = url.split('?', 1)[0];
  if (path === '/healthz') return 'healthz';
  if (path === '/webhook') return agents;
  const name = decoded(/^\/webhook\/([^/]+)$/.exec(path ?? '')?.[1]);
  const named = agents.filter((agent) => agent.name !== undefined && agent.name === name);
  return named.length > 0 ? named : undefined;
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
