/**
 * Compiles the programs of the sandbox (`sandbox/programs/c/*.c`) with clang 14 and links them. Compiling is for
 * those who change a program; all others run the bytes that were committed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import * as addresses from '../../sandbox/programs/addresses.ts';
import { SOURCES } from '../../sandbox/programs/standIns.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_INSTRUCTIONS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { linkObject } from './link.ts';

export const COMPILER = 'clang-14';
const FLAGS = [
  '-target',
  'bpf',
  '-mcpu=v2',
  '-Oz',
  '-fno-builtin',
  '-fno-jump-tables',
  '-Wall',
  '-Werror',
  '-Wno-unused-function',
];

/** Whether the compiler is installed. */
export const hasCompiler = (): boolean => spawnSync(COMPILER, ['--version']).status === 0;

/** The linked bytes of one program. Throws with the compiler's words when the source is wrong. */
export function compileProgram(root: string, source: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-program-'));
  try {
    const object = join(folder, 'program.o');
    const file = join(root, 'sandbox/programs/c', `${source}.c`);
    execFileSync(COMPILER, [...FLAGS, '-c', file, '-o', object], { stdio: ['ignore', 'ignore', 'inherit'] });
    return linkObject(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The addresses programs compare with, as bytes. */
export function addressHeader(): string {
  const named: Record<string, Address> = {
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    WSOL_MINT,
    SYSVAR_INSTRUCTIONS,
    METADATA_PROGRAM: addresses.METADATA_PROGRAM,
    DBC_PROGRAM: addresses.DBC_PROGRAM,
    DAMM_V2_PROGRAM: addresses.DAMM_V2_PROGRAM,
    EARNINGS_PROGRAM: addresses.EARNINGS_PROGRAM,
  };
  const lines = Object.entries(named).map(([name, address]) => {
    const bytes = [...addressBytes(address)].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`);
    return `/* ${address} */\nstatic const u8 ${name}[32] = {${bytes.join(', ')}};\n`;
  });
  return `/* Written by \`npm run programs\`. */\n${lines.join('')}`;
}

/** All programs as they are committed: one behind the other, compressed together, and the size of each by its source. */
export function compileAll(root: string): string {
  const programs = SOURCES.map((source) => [source, compileProgram(root, source)] as const);
  for (const [source, { length }] of programs) console.log(`${source}: ${length} bytes`);
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const code = brotliCompressSync(Buffer.concat(programs.map(([, bytes]) => bytes)), options);
  const sizes = Object.fromEntries(programs.map(([source, { length }]) => [source, length]));
  return `${JSON.stringify({ sizes, code: code.toString('base64') }, undefined, 1)}\n`;
}
