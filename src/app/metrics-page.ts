// GET /metrics on the private listener: for Prometheus, with the token of the run as bearer.
import { bearerIs } from '../control/index.js';
import { exposition } from '../observe/index.js';

/** @param texts what there is to tell, asked at each scrape: in the format 0.0.4 */
export function metricsPage(
  token: string,
  texts: () => Promise<readonly string[]>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (new URL(request.url).pathname !== '/metrics') return text('Not found.', 404);
    if (!bearerIs(request.headers.get('authorization') ?? undefined, token)) {
      return text('The token is missing or not that of this run.', 401, { 'www-authenticate': 'Bearer' });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text('Only GET.', 405, { allow: 'GET, HEAD' });
    const { contentType, body } = exposition(await texts(), request.headers.get('accept') ?? undefined);
    return text(request.method === 'HEAD' ? null : body, 200, { 'content-type': contentType });
  };
}

function text(body: string | null, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
