/** Architecture: one-way imports, no I/O in pure layers, a separate sandbox, small folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycleIn, type Import, importsBelow, importsOf } from './architecture/imports.ts';

/**
 * Layers from top to bottom; `index` is the library entry. A file may import from its own folder and from lower layers.
 * The sandbox, its attacks and the demo are outside the layers: `BESIDE` lists their importers.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['index'],
  ['cli'],
  ['runtime'],
  ['page'],
  ['server'],
  ['tools'],
  ['presentation'],
  ['execution', 'builders', 'answering', 'rehearsal'],
  ['approval'],
  ['ledger', 'review'],
  ['policy'],
  ['guards'],
  ['statement'],
  ['plan', 'rpc', 'service'],
  ['programs'],
  ['transaction', 'contract', 'secrets'],
  ['base'],
  ['clock'],
];

/** Folders outside the layers and their permitted importers: the product imports `sandbox/index.ts` alone. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  embedded: ['runtime'],
  sandbox: ['embedded', 'attacks', 'demo'],
  attacks: ['embedded'],
  demo: ['embedded', 'attacks'],
};

/** `src/plan/intent.ts` → `plan`, `tools/evm/address.ts` → `tools`, `src/clock.ts` → `clock`, `sandbox/demo/demo.ts` → `demo`. */
function folderOf(file: string): string {
  if (file.startsWith('tools/')) return 'tools';
  if (file === 'sandbox/index.ts') return 'embedded';
  if (file.startsWith('sandbox/')) return /^sandbox\/(attacks|demo)\//.exec(file)?.[1] ?? 'sandbox';
  return /^src\/(\w+)/.exec(file)?.[1] ?? file;
}

const floorOf = (file: string): number => FLOORS.findIndex((floor) => floor.includes(folderOf(file)));
const isOurs = (name: string): boolean => /^(src|tools|sandbox)\//.test(name);
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

const all = importsBelow(process.cwd(), ['src', 'tools', 'sandbox']);
const ours = all.filter(({ to }) => isOurs(to) && to.endsWith('.ts'));
const outside = all.filter(({ to }) => !isOurs(to) && !to.endsWith('.json'));

