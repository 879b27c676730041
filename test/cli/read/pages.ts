/** Pages of `countersign read` for tests: whole, and their short part as one line of text. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readCommand } from '../../../src/cli/read/read.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { budgetFor, compileDraft } from '../../../src/sandbox/service/build/compile.ts';
import { encodeWire } from '../../../src/transaction/wire.ts';
import { run } from '../terminal.ts';

type Options = Record<string, string | boolean>;

/** A home that `remove` takes away again. */
export function temporaryHome() {
  const home = mkdtempSync(join(tmpdir(), 'countersign-read-'));
  return { home, remove: () => rmSync(home, { recursive: true }) };
}

export interface Page {
  /** As printed at 100 columns. */
  readonly text: string;
  /** Without line breaks. */
  readonly flat: string;
  /** Of it, what leaves, what arrives, who gains rights, and which addresses to compare. */
  readonly short: string;
}

const flatten = (text: string) => text.replace(/\s+/g, ' ');

/** What `countersign read` prints. Every line of it fits 60 and 100 columns. */
export async function pageOf(home: string, word: string, options: Options = {}): Promise<Page> {
  const [narrow, wide] = await Promise.all([60, 100].map((columns) => print(home, word, options, columns)));
  expectToFit(narrow ?? '', 60);
  expectToFit(wide ?? '', 100);
  const flat = flatten(wide ?? '');
  const short = shortOf(flat);
  expectWhole(short, shortOf(flatten(narrow ?? '')));
  return { text: wide ?? '', flat, short };
}

const shortOf = (flat: string): string => /In short.*?(?= What each instruction does)/.exec(flat)?.[0] ?? '';

async function print(home: string, word: string, options: Options, columns: number): Promise<string> {
  const { error, out } = await run(readCommand, { home, words: [word], options, columns });
  if (error !== undefined) throw error;
  return out;
}

/** Longest word that has room on a line of 60 columns, wherever it stands. */
const LONGEST = 50;

/** Every word and address of the short part is whole at the narrow width; only longer text from outside breaks. */
function expectWhole(wide: string, narrow: string): void {
  const there = new Set(narrow.split(' '));
  const broken = wide.split(' ').filter((word) => word.length <= LONGEST && !there.has(word));
  expect(broken, 'words broken at 60 columns').toEqual([]);
}

function expectToFit(text: string, columns: number): void {
  const long = text.split('\n').filter((line) => line.length > columns);
  expect(long, `lines longer than ${columns} columns`).toEqual([]);
}

/** What `countersign read --json` prints of one transaction. */
export async function jsonOf(home: string, word: string, options: Options = {}) {
  const [page] = JSON.parse(await print(home, word, { ...options, json: true }, 100));
  return page;
}

/** Instructions as the text of a transaction that `payer` pays and no one has signed. */
export const transactionOf = (payer: string, ...instructions: readonly EncodedInstruction[]): string =>
  encodeWire(
    compileDraft(
      { format: 'v0', feePayer: payer, instructions, budget: budgetFor(instructions.length), signers: [] },
      { blockhash: 'G1pohqHbwyDgTBEWtGr2yrQtpRnyEzZEDHgWzMYQ97fy', lastValidBlockHeight: 1 },
    ).bytes,
    'base64',
  );
