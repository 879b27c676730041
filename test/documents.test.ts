/** Documents: code blocks parse, commands and variables exist, links resolve, and the README's snippets run. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { RECOMMENDED_NODE_MAJOR } from '../src/cli/doctor/node.ts';
import { MORE_SETTINGS, OPTIONS, variableOf } from '../src/cli/options.ts';
import { WRAPPED_SOL } from '../src/contract/index.ts';
import { policyTemplate } from '../src/review/templates/templates.ts';
import { importsBelow } from './architecture/imports.ts';
import { readCommandLine } from './cli/commandLine.ts';

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
const subcommands = [...Object.keys(COMMANDS), 'serve', 'help'];

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

/** Splits a shell command into words, without quotes and redirections. */
const wordsOf = (command: string): string[] =>
  [...command.replace(/\s[<>]\s*\S+/g, '').matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );

/** Splits a shell block into commands: comments removed, lines joined, `&&` and `|` separated. */
const commandsOf = (text: string): string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/\s&&\s|\s\|\s/))
    .map((command) => command.trim())
    .filter((command) => command !== '');

/** Variables without an option: secrets and the mode. */
const VARIABLES = [
  ...Object.keys({ ...OPTIONS, ...MORE_SETTINGS }).map(variableOf),
  ...['API_KEY', 'JWT', 'PASSPHRASE', 'WALLET_FILE', 'OWNER_PUBLIC_KEY', 'MODE', 'NO_BROWSER'].map(
    (name) => `COUNTERSIGN_${name}`,
  ),
  // Read by PostgreSQL's client.
  'PGPASSWORD',
];

/** Checks a command line of ours: the subcommand exists and takes every option and word. Throws otherwise. */
const checkOurs = (words: readonly string[]): void => {
  if (words[0] !== 'help') readCommandLine(words, {});
};

/** Checks one command of a page. Throws for anything that does not exist. */
function check(command: string): void {
  const [program = '', ...words] = wordsOf(command);
  const exists = (path: string): void => {
    if (!existsSync(path)) throw new Error(`there is no ${path}`);
  };
  const after = (word: string): string[] => words.slice(words.findIndex((each) => each.endsWith(word)) + 1);
  const programs: Record<string, () => void> = {
    countersign: () => checkOurs(words),
    npm: () => {
      const [label = '', script = ''] = words;
      if (label === 'run' && own.scripts[script] === undefined)
        throw new Error(`there is no script ${script}`);
      if (!['run', 'ci', 'test', 'install', 'publish'].includes(label))
        throw new Error(`npm ${label} is not checked`);
    },
    npx: () => {
      if (words[0] !== 'vitest' || words[1] !== 'run') throw new Error(`npx ${words[0]} is not checked`);
      // A test file created by the guide's reader.
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
      const [label] = words;
      if (label === 'build') return exists('Dockerfile');
      if (label === 'compose') return expect(textOf('compose.yaml')).toContain(`\n  ${words.at(-1)}:\n`);
      if (label !== 'run') throw new Error(`docker ${label} is not checked`);
      checkOurs(words.slice(words.lastIndexOf('countersign') + 1));
    },
    // Renames in a file; test/e2e/newKey.test.ts runs it.
    sed: () => expect(words[0]).toMatch(/^s\/\w+\/\w+\/g$/),
    ssh: () => expect(words.at(-1)).toBe('other-machine'),
    curl: () => void JSON.parse(words[words.indexOf('-d') + 1] ?? ''),
  };
  const checks = programs[program];
  if (checks === undefined) throw new Error(`${program} is not checked`);
  checks();
}

