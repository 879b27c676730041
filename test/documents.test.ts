/** The README and every page: each block of code is checked, each link and anchor leads somewhere, each page is reached. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { errorRows, reasonRows } from '../scripts/errorCodes.ts';
import { OPTIONS, readCommandLine, variableOf } from '../src/cli/options.ts';
import { systemClock } from '../src/clock.ts';
import { SCHEMA_VERSION, UPGRADABLE } from '../src/ledger/sqlite/schema.ts';
import { openLedger } from '../src/ledger/sqlite/sqlite.ts';
import { run } from './e2e/harness.ts';
import { samplePlan } from './ledger/samples.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const textOf = (page: string): string => readFileSync(page, 'utf8');
const own: { scripts: Record<string, string> } = JSON.parse(textOf('package.json'));
const subcommands = [
  ...[...textOf('src/cli/main.ts').matchAll(/^ {2}(\w+): \{\n {4}what:/gm)].map(([, name = '']) => name),
  'serve',
  'help',
];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly info: string;
  readonly text: string;
}
const blocks: Block[] = pages.flatMap((page) =>
  [...textOf(page).matchAll(/^```(\w*) ?([^\n]*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', info = '', text = '']) => ({ page, language, info, text }),
  ),
);

/** A folder that is not there yet, for each command its own. */
const emptyHome = (): string => join(mkdtempSync(join(tmpdir(), 'documents-')), 'home');

/** A home whose ledger holds nothing: what is named to a command is not in it. */
async function homeWithLedger(): Promise<string> {
  const home = emptyHome();
  const ledger = openLedger({ home, clock: systemClock });
  await ledger.storePlan(samplePlan({ planId: 'plan-other' }));
  await ledger.close();
  return home;
}

/** The words of a shell command, without quotes and redirections. */
const wordsOf = (command: string): string[] =>
  [...command.replace(/\s[<>]\s*\S+/g, '').matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );

/** Each command of a block of shell: comments gone, lines joined, `&&` and `|` apart. */
const commandsOf = (text: string): string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/\s&&\s|\s\|\s/))
    .map((command) => command.trim())
    .filter((command) => command !== '');

/** Variables of secrets and of the mode, which no option sets. */
const VARIABLES = [
  ...Object.keys(OPTIONS).map(variableOf),
  ...['API_KEY', 'JWT', 'PASSPHRASE', 'WALLET_FILE', 'OWNER_PUBLIC_KEY', 'MODE', 'NO_BROWSER'].map(
    (name) => `COUNTERSIGN_${name}`,
  ),
  // PostgreSQL's own, which its client reads.
  'PGPASSWORD',
];

/** Our own command line: the subcommand exists, and every option does. Throws otherwise. */
function checkOurs(words: readonly string[]): void {
  const { command } = readCommandLine(words, {});
  if (!subcommands.includes(command)) throw new Error(`there is no subcommand ${command}`);
}

/** Checks one command of a page; throws where something in it does not exist. */
function check(command: string): void {
  const [program = '', ...words] = wordsOf(command);
  const exists = (path: string): void => {
    if (!existsSync(path)) throw new Error(`there is no ${path}`);
  };
  const after = (word: string): string[] => words.slice(words.findIndex((each) => each.endsWith(word)) + 1);
  const programs: Record<string, () => void> = {
    countersign: () => checkOurs(words),
    npm: () => {
      const [what = '', script = ''] = words;
      if (what === 'run' && own.scripts[script] === undefined)
        throw new Error(`there is no script ${script}`);
      if (!['run', 'ci', 'test', 'install', 'publish'].includes(what))
        throw new Error(`npm ${what} is not checked`);
    },
    npx: () => {
      if (words[0] !== 'vitest' || words[1] !== 'run') throw new Error(`npx ${words[0]} is not checked`);
      // A test that the guide itself has its reader write.
      if (!blocks.some(({ info }) => info === `file=${words[2]}`)) exists(words[2] ?? '');
    },
    export: () => {
      for (const [, name = ''] of command.matchAll(/(?<=\s)([A-Z_]+)=/g))
        if (!VARIABLES.includes(name)) throw new Error(`there is no variable ${name}`);
    },
    alias: () => expect(command).toContain('dist/countersign.js'),
    claude: () => {
      expect(words.slice(0, 5)).toEqual(['mcp', 'add', 'countersign', '--', 'node']);
      checkOurs(after('dist/countersign.js'));
    },
    docker: () => {
      const [what] = words;
      if (what === 'build') return exists('Dockerfile');
      if (what === 'compose') return expect(textOf('compose.yaml')).toContain(`\n  ${words.at(-1)}:\n`);
      if (what !== 'run') throw new Error(`docker ${what} is not checked`);
      checkOurs(words.slice(words.lastIndexOf('countersign') + 1));
    },
    // One name for another in a file; test/e2e/newKey.test.ts runs it.
    sed: () => expect(words[0]).toMatch(/^s\/\w+\/\w+\/g$/),
    ssh: () => expect(words.at(-1)).toBe('other-machine'),
    curl: () => void JSON.parse(words[words.indexOf('-d') + 1] ?? ''),
  };
  const checks = programs[program];
  if (checks === undefined) throw new Error(`${program} is not checked`);
  checks();
}

