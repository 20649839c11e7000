// Cuts a byte stream into lines on LF alone, however the chunks fall.

export interface LineFramer {
  /** Takes the next bytes; calls `onLine` for each whole line, without its LF. */
  push(chunk: Buffer): void;
  /** Ends the stream: a last line without LF is delivered. */
  end(): void;
}

export interface LineFramerOptions {
  onLine(line: string): void;
  /** A line longer than this many bytes is dropped whole and reported once. Default 64 MiB: images are long. */
  maxBytes?: number;
  onOverlong?(bytes: number): void;
}

/**
 * U+2028, CR and the like are data in JSON, so Node's readline (which splits on them) is not used.
 * Bytes are decoded a whole line at a time: a character cut by a chunk border is never damaged.
 */
export function lineFramer(options: LineFramerOptions): LineFramer {
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  let parts: Buffer[] = [];
  let size = 0;

  const flush = (): void => {
    if (size > maxBytes) options.onOverlong?.(size);
    else if (size > 0) options.onLine(Buffer.concat(parts, size).toString('utf8'));
    parts = [];
    size = 0;
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    // Past the cap only the length is kept: the memory must not grow with a runaway line.
    if (size > maxBytes) parts = [];
    else if (piece.length > 0) parts.push(piece);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let lf = chunk.indexOf(10, start); lf !== -1; lf = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, lf));
        flush();
        start = lf + 1;
      }
      add(chunk.subarray(start));
    },
    end: flush,
  };
}