describe('the import reader', () => {
  test('distinguishes static, type-only and dynamic imports', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '../b/b.ts';",
      "import { type C, type D } from './c.ts';",
      "import { type E, f } from './e.ts';",
      'export {',
      '  g,',
      "} from './g.ts';",
      "export * from './h.ts';",
      "const i = await import('./i.ts');",
      "import fs from 'node:fs';",
    ].join('\n');
    expect(importsOf('src/x/x.ts', text).map(({ to, kind }) => `${kind} ${to}`)).toEqual([
      'static src/x/a.ts',
      'type src/b/b.ts',
      'type src/x/c.ts',
      'static src/x/e.ts',
      'static src/x/g.ts',
      'static src/x/h.ts',
      'static node:fs',
      'dynamic src/x/i.ts',
    ]);
  });

  test('finds cycles, type-only ones included, but not through dynamic imports', () => {
    const edge = (from: string, to: string, kind: Import['kind'] = 'static'): Import => ({ from, to, kind });
    expect(cycleIn([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual(['a', 'b', 'c', 'a']);
    expect(cycleIn([edge('a', 'b'), edge('b', 'a', 'type')])).toEqual(['a', 'b', 'a']);
    expect(
      cycleIn([edge('a', 'b'), edge('b', 'a', 'dynamic'), edge('a', 'c'), edge('b', 'c')]),
    ).toBeUndefined();
  });

  test('covers every source file', () => {
    expect(ours.length).toBeGreaterThan(300);
    expect(new Set(ours.map(({ from }) => folderOf(from)))).toEqual(
      new Set([...FLOORS.flat().filter((name) => name !== 'clock'), ...Object.keys(BESIDE)]),
    );
  });
});

describe('source folders', () => {
  test('have at most 14 files each', () => {
    const inFolder = new Map<string, number>();
    for (const file of new Set(all.map(({ from }) => from)))
      inFolder.set(dirname(file), (inFolder.get(dirname(file)) ?? 0) + 1);
    expect([...inFolder].filter(([folder, files]) => /^(src|sandbox)/.test(folder) && files > 14)).toEqual(
      [],
    );
  });

  test('match the architecture page', () => {
    const named = [
      ...readFileSync('docs/architecture.md', 'utf8').matchAll(/`((?:src|tools|sandbox|test)\/[\w./]*)`/g),
    ];
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
  });
});

/** Unique definitions and their files. A second definition under any of these names is a mistake. */
const ONE_OF_EACH: Readonly<Record<string, string>> = {
  canonicalJson: 'src/base/canonicalJson.ts',
  jsonDigest: 'src/base/canonicalJson.ts',
  verifySignature: 'src/base/ed25519.ts',
  isRecord: 'src/base/record.ts',
  asRecord: 'src/base/record.ts',
  remember: 'src/base/remember.ts',
  decimal: 'src/base/format.ts',
  several: 'src/base/format.ts',
  listWords: 'src/base/format.ts',
  shortAddress: 'src/base/format.ts',
  operationWords: 'src/plan/operationNames.ts',
  stageWords: 'src/plan/operationNames.ts',
  amountWords: 'src/presentation/statement/amounts.ts',
  StoredQuote: 'src/policy/decide/types.ts',
};

test('no function of the execution layer is longer than 80 lines, nested functions included', () => {
  const files = readdirSync('src/execution', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  // In formatted code, a function or method ends at the first brace with its own indentation; a bare declaration ends
  // there with a semicolon.
  const beginning =
    /^( *)(?:export )?(?:private )?(?:async )?(?:function \*?\w+|constructor|\w+)[(<].*|^( *)(?:export )?const \w+ = .*=> \{$/;
  const long = files.flatMap((file) => {
    const lines = readFileSync(`src/execution/${file}`, 'utf8').split('\n');
    return lines.flatMap((line, i) => {
      const found = beginning.exec(line);
      if (found === null || !/[{(]$/.test(line)) return [];
      const indent = found[1] ?? found[2] ?? '';
      const closes = new RegExp(`^${indent}(\\}|\\).*;$)`);
      const end = lines.findIndex((each, at) => at > i && closes.test(each));
      return end - i + 1 > 80 ? [`${file}: ${line.trim()}`] : [];
    });
  });
  expect(files.length).toBeGreaterThan(30);
  expect(long).toEqual([]);
});

describe('single definitions', () => {
  const files = ['src', 'tools', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

  test.each(Object.entries(ONE_OF_EACH))('%s is defined in %s only', (name, place) => {
    const definition = new RegExp(
      `^\\s*(export )?(async )?(function|const|interface|class|type) ${name}\\b`,
      'm',
    );
    const found = files.filter((file) => definition.test(sources.get(file) ?? ''));
    expect(found).toEqual([place]);
  });

  test('signatures are verified by OpenSSL in one file, besides the embedded sandbox', () => {
    const checks = files.filter(
      (file) =>
        !file.startsWith('sandbox/') &&
        /[{,]\s*verify\s*[,}][^;]*'node:crypto'/.test(sources.get(file) ?? ''),
    );
    expect(checks).toEqual(['src/base/ed25519.ts']);
  });

  test('journal rows of a plan are read only in the module that reports its status', () => {
    const readers = files.filter(
      (file) =>
        !/^(src\/ledger|sandbox)\//.test(file) &&
        /\bplanRows\(|\brows\('journal', \{ (planId|intentKey|signature)/.test(sources.get(file) ?? ''),
    );
    expect(readers.sort()).toEqual([
      // Below the execution layer: checks for cancellation or a newer plan.
      'src/answering/closedQuestion.ts',
      'src/execution/status.ts',
      // Movements of signatures recorded after their period.
      'src/presentation/history/period.ts',
    ]);
    const spelled = files.filter((file) =>
      /'(confirmed|finalized)'[^;]{0,40}'(confirmed|finalized)'/.test(sources.get(file) ?? ''),
    );
    const shows = /^(src\/(execution|presentation|page|cli)|tools)\//;
    expect(spelled.filter((file) => shows.test(file)).sort()).toEqual([
      // Commitment of a balance.
      'src/cli/money/balance.ts',
      'src/execution/sending/reconcile.ts',
      'src/execution/status.ts',
    ]);
  });

  test('plan sentences come from one table, used by the one summary of every surface', () => {
    const users = (table: string) =>
      ours
        .filter(({ to }) => to === `src/presentation/statement/${table}.ts`)
        .map(({ from }) => from)
        .sort();
    expect(users('sentences')).toEqual(['src/presentation/statement/summary.ts']);
    expect(users('shownLines')).toEqual(['src/presentation/statement/summary.ts']);
    expect(users('terms')).toEqual(['src/presentation/statement/sentences.ts']);
    expect(users('summary')).toEqual([
      // Plans in the terminal.
      'src/cli/records/plans/summary.ts',
      // Status and amounts of each claim.
      'src/presentation/planFacts.ts',
      // The agent's results.
      'src/presentation/question/agentSummary.ts',
      // Page, terminal, dialog, read.
      'src/presentation/question/question.ts',
      'src/presentation/question/view.ts',
    ]);
  });

  test('objects of unknown shape are checked with isRecord, without hand-written copies', () => {
    const spelled = files.filter((file) =>
      /typeof (\w+) === 'object' && \1 !== null && !Array\.isArray\(\1\)/.test(sources.get(file) ?? ''),
    );
    expect(spelled).toEqual(['src/base/record.ts']);
  });
});

describe('imports', () => {
  test('point to lower layers and not sideways between folders of a layer', () => {
    const wrong = ours.filter(({ from, to }) => {
      const beside = folderOf(from) in BESIDE || folderOf(to) in BESIDE;
      return !beside && folderOf(from) !== folderOf(to) && floorOf(to) <= floorOf(from);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  test('have no cycles, type-only imports included', () => {
    expect(cycleIn(ours)).toBeUndefined();
  });

  test('reach modules outside the layers from the named folders only', () => {
    const wrong = ours.filter(({ from, to }) => {
      const importers = BESIDE[folderOf(to)];
      return (
        importers !== undefined && folderOf(from) !== folderOf(to) && !importers.includes(folderOf(from))
      );
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  test('lead from the product to the sandbox in one file, loaded on demand', () => {
    const inward = all.filter(({ from, to }) => !from.startsWith('sandbox/') && to.startsWith('sandbox/'));
    expect(inward.map(({ from, to, kind }) => `${from} → ${to} (${kind})`)).toEqual([
      'src/runtime/backends/embedded.ts → sandbox/index.ts (type)',
      'src/runtime/backends/embedded.ts → sandbox/index.ts (dynamic)',
    ]);
  });

  test('leave the sandbox only for the clock, byte layouts and response shapes', () => {
    const out = ours.filter(
      ({ from, to }) =>
        folderOf(from) === 'sandbox' &&
        !['sandbox', 'contract', 'programs', 'transaction', 'base', 'clock'].includes(folderOf(to)),
    );
    expect(out.map(shown)).toEqual([]);
  });

  test('of the pure layers reach no I/O, and only types of the RPC', () => {
    const PURE = ['transaction', 'contract', 'programs', 'plan', 'policy', 'review'];
    /** Node modules without I/O, and libraries without I/O. */
    const ALLOWED = ['node:crypto', 'node:buffer', 'zod', 'bs58', 'jsonc-parser', '@noble/curves/ed25519.js'];
    const io = outside.filter(({ from, to }) => PURE.includes(folderOf(from)) && !ALLOWED.includes(to));
    const rpc = ours.filter(
      ({ from, to, kind }) => PURE.includes(folderOf(from)) && folderOf(to) === 'rpc' && kind !== 'type',
    );
    expect([...io, ...rpc].map(shown)).toEqual([]);
  });
});

test('of the start path are the server and the command-line parser', () => {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { from, to, kind } of ours) if (from === file && kind === 'static') follow(to);
  };
  follow('src/cli/main.ts');
  expect(
    [...reached].filter((file) => !/^src\/(base\/|server\/|cli\/(main|options|serve)\.ts)/.test(file)),
  ).toEqual([]);
});

test('of the test oracle share no code with its subject, and no shipped module imports the oracle', () => {
  const oracle = importsBelow(process.cwd(), ['test/oracle']);
  const outsideFolder = oracle.filter(({ to }) => /^(\.|src|tools|test|campaigns|scripts|bench)/.test(to));
  expect(oracle.length).toBeGreaterThan(30);
  expect(outsideFolder.filter(({ to }) => !to.startsWith('test/oracle/')).map(shown)).toEqual([]);
  expect(all.filter(({ to }) => /^(test|campaigns)\//.test(to)).map(shown)).toEqual([]);
});

describe('decisions on text', () => {
  test('names of checks are read by surfaces only', () => {
    const readers = ours.filter(
      ({ to, kind }) => to.startsWith('src/policy/decide/words/') && kind !== 'type',
    );
    expect([...new Set(readers.map(({ from }) => from))].sort()).toEqual([
      'src/cli/records/audit/decisionLines.ts',
      'src/presentation/decisions/reasons.ts',
      'src/presentation/decisions/requestMismatch.ts',
      'src/presentation/statement/unusual.ts',
      'tools/wallet/listDecisions.ts',
    ]);
  });

  /** Comparisons with sentences, and comparisons or parsing of display texts. */
  const COMPARED = [
    /[!=]== *(['"`])[^'"`\n]*\w \w[^'"`\n]*\1/g,
    /\.(startsWith|endsWith|includes|split|match)\((['"`])[^'"`\n]*\w \w[^'"`\n]*\2/g,
    /\b(explain|observed|message|remedy)\b[?!]*\.(startsWith|endsWith|includes|split|match|replace)\(/g,
    /\b(explain|message|remedy)\b *[!=]== *['"`]/g,
  ];
  /** Mint rights under their on-chain names. */
  const DATA = ['mint authority', 'freeze authority'];
  const comparedIn = (text: string): string[] =>
    COMPARED.flatMap((pattern) => text.match(pattern) ?? []).filter(
      (found) => !DATA.some((each) => found.includes(`'${each}'`)),
    );

  test('policy, approval and execution compare no text', () => {
    const found = ['src/policy', 'src/approval', 'src/execution'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => comparedIn(readFileSync(`${folder}/${name}`, 'utf8')).map((text) => [name, text])),
    );
    expect(found).toEqual([]);
    // Examples of such comparisons.
    expect(
      comparedIn("check.startsWith('bytes match'); observed?.split(' ')[1]; x.message === 'gone'"),
    ).toHaveLength(3);
  });
});
