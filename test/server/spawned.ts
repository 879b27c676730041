/** The built command as a process with a line-based client. Requires `npm run build`. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

export const COMMAND = resolve(import.meta.dirname, '../../dist/countersign.js');

export type Fields = Record<string, unknown>;

export const object = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** Returns an environment without machine settings, with a separate home. */
export function environment(more: Record<string, string> = {}): Record<string, string> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-server-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('COUNTERSIGN_'),
  );
  return { ...Object.fromEntries(kept), COUNTERSIGN_HOME: home, ...more };
}

export interface Spawned {
  readonly child: ChildProcessWithoutNullStreams;
  /** Parsed lines of stdout that no request waited for; a line that is not JSON ends the test. */
  readonly others: Fields[];
  stderr(): string;
  write(line: string): void;
  request(method: string, params?: Fields): Promise<Fields>;
  initialize(protocolVersion?: string): Promise<Fields>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

/** Starts `countersign serve` with more options, in the sandbox unless they contain `--live`. */
export function spawnServer(args: readonly string[] = [], env: Record<string, string> = {}): Spawned {
  const mode = args.includes('--live') ? [] : ['--sandbox'];
  const child = spawn(process.execPath, [COMMAND, 'serve', ...mode, ...args], { env: environment(env) });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let buffer = '';
  let stderr = '';
  let next = 1;
  const waiting = new Map<unknown, (message: Fields) => void>();
  const others: Fields[] = [];
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk) => {
    buffer += chunk;
    for (let end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n')) {
      const message = object(JSON.parse(buffer.slice(0, end)));
      buffer = buffer.slice(end + 1);
      const answer = waiting.get(message.id);
      if (answer === undefined || 'method' in message) others.push(message);
      else answer(message);
    }
  });
  const write = (line: string) => child.stdin.write(`${line}\n`);
  const request = (method: string, params: Fields = {}): Promise<Fields> => {
    const id = next++;
    const answer = new Promise<Fields>((done) => waiting.set(id, done));
    write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answer;
  };
  return {
    child,
    others,
    stderr: () => stderr,
    write,
    request,
    initialize: async (protocolVersion = '2025-11-25') => {
      const answer = await request('initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      });
      write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      return object(answer.result);
    },
    ended: new Promise((done) => child.on('exit', (code, signal) => done(code ?? String(signal)))),
  };
}