describe('the code on the pages', () => {
  it('is in a language that is checked, here or by the test that performs it', () => {
    const unknown = blocks.filter(
      ({ language, info }) =>
        !['sh', 'json', 'text', 'mermaid', 'ts'].includes(language) && !info.startsWith('file='),
    );
    expect(unknown.map(({ page, language, text }) => `${page}: ${language} ${text.slice(0, 40)}`)).toEqual(
      [],
    );
  });

  it('calls only commands, subcommands, options, variables and scripts there are', () => {
    const wrong = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ page, text }) =>
        commandsOf(text).flatMap((command) => {
          try {
            check(command);
            return [];
          } catch (error) {
            return [`${page}: ${command}: ${error instanceof Error ? error.message : String(error)}`];
          }
        }),
      );
    expect(wrong).toEqual([]);
    for (const bad of [
      'countersign conjure',
      'countersign serve --lives',
      'npm run nothing',
      'export NO=1',
      'rm -r .',
    ])
      expect(() => check(bad), bad).toThrow();
  });

  it('is JSON where it says so, and TypeScript where it says so', () => {
    for (const { page, language, info, text } of blocks) {
      if (language === 'json') expect(() => JSON.parse(text), page).not.toThrow();
      if (language === 'ts' && info === '')
        expect(() => transformSync(text, { loader: 'ts' }), page).not.toThrow();
    }
  });

  it('names only subcommands there are, in the middle of sentences too', () => {
    for (const page of pages) {
      const named = [...textOf(page).matchAll(/`countersign ([a-z]+)/g)].map(([, name = '']) => name);
      expect(
        named.filter((name) => !subcommands.includes(name)),
        page,
      ).toEqual([]);
    }
  });
});

describe('the files that release and contain it', () => {
  const steps = ['.github/workflows/release.yml', '.github/workflows/check.yml', 'Dockerfile'].map(
    (file) => ({ file, text: textOf(file) }),
  );

  it('run only scripts and copy only files there are', () => {
    const missing = steps.flatMap(({ file, text }) =>
      [
        ...[...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].filter(
          ([, name = '']) => own.scripts[name] === undefined,
        ),
        ...[...text.matchAll(/(?<=\s|build\/)(\.ci\/run|package-lock\.json|package\.json|LICENSE)/g)].filter(
          ([name]) => !existsSync(name),
        ),
      ].map(([name]) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
    expect(steps.every(({ text }) => /npm run|\.ci\/run/.test(text))).toBe(true);
  });

  it('start the command as it understands it', () => {
    const commands = [...textOf('compose.yaml').matchAll(/^ +command: \[(.*)\]$/gm)].map(([, list = '']) =>
      list.split(', ').map((word) => word.replaceAll("'", '')),
    );
    expect(commands.length).toBe(2);
    for (const words of commands) expect(() => checkOurs(words)).not.toThrow();
    const [, first = ''] = /^CMD (.*)$/m.exec(textOf('Dockerfile')) ?? [];
    expect(() => checkOurs(JSON.parse(first))).not.toThrow();
  });

  it('give the release no more rights than its steps need, and keep no secret', () => {
    const release = textOf('.github/workflows/release.yml');
    expect(release).toMatch(/^permissions: \{\}$/m);
    expect(release).not.toMatch(/secrets\./);
    expect(release).toMatch(/npm publish .*--provenance/);
  });
});

/** The anchor a heading gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('the links', () => {
  const links = (page: string): { file: string; anchor: string }[] =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^[a-z]+:/.test(to))
      .map((to) => {
        const [path = '', anchor = ''] = to.split('#');
        return { file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
      });

  it.each(pages)('%s links to files and headings that are there', (page) => {
    const broken = links(page).filter(({ file, anchor }) => {
      if (!existsSync(file)) return true;
      if (anchor === '') return false;
      const headings = [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
      return !headings.includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('lead from the README to every page', () => {
    const reached = new Set<string>(['README.md']);
    for (const page of reached) {
      // Pages that the package leaves out are named and not linked.
      const named = [...textOf(page).matchAll(/`(docs\/[\w-]+\.md)`/g)].map(([, file = '']) => file);
      for (const file of [...links(page).map((link) => link.file), ...named])
        if (pages.includes(file)) reached.add(file);
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('the README stays a page of two screens', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(110);
  });
});

it('the page on upgrades names the schema this version writes, and those it brings up to date', () => {
  const [row = ''] = /^\| ledger .*$/m.exec(textOf('docs/upgrade.md')) ?? [];
  expect(row).toContain(
    `| schema ${SCHEMA_VERSION} | ${UPGRADABLE.at(0)} to ${UPGRADABLE.at(-1)} are brought up to date`,
  );
});

describe('the page on troubleshooting', () => {
  const page = textOf('docs/troubleshooting.md');
  /** The first cells of its tables as patterns: `…` is any text. */
  const lines = [...page.matchAll(/^\| (.+?) \| /gm)].map(
    ([, cell = '']) =>
      new RegExp(
        cell
          .replaceAll('\\|', '|')
          .split('…')
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.+'),
      ),
  );
  const explained = (message: string): boolean => lines.some((line) => line.test(message));

  it('has a line for every code that a result can carry', () => {
    const codes = [...reasonRows(), ...errorRows().flatMap(({ rows }) => rows)].map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(80);
    expect(codes.filter((code) => !page.includes(`| \`${code}\` | `))).toEqual([]);
  });

  it.each([
    ['wallet'],
    ['wallet', 'show', '--secret-store', 'env'],
    ['policy', 'test'],
    ['policy', 'init', '--template', 'none', '--wallet', 'x', '--out', '/nonexistent/p.json'],
    ['serve', 'please'],
    ['conjure'],
    ['approve'],
    ['deny', 'approval-1'],
    ['plans', 'plan-1'],
    ['audit', 'show', 'decision-1'],
    ['read'],
    ['read', 'not a transaction'],
    ['owner'],
    ['login'],
    ['secrets', 'migrate', 'file'],
    ['ledger', 'accept'],
    ['sandbox', '--port', '70000'],
    ['sandbox', '--clock', 'none'],
    ['setup', 'no-such-client'],
    ['serve', '--sandbox', '--live'],
    ['history', '--since', 'no-such-day'],
    ['export'],
    ['balance'],
    ['backup'],
    ['restore'],
    ['restore', '/nonexistent/backup'],
    ['init', 'no-such-mode'],
  ])('explains what `countersign %s %s %s` says when it fails', async (...args) => {
    const named = args[0] === 'plans' || args[0] === 'audit';
    const { code, err } = await run(args, { COUNTERSIGN_HOME: named ? await homeWithLedger() : emptyHome() });
    expect(code).not.toBe(0);
    const [first = ''] = err.split('\n');
    expect(explained(first), first).toBe(true);
  });

  it('explains every line that doctor marks as missing in an empty home', async () => {
    const { out } = await run(['doctor', '--live', '--json', '--policy', '/nonexistent/policy.json'], {
      COUNTERSIGN_HOME: emptyHome(),
    });
    const { findings }: { findings: { what: string; ok: boolean; detail: string }[] } = JSON.parse(out);
    const missing = findings.filter(({ ok }) => !ok).map(({ what, detail }) => `${what}: ${detail}`);
    expect(missing.length).toBeGreaterThan(4);
    expect(missing.filter((line) => !explained(line))).toEqual([]);
  });
});
