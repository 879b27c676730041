/**
 * Writes what is made from the tools and the policy schema: the list clients see, the tool reference, the exported
 * JSON Schemas, and the tool list of the bundle manifest. With `--check` it writes nothing and fails when a file on
 * disk differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { catalogue } from '../tools/index.ts';
import { hints, type Tool } from '../tools/tool.ts';
import { architecturePage } from './diagram.ts';
import { operatingGuide, servedGuide } from './operatingGuide.ts';
import { publishInput, publishOutput } from './publishSchema.ts';
import { toolReference } from './toolReference.ts';

const root = process.cwd();
const check = process.argv.includes('--check');

/** A tool as `tools/list` shows it. */
const published = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: publishInput(tool.input),
  outputSchema: publishOutput(
    tool.output,
    tool.effect === 'build' || tool.name.startsWith('list_') ? 'brief' : 'whole',
  ),
  annotations: hints(tool),
});

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The manifest's tool list is ours; the rest of the file is a person's. */
function manifest(): string | undefined {
  const path = join(root, 'manifest.json');
  if (!existsSync(path)) return undefined;
  const written: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'));
  const tools = catalogue
    .filter((tool) => tool.domain !== 'legacy' && tool.domain !== 'extra')
    .map(({ name, description }) => ({ name, description }));
  return json({ ...written, tools });
}

async function policySchema(): Promise<string | undefined> {
  const path = join(root, 'src/policy/schema.ts');
  if (!existsSync(path)) return undefined;
  const module: Record<string, unknown> = await import('../src/policy/schema.ts');
  const schema = module.policyJsonSchema;
  return typeof schema === 'function' ? json(schema()) : undefined;
}

async function files(): Promise<Map<string, string>> {
  const out = new Map<string, string | undefined>();
  const listed = catalogue.map((tool) => ({
    domain: tool.domain,
    effect: tool.effect,
    tool: published(tool),
  }));
  out.set('src/server/catalogue.generated.json', json(listed));
  out.set('docs/tools.md', toolReference(catalogue));
  out.set('docs/schemas/policy.json', await policySchema());
  for (const tool of catalogue) {
    const schema = z.toJSONSchema(tool.output, { io: 'input', unrepresentable: 'any' });
    out.set(`docs/schemas/results/${tool.name}.json`, json(schema));
  }
  const guide = operatingGuide(readFileSync(join(root, 'docs/operating.md'), 'utf8'));
  out.set('docs/operating.md', guide);
  out.set('src/server/guide.generated.json', json(servedGuide(guide)));
  out.set(
    'docs/architecture.md',
    architecturePage(readFileSync(join(root, 'docs/architecture.md'), 'utf8'), root),
  );
  out.set('manifest.json', manifest());
  return new Map([...out].filter((entry): entry is [string, string] => entry[1] !== undefined));
}

let drift = 0;
for (const [path, text] of await files()) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  drift += 1;
  if (check) console.error(`${path} is not what the tools say: run npm run gen`);
  else {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    console.log(`wrote ${path}`);
  }
}
if (check && drift > 0) process.exitCode = 1;
