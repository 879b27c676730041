/** Performs "Add a tool in ten minutes" of CONTRIBUTING.md, step by step, in a copy of the tree. */
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Block {
  readonly language: string;
  /** What stands behind the language: `file=…` or `run`. */
  readonly info: string;
  readonly text: string;
}

const guide = readFileSync('CONTRIBUTING.md', 'utf8');
const section = guide.slice(guide.indexOf('## Add a tool'), guide.indexOf('## House rules'));
const blocks: Block[] = [...section.matchAll(/^```(\w+) ([^\n]+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', info = '', text = '']) => ({ language, info, text }),
);

const copy = mkdtempSync(join(tmpdir(), 'countersign-contributing-'));
const COPIED = [
  'src',
  'tools',
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
const inCopy = (command: string, args: readonly string[]): string =>
  execFileSync(command, [...args], { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Applies a diff block: each run of old lines must be there exactly once. */
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

function perform({ language, info, text }: Block): void {
  const file = /^file=(\S+)$/.exec(info)?.[1];
  if (file === undefined) {
    expect(info).toBe('run');
    for (const line of text.trim().split('\n')) {
      const [command = '', ...args] = line.split(' ');
      inCopy(command, args);
    }
  } else if (language === 'diff') {
    applyDiff(join(copy, file), text);
  } else {
    const path = join(copy, file);
    expect(existsSync(path), `${file} is new`).toBe(false);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

describe('the ten minutes of CONTRIBUTING.md', () => {
  beforeAll(() => {
    for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('can be performed as written, tests included', () => {
    expect(blocks.map(({ info }) => info)).toContain('run');
    for (const block of blocks) perform(block);
    expect(readFileSync(join(copy, 'docs/tools.md'), 'utf8')).toContain('### `get_wallet_share`');
    expect(readFileSync(join(copy, 'test/tools/golden/get_wallet_share.json'), 'utf8')).toContain(
      '"readOnlyHint": true',
    );
  }, 180_000);

  it('leaves files that are formatted, linted and without drift', () => {
    const written = blocks.flatMap(({ info }) => /^file=(\S+)$/.exec(info)?.[1] ?? []);
    inCopy('npx', ['biome', 'check', '--vcs-enabled=false', ...new Set(written)]);
    inCopy('npm', ['run', '--silent', 'gen', '--', '--check']);
  });

  it('gives a tool that clients see when they ask for it, and that works', () => {
    writeFileSync(
      join(copy, 'try.ts'),
      [
        "import { createCountersign } from './src/index.ts';",
        "const countersign = createCountersign({ toolsets: ['launch', 'extra'] });",
        "const feed = await countersign.callTool('get_launch_feed');",
        'const launches = Object.values(feed.structuredContent).find(Array.isArray) ?? [];',
        'const tokenMint = launches[0].tokenMint;',
        "const creators = (await countersign.callTool('get_launch_creators', { tokenMint })).structuredContent.creators;",
        'const wallet = creators[0].wallet;',
        "const { structuredContent } = await countersign.callTool('get_wallet_share', { tokenMint, wallet });",
        'const offered = (toolsets) => createCountersign(toolsets).listTools().map(({ name }) => name);',
        'await countersign.close();',
        'const told = { ...structuredContent, royaltyBps: creators[0].royaltyBps, byDefault: offered({}).length };',
        'process.stdout.write(JSON.stringify(told));',
      ].join('\n'),
    );
    const told: Record<string, unknown> = JSON.parse(inCopy(process.execPath, ['scripts/run.mjs', 'try.ts']));
    expect(told).toMatchObject({ mode: 'sandbox', shareBps: told.royaltyBps, byDefault: 34 });
  });
});
