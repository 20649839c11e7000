// HTTP answers that carry a JSON-RPC error.

type Extra = { data?: Record<string, unknown>; headers?: Record<string, string>; id?: unknown };

export function rpcError(status: number, code: number, message: string, extra: Extra = {}): Response {
  const error = extra.data ? { code, message, data: extra.data } : { code, message };
  const id = typeof extra.id === 'string' || typeof extra.id === 'number' ? extra.id : null;
  return Response.json({ jsonrpc: '2.0', error, id }, { status, headers: extra.headers ?? {} });
}

/** AgentDM documents HTTP 401 and the code `invalid_api_key`. */
export function unauthorised(): Response {
  return rpcError(401, -32001, 'The key is missing or unknown: send "Authorization: Bearer agentdm_…".', {
    data: { code: 'invalid_api_key' },
    headers: { 'WWW-Authenticate': 'Bearer realm="inbox", error="invalid_token"' },
  });
}
