// GET /metrics on the private listener: for Prometheus, with the token of the run as bearer.
import { bearerIs } from '../control/index.js';
import type { Status } from '../domain/status.js';
import type { Metrics } from '../observe/index.js';

export interface MetricsPageOptions {
  readonly token: string;
  readonly metrics: Metrics;
  status(): Promise<Status>;
}

export function metricsPage(options: MetricsPageOptions): (request: Request) => Promise<Response> {
  const { token, metrics } = options;
  return async (request) => {
    if (new URL(request.url).pathname !== '/metrics') return text('Not found.', 404);
    if (!bearerIs(request.headers.get('authorization') ?? undefined, token)) {
      return text('The token is missing or not that of this run.', 401, { 'www-authenticate': 'Bearer' });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text('Only GET.', 405, { allow: 'GET, HEAD' });
    // A store in trouble must not take the counters away just when they matter.
    const status = await options.status().catch(() => undefined);
    const { contentType, body } = await metrics.expose(status, request.headers.get('accept') ?? undefined);
    return text(request.method === 'HEAD' ? null : body, 200, { 'content-type': contentType });
  };
}

function text(body: string | null, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
