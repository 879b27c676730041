/**
 * How the write-ahead log ends. SQLite silently ignores everything after the first frame that does not fit:
 * a last write that was cut off never counted, and a person is told (F45); but writes that had been committed must not
 * vanish with a byte that flipped before them (F46). The form of the log is that of
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
 */

/** `torn`: the last write was begun and never committed. `damaged`: writes that were committed cannot be read. */
export type LogTail = 'whole' | 'torn' | 'damaged';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** Bytes of a page, SQLite's default. */
const PAGE_BYTES = 4096;

interface Log {
  readonly view: DataView;
  readonly frameBytes: number;
  /** The two numbers that tell one round of the log from the next. */
  readonly salt: string;
  readonly littleEndian: boolean;
}
type Sums = readonly [number, number];

/** Judges a whole log file. An empty one is whole; what an older round left behind is not looked at. */
export function logTail(bytes: Uint8Array): LogTail {
  if (bytes.length === 0) return 'whole';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES + FRAME_HEADER_BYTES) return 'torn';
  const littleEndian = (view.getUint32(0) & 1) === 0;
  const head = checksum(view, [0, 0], 0, HEADER_BYTES - 8, littleEndian);
  if ((view.getUint32(0) & ~1) >>> 0 !== MAGIC || !isAt(view, HEADER_BYTES - 8, head)) {
    return isHeaderOfCommits(view) ? 'damaged' : 'torn';
  }
  const log: Log = {
    view,
    frameBytes: FRAME_HEADER_BYTES + view.getUint32(8),
    salt: pairAt(view, 16),
    littleEndian,
  };
  return frames(log, head);
}

function frames(log: Log, head: Sums): LogTail {
  const { view, frameBytes } = log;
  let sums = head;
  let committed = true;
  for (let at = HEADER_BYTES; at < view.byteLength; at += frameBytes) {
    if (at + frameBytes > view.byteLength) return isOfRound(log, at) || !committed ? 'torn' : 'whole';
    const next = sumsAfter(log, sums, at);
    if (!isOfRound(log, at) || !isAt(view, at + 16, next)) {
      const stored: Sums = [view.getUint32(at + 16), view.getUint32(at + 20)];
      const behind = Math.max(...[next, stored].map((begin) => commitsFrom(log, at + frameBytes, begin)));
      if (behind + (isCommit(log, at) ? 1 : 0) > 1) return 'damaged';
      return isOfRound(log, at) || !committed ? 'torn' : 'whole';
    }
    sums = next;
    committed = isCommit(log, at);
  }
  return committed ? 'whole' : 'torn';
}

/** Whether frames behind a header that does not fit were committed: the header is the first thing that is written. */
function isHeaderOfCommits(view: DataView): boolean {
  const [computedBig, computedLittle] = [false, true].map((little) => checksum(view, [0, 0], 0, 24, little));
  const stored: Sums = [view.getUint32(24), view.getUint32(28)];
  const salt = pairAt(view, HEADER_BYTES + 8);
  const frameBytes = FRAME_HEADER_BYTES + PAGE_BYTES;
  return [computedBig, computedLittle, stored].some((begin) =>
    [false, true].some(
      (littleEndian) =>
        begin !== undefined && commitsFrom({ view, frameBytes, salt, littleEndian }, HEADER_BYTES, begin) > 0,
    ),
  );
}

/**
 * Commits from a place in the log on, as far as the frames fit to each other. One may be that of a write that was cut
 * off; with a second one, a write had been finished when it was made.
 */
function commitsFrom(log: Log, from: number, begin: Sums): number {
  const { view, frameBytes } = log;
  let commits = 0;
  let sums = begin;
  for (let at = from; at + frameBytes <= view.byteLength; at += frameBytes) {
    sums = sumsAfter(log, sums, at);
    if (!isOfRound(log, at) || !isAt(view, at + 16, sums)) break;
    if (isCommit(log, at)) commits += 1;
  }
  return commits;
}

const isOfRound = ({ view, salt }: Log, at: number): boolean =>
  at + 16 > view.byteLength || pairAt(view, at + 8) === salt;
/** The last frame of a transaction says how many pages the file has then. */
const isCommit = ({ view }: Log, at: number): boolean => view.getUint32(at + 4) !== 0;
const isAt = (view: DataView, at: number, [first, second]: Sums): boolean =>
  view.getUint32(at) === first && view.getUint32(at + 4) === second;
const pairAt = (view: DataView, at: number): string => `${view.getUint32(at)} ${view.getUint32(at + 4)}`;

/** The running sum behind a frame: over the first eight bytes of its header, and its page. */
function sumsAfter({ view, frameBytes, littleEndian }: Log, sums: Sums, at: number): Sums {
  const head = checksum(view, sums, at, 8, littleEndian);
  return checksum(view, head, at + FRAME_HEADER_BYTES, frameBytes - FRAME_HEADER_BYTES, littleEndian);
}

/** The sum of the format: 32-bit numbers, two at a time. */
function checksum(view: DataView, [a, b]: Sums, from: number, bytes: number, littleEndian: boolean): Sums {
  let [first, second] = [a, b];
  for (let at = from; at < from + bytes; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}
