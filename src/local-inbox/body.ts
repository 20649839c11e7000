// Reads a request body as JSON, within a limit.

type Body = { kind: 'json'; value: unknown } | { kind: 'too-large' } | { kind: 'malformed' };

/** The limit is in bytes; a body whose announced length is over it is not read at all. */
export async function readJsonBody(request: Request, limit: number): Promise<Body> {
  if (Number(request.headers.get('content-length')) > limit) return { kind: 'too-large' };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) return { kind: 'too-large' };
    chunks.push(chunk);
  }
  try {
    // Fatal: a byte that is no UTF-8 would otherwise be stored as a replacement character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'malformed' };
  }
}