describe('code blocks in the documentation', () => {
  it('are in a language that is checked, here or by the test that performs them', () => {
    const unknown = blocks.filter(
      ({ language, info }) =>
        !['sh', 'json', 'text', 'mermaid', 'ts'].includes(language) && !info.startsWith('file='),
    );
    expect(unknown.map(({ page, language, text }) => `${page}: ${language} ${text.slice(0, 40)}`)).toEqual(
      [],
    );
  });

  it('use only existing commands, subcommands, options, variables and scripts', () => {
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

  it('are valid JSON or TypeScript where marked so', () => {
    for (const { page, language, info, text } of blocks) {
      if (language === 'json') expect(() => JSON.parse(text), page).not.toThrow();
      if (language === 'ts' && info === '')
        expect(() => transformSync(text, { loader: 'ts' }), page).not.toThrow();
    }
  });

  it('name only existing subcommands, in sentences too', () => {
    for (const page of pages) {
      const named = [...textOf(page).matchAll(/`countersign ([a-z]+)/g)].map(([, name = '']) => name);
      expect(
        named.filter((name) => !subcommands.includes(name)),
        page,
      ).toEqual([]);
    }
  });
});

describe('release and container files', () => {
  const steps = ['.github/workflows/release.yml', '.github/workflows/check.yml', 'Dockerfile'].map(
    (file) => ({ file, text: textOf(file) }),
  );

  it('run existing scripts and copy existing files only', () => {
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

  it('start the command with valid arguments', () => {
    const commands = [...textOf('compose.yaml').matchAll(/^ +command: \[(.*)\]$/gm)].map(([, list = '']) =>
      list.split(', ').map((word) => word.replaceAll("'", '')),
    );
    expect(commands.length).toBe(2);
    for (const words of commands) expect(() => checkOurs(words)).not.toThrow();
    const [, first = ''] = /^CMD (.*)$/m.exec(textOf('Dockerfile')) ?? [];
    expect(() => checkOurs(JSON.parse(first))).not.toThrow();
  });

  it('give the release only the permissions its steps need, and contain no secret', () => {
    const release = textOf('.github/workflows/release.yml');
    expect(release).toMatch(/^permissions: \{\}$/m);
    expect(release).not.toMatch(/secrets\./);
    expect(release).toMatch(/npm publish .*--provenance/);
  });
});

/** Returns the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('links', () => {
  const links = (page: string): { file: string; anchor: string }[] =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^[a-z]+:/.test(to))
      .map((to) => {
        const [path = '', anchor = ''] = to.split('#');
        return { file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
      });

  it.each(pages)('in %s lead to existing files and headings', (page) => {
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
    for (const page of reached)
      for (const { file } of links(page)) if (pages.includes(file)) reached.add(file);
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});

it('in documents, environment variables exist', () => {
  const unknown = pages.flatMap((page) =>
    [...textOf(page).matchAll(/COUNTERSIGN_[A-Z_]+[A-Z]/g)]
      .filter(([name]) => !VARIABLES.includes(name))
      .map(([name]) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

it.each(['README.md', 'docs/setup.md'])(
  '%s states the Node versions that doctor and package.json state',
  (page) => {
    const { engines } = JSON.parse(textOf('package.json'));
    const [, recommended, oldest] = /Node (\d+) is recommended, ([\d.]+) or newer/.exec(textOf(page)) ?? [];
    expect([Number(recommended), `>=${oldest}`]).toEqual([RECOMMENDED_NODE_MAJOR, engines.node]);
  },
);

describe('packages in the README', () => {
  const {
    dependencies,
    optionalDependencies,
    devDependencies,
  }: Record<string, Record<string, string>> = JSON.parse(textOf('package.json'));
  const rows = textOf('README.md')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , , shipped = '']) => /^(bundled|installed|not shipped)/.test(shipped))
    .map(([, names = '', , shipped = '']) => ({
      names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      shipped: shipped.replace(/,.*/, ''),
    }));

  it('are dependencies, shipped as the table states', () => {
    const installed = Object.keys({ ...dependencies, ...optionalDependencies });
    const wrong = rows.flatMap(({ names, shipped }) =>
      names.filter((name) => {
        const isInstalled = installed.some((each) => each === name || each.startsWith(`${name}-`));
        return isInstalled !== (shipped === 'installed') || (!isInstalled && !devDependencies?.[name]);
      }),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  it('are all that the command and the library import', () => {
    const named = new Set(
      rows.filter(({ shipped }) => shipped !== 'not shipped').flatMap(({ names }) => names),
    );
    const imported = importsBelow('.', ['src', 'tools', 'sandbox'])
      .filter(({ to, kind }) => kind !== 'type' && /^@?[a-z]/.test(to) && !existsSync(to))
      .map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to);
    expect(new Set(imported)).toContain('zod');
    expect([...new Set(imported)].filter((name) => !named.has(name) && !name.startsWith('node:'))).toEqual(
      [],
    );
  });
});

it('the README states the limits of the policy that init writes', () => {
  const { limits = [] } = policyTemplate('creator', { wallet: WRAPPED_SOL, network: 'mainnet-beta' });
  const max = (id: string): number => Number(limits.find((limit) => limit.id === id)?.max);
  expect(textOf('README.md').replace(/\s+/g, ' ')).toContain(
    `at most ${max('sol-tx') / 1e9} SOL leaves in one transaction and ${max('sol-day') / 1e9} SOL in 24 hours, ` +
      `with at most ${max('launches')} launches a day and ${max('pace')} plans a minute.`,
  );
});

describe('examples', () => {
  const run = (answer: string): string =>
    execFileSync(process.execPath, ['examples/own-program.mjs'], { encoding: 'utf8', input: answer });

  it('configure a client with valid arguments in the README', () => {
    const [config] = blocks.filter(({ page, language }) => page === 'README.md' && language === 'json');
    const { command, args } = JSON.parse(config?.text ?? '').mcpServers.countersign;
    expect(command).toBe('node');
    expect(() => checkOurs(args.slice(1))).not.toThrow();
  });

  it('use the library as shown in the README', () => {
    const [program] = blocks.filter(({ page, language }) => page === 'README.md' && language === 'ts');
    const shown = `${program?.text}\nprocess.stdout.write(String(structuredContent.address));`;
    const address = execFileSync(process.execPath, ['--input-type=module', '-e', shown], {
      encoding: 'utf8',
    });
    expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  });

  it('execute a plan of a custom program after an approval', () => {
    const output = run('y\n');
    expect(output).toMatch(/^plan \S+: approval_required$/m);
    expect(output).toMatch(/^plan \S+: complete$/m);
  });

  it.each(['n\n', ''])('execute no plan of a custom program after %j', (answer) => {
    expect(run(answer)).toMatch(/^plan \S+: denied_by_owner$/m);
  });
});
