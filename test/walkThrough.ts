/** Performs a walk-through of CONTRIBUTING.md, step by step, in a copy of the tree. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';

interface Block {
  readonly language: string;
  /** Text after the language: `file=…` or `run`. */
  readonly info: string;
  readonly text: string;
}

const COPIED = [
  'src',
  'tools',
  'sandbox',
  'scripts',
  'docs',
  'test',
  'package.json',
  'manifest.json',
  'server.json',
  'tsconfig.json',
  'vitest.config.ts',
  'biome.json',
  '.gitignore',
];

/** Section of the guide, and a copy of the tree to perform it in. */
export class WalkThrough {
  readonly blocks: readonly Block[];
  readonly copy: string;

  /** `heading`: start of the section's title. */
  constructor(heading: string) {
    const guide = readFileSync('CONTRIBUTING.md', 'utf8');
    const from = guide.indexOf(`## ${heading}`);
    const to = guide.indexOf('\n## ', from + 1);
    const section = guide.slice(from, to === -1 ? undefined : to);
    this.blocks = [...section.matchAll(/^```(\w+) ([^\n]+)\n([\s\S]*?)^```$/gm)].map(
      ([, language = '', info = '', text = '']) => ({ language, info, text }),
    );
    this.copy = mkdtempSync(join(tmpdir(), 'countersign-contributing-'));
  }

  /** Makes the copy. */
  open(): void {
    for (const name of COPIED) cpSync(name, join(this.copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(this.copy, 'node_modules'));
  }

  close(): void {
    rmSync(this.copy, { recursive: true, force: true });
  }

  run(command: string, args: readonly string[]): string {
    return execFileSync(command, [...args], {
      cwd: this.copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  read(file: string): string {
    return readFileSync(join(this.copy, file), 'utf8');
  }

  /** Performs every step as written. */
  perform(): void {
    expect(this.blocks.map(({ info }) => info)).toContain('run');
    for (const block of this.blocks) this.step(block);
  }

  /** Formats and lints the written files. */
  checkWritten(): void {
    const written = this.blocks.flatMap(({ info }) => /^file=(\S+)$/.exec(info)?.[1] ?? []);
    this.run('npx', ['biome', 'check', '--vcs-enabled=false', ...new Set(written)]);
  }

  private step({ language, info, text }: Block): void {
    const file = /^file=(\S+)$/.exec(info)?.[1];
    if (file === undefined) {
      expect(info).toBe('run');
      for (const line of text.trim().split('\n')) {
        const [command = '', ...args] = line.split(' ');
        this.run(command, args);
      }
    } else if (language === 'diff') {
      applyDiff(join(this.copy, file), text);
    } else {
      const path = join(this.copy, file);
      expect(existsSync(path), `${file} is new`).toBe(false);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
}

/** Applies a diff block; each run of old lines must occur exactly once. */
function applyDiff(path: string, diff: string): void {
  const lines = diff.split('\n').filter((line) => line !== '');
  const side = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const text = readFileSync(path, 'utf8');
  expect(text.split(side('-')).length, `${path} holds the lines of the diff once`).toBe(2);
  writeFileSync(
    path,
    text.replace(side('-'), () => side('+')),
  );
}
