/** Splits a byte stream into lines of bounded length: a longer one is skipped (row B05). */

/** Maximum length of a line in bytes. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

export interface LineReaderOptions {
  /** Receives a whole line without its end, never empty. */
  readonly onLine: (line: string) => void;
  /** Called when a line is too long; the rest of it is discarded. */
  readonly onTooLong: () => void;
}

export class LineReader {
  readonly #options: LineReaderOptions;
  /** Bytes of an incomplete line. */
  #parts: Buffer[] = [];
  #length = 0;
  /** Whether the current line is too long. */
  #skipping = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Processes the next bytes; calls `onLine` for every line they complete before returning. */
  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      this.#lineEnds();
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE_BYTES) {
      this.#skipping = true;
      this.#parts = [];
      this.#options.onTooLong();
      return;
    }
    this.#parts.push(part);
  }

  #lineEnds(): void {
    const line = this.#skipping ? undefined : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (line !== undefined && line.trim() !== '') this.#options.onLine(line);
  }
}
