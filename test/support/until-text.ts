// Waits until a stream has said something.
import type { Readable } from 'node:stream';

/** Rejects when the stream ends before it did. */
export function untilText(stream: Readable | null | undefined, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString();
      if (!wanted.test(text)) return;
      stream?.off('data', onData);
      resolve(text);
    };
    stream?.on('data', onData);
    stream?.once('end', () => reject(new Error(`It ended without ${wanted}:\n${text}`)));
  });
}
