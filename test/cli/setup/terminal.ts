/** Recording terminal and the input of a command, in a separate home folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommandInput, OptionValues } from '../../../src/cli/command.ts';
import type { Environment } from '../../../src/secrets/home.ts';

export interface Recorded {
  readonly input: CommandInput;
  /** The user's home folder. */
  readonly userHome: string;
  /** Standard output so far, and standard error so far. */
  out(): string;
  err(): string;
}

export function recorded(words: string[], options: OptionValues = {}, env: Environment = {}): Recorded {
  const userHome = env.HOME ?? temporaryFolder();
  const out: string[] = [];
  const err: string[] = [];
  return {
    userHome,
    out: () => out.join('\n'),
    err: () => err.join('\n'),
    input: {
      words,
      options,
      home: join(userHome, 'countersign'),
      env: { HOME: userHome, ...env },
      script: '/usr/lib/node_modules/countersign/dist/countersign.js',
      terminal: {
        print: (line) => void out.push(line),
        tell: (line) => void err.push(line),
        interactive: false,
        ask: () => Promise.reject(new Error('no person is there')),
      },
    },
  };
}

/** An empty folder, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
