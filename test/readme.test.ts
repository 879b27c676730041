/** The README and the documents keep their word: links lead somewhere, options exist, snippets run. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPTIONS, variableOf } from '../src/cli/options.ts';

const readme = readFileSync('README.md', 'utf8');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** Variables of secrets and of the mode, which no option sets. */
const WITHOUT_OPTION = [
  'API_KEY',
  'JWT',
  'PASSPHRASE',
  'WALLET_FILE',
  'OWNER_PUBLIC_KEY',
  'MODE',
  'NO_BROWSER',
];
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

describe('the documents', () => {
  it.each(documents)('%s links only to files that are there', (document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
      ([, link = '']) => link,
    );
    const missing = links.filter(
      (link) => !/^[a-z]+:/.test(link) && !existsSync(join(dirname(document), link)),
    );
    expect(missing).toEqual([]);
  });

  it('name only options and variables there are', () => {
    const options = [...readme.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name = '']) => name);
    const others = ['ignore-scripts'];
    expect(options.filter((name) => OPTIONS[name] === undefined && !others.includes(name))).toEqual([]);
    const known = [
      ...Object.keys(OPTIONS).map(variableOf),
      ...WITHOUT_OPTION.map((name) => `COUNTERSIGN_${name}`),
    ];
    for (const document of documents) {
      const named = [...readFileSync(document, 'utf8').matchAll(/COUNTERSIGN_[A-Z_]+[A-Z]/g)].map(
        ([name]) => name,
      );
      expect(
        named.filter((name) => !known.includes(name)),
        document,
      ).toEqual([]);
    }
  });
});

describe('the snippets of the README', () => {
  it('configure a client with what the server understands', () => {
    const [config] = blocks('json');
    const script = '/path/to/countersign/dist/countersign.js';
    expect(JSON.parse(config ?? '')).toEqual({
      mcpServers: { countersign: { command: 'node', args: [script, 'serve', '--sandbox'] } },
    });
  });

  it('use the library as it is', () => {
    const [program] = blocks('ts');
    const shown = `${program}\nprocess.stdout.write(String(structuredContent.address));`;
    const address = execFileSync(process.execPath, ['--input-type=module', '-e', shown], {
      encoding: 'utf8',
    });
    expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  });
});

describe('the example of a program of your own', () => {
  const run = (answer: string): string =>
    execFileSync(process.execPath, ['examples/own-program.mjs'], { encoding: 'utf8', input: answer });

  it('lands its plan after an approval, and shows what is approved', () => {
    const said = run('y\n');
    expect(said).toMatch(/^plan \S+: approval_required$/m);
    expect(said).toContain('Who earns');
    expect(said).toMatch(/^plan \S+: complete$/m);
  });

  it.each(['n\n', ''])('lands nothing after %j', (answer) => {
    expect(run(answer)).toMatch(/^plan \S+: denied$/m);
  });
});
