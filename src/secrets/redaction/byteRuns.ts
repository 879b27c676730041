// Finds runs of small integers in a text, the forms in which key bytes are printed as numbers: `[12, 34, …]`,
// `{"0":12,"1":34}`, a typed array in a console, or one number per line.

import type { Span, ValueMatcher } from './valueMatcher.ts';

const SHORTEST_RUN = 6;
const LONGEST_GAP = 40;

interface NumberRun {
  /** The numbers as characters, for the value matcher; numbers over 255 match nothing. */
  values: string;
  spans: Span[];
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isLetter = (code: number) => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/** Yields runs of at least six integers of one to three digits, separated only by punctuation and space. */
function* numberRuns(text: string): Generator<NumberRun> {
  let run: NumberRun = { values: '', spans: [] };
  let at = 0;
  let lastEnd = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) {
      if ((isLetter(code) || at - lastEnd > LONGEST_GAP) && run.spans.length > 0) {
        if (run.spans.length >= SHORTEST_RUN) yield run;
        run = { values: '', spans: [] };
      }
      at++;
      continue;
    }
    const start = at;
    let value = 0;
    while (at < text.length && isDigit(text.charCodeAt(at))) {
      value = Math.min(value * 10 + text.charCodeAt(at) - 0x30, 0xffff);
      at++;
    }
    if (at - start > 3) {
      if (run.spans.length >= SHORTEST_RUN) yield run;
      run = { values: '', spans: [] };
    } else {
      run.values += String.fromCharCode(value);
      run.spans.push([start, at]);
    }
    lastEnd = at;
  }
  if (run.spans.length >= SHORTEST_RUN) yield run;
}

/** Returns every second number from `offset`: `{"0":12,"1":34}` has an index before each byte. */
function everySecond(run: NumberRun, offset: number): NumberRun {
  const keep = (_: unknown, index: number) => index % 2 === offset;
  return { values: [...run.values].filter(keep).join(''), spans: run.spans.filter(keep) };
}

/** Returns the positions of registered byte values in `text` that are written as numbers. */
export function findByteRuns(text: string, matcher: ValueMatcher): Span[] {
  const found: Span[] = [];
  if (matcher.empty) return found;
  for (const run of numberRuns(text)) {
    for (const candidate of [run, everySecond(run, 0), everySecond(run, 1)]) {
      for (const [first, end] of matcher.find(candidate.values)) {
        const start = candidate.spans[first]?.[0];
        const stop = candidate.spans[end - 1]?.[1];
        if (start !== undefined && stop !== undefined) found.push([start, stop]);
      }
    }
  }
  return found;
}
