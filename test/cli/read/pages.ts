/** Output of `countersign read`, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { budgetFor, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { readCommand } from '../../../src/cli/read/read.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { encodeWire } from '../../../src/transaction/wire.ts';
import { run } from '../terminal.ts';

type Options = Record<string, string | boolean>;

/** Creates a home; `remove` deletes it. */
export function temporaryHome() {
  const home = mkdtempSync(join(tmpdir(), 'countersign-read-'));
  return { home, remove: () => rmSync(home, { recursive: true }) };
}

/** A line of the statement as JSON. */
export type JsonLine = Readonly<Record<string, unknown>>;

/** Output of `countersign read --json`. */
export interface JsonPage {
  readonly wallet: string;
  readonly notes: readonly string[];
  readonly statement: { readonly lines: readonly JsonLine[] };
  readonly facts: readonly { readonly kind: string; readonly [key: string]: unknown }[];
  readonly sentences: readonly string[];
  readonly decisions: readonly {
    readonly decision: {
      readonly effect: string;
      readonly reasonCodes: readonly string[];
      readonly checks: readonly { readonly id: string; readonly ok: boolean }[];
    };
  }[];
  readonly transactions: readonly {
    readonly feePayer: string;
    readonly feeLamports: string | null;
    readonly signers: readonly { readonly address: string; readonly status: string }[];
    readonly made: Readonly<Record<string, { readonly kind: string }>>;
    readonly instructions: readonly {
      readonly status: string;
      readonly name: string;
      readonly inferred?: readonly string[];
    }[];
  }[];
}

/** Returns the output of `countersign read --json` for transactions. */
export async function jsonOf(
  home: string,
  word: string | readonly string[],
  options: Options = {},
): Promise<JsonPage> {
  return JSON.parse(await print(home, word, { ...options, json: true }, 100));
}

/** Returns the lines of one kind with the given fields. */
export const linesOf = (page: JsonPage, id: string, fields: JsonLine = {}): readonly JsonLine[] =>
  page.statement.lines.filter(
    (line) => line.id === id && Object.entries(fields).every(([key, value]) => line[key] === value),
  );

/** Returns the sum of lines of one kind, in base units. */
export const sumOf = (lines: readonly JsonLine[]): bigint =>
  lines.reduce((sum, { atMost, atLeast }) => sum + BigInt(String(atMost ?? atLeast ?? 0)), 0n);

/**
 * Returns the output of `countersign read` at 100 columns as one line. Checks that every line fits 60 and 100 columns.
 */
export async function textOf(home: string, word: string, options: Options = {}): Promise<string> {
  const [narrow = '', wide = ''] = await Promise.all(
    [60, 100].map((columns) => print(home, word, options, columns)),
  );
  for (const [text, columns] of [
    [narrow, 60],
    [wide, 100],
  ] as const) {
    const long = text.split('\n').filter((line) => line.length > columns);
    expect(long, `lines longer than ${columns} columns`).toEqual([]);
  }
  return wide.replace(/\s+/g, ' ');
}

async function print(
  home: string,
  word: string | readonly string[],
  options: Options,
  columns: number,
): Promise<string> {
  const words = typeof word === 'string' ? [word] : [...word];
  const { code, error, out } = await run(readCommand, { home, words, options, columns });
  if (error !== undefined) throw error;
  expect(code).toBe(0);
  return out;
}

/** Encodes instructions as an unsigned transaction paid by `payer`. */
export const transactionOf = (payer: string, ...instructions: readonly EncodedInstruction[]): string =>
  encodeWire(
    compileDraft(
      { format: 'v0', feePayer: payer, instructions, budget: budgetFor(instructions.length), signers: [] },
      { blockhash: 'G1pohqHbwyDgTBEWtGr2yrQtpRnyEzZEDHgWzMYQ97fy', lastValidBlockHeight: 1 },
    ).bytes,
    'base64',
  );
