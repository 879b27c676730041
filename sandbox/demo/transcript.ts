/** Output of the demo: one block per step with its facts, or with `--json` one JSON object per step. */
import { fitted, wrap } from '../../src/base/wrap.ts';

export interface Step {
  step: string;
  ok: boolean;
  [fact: string]: unknown;
}

export interface Transcript {
  /** Announces a step that is about to run. */
  start(title: string): void;
  /** Ends a step: `lines` as text, `step` as JSON. */
  end(step: Step, lines: string[]): void;
  finish(steps: Step[], seconds: number): void;
}

const paint = (code: number, colour: boolean) => (line: string) =>
  colour ? `\u001b[${code}m${line}\u001b[0m` : line;

/** Transcript for people. Colours only on a terminal that supports them. */
export function personTranscript(out: NodeJS.WriteStream, now: () => number): Transcript {
  const colour = out.isTTY === true && process.env.NO_COLOR === undefined;
  const [bold, dim, green, red] = [paint(1, colour), paint(2, colour), paint(32, colour), paint(31, colour)];
  let startedAt = now();
  let count = 0;
  const print = (lines: readonly string[], look = (line: string) => line) => {
    for (const line of lines) out.write(`${look(line)}\n`);
  };
  return {
    start(title) {
      startedAt = now();
      count += 1;
      out.write('\n');
      const number = `${String(count).padStart(2)}. `;
      print(wrap(title, out.columns || Number.POSITIVE_INFINITY, number), bold);
    },
    end(step, lines) {
      for (const line of lines) print(fact(line, out.columns));
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      out.write(`    ${step.ok ? green('held') : red('DID NOT HOLD')} ${dim(`(${seconds} s)`)}\n`);
    },
    finish(steps, seconds) {
      const held = steps.filter((s) => s.ok).length;
      const line = `${held} of ${steps.length} steps held, ${seconds.toFixed(1)} s`;
      out.write(`\n${held === steps.length ? green(line) : red(line)}\n`);
    },
  };
}

/** Formats a fact with its label in a column: `landed      1 v0 transaction`. Continuation lines align with the text. */
function fact(line: string, columns: number | undefined): string[] {
  const [label = ''] = /^\S+(?: \S+)* {2,}/.exec(line) ?? [];
  if (label === '' || columns === undefined || columns <= 0) return fitted(`    ${line}`, columns);
  return wrap(line.slice(label.length), columns, `    ${label}`);
}

/** One JSON object a line. */
export function jsonTranscript(out: NodeJS.WriteStream): Transcript {
  return {
    start: () => {},
    end: (step) => out.write(`${JSON.stringify(step)}\n`),
    finish: () => {},
  };
}
