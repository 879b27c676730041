/**
 * Generates files from the tools and the policy schema: the catalogue for clients, the tool reference, the policy's
 * JSON Schema, and the tool list of the bundle manifest. What package.json says of the package (name, version, author)
 * goes into the bundle manifest and the registry entry. With `--check` it writes nothing and fails when a file on disk
 * differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { policyJsonSchema } from '../src/policy/file/schema.ts';
import { OPT_IN } from '../src/server/optIn.ts';
import { catalogue } from '../tools/index.ts';
import { hints, type Tool } from '../tools/tool.ts';
import { contractPage } from './contractPage.ts';
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
  inputSchema: publishInput(tool),
  outputSchema: publishOutput(tool.output, tool.effect === 'submit' ? 'plan' : 'names'),
  annotations: hints(tool),
});

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

interface Package {
  readonly name: string;
  readonly version: string;
  readonly mcpName: string;
  readonly author: string;
  /** Repository fields of the package; empty until it has a public repository. */
  readonly repository?: { readonly type: string; readonly url: string };
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Returns the bundle manifest: author and version from package.json, tools from the catalogue, the rest as written by hand. */
function manifest({ name, version, author, repository }: Package): string {
  const tools = catalogue
    .filter((tool) => !OPT_IN.includes(tool.domain))
    .map(({ name, description }) => ({ name, description }));
  const written = readJson<Record<string, unknown>>('manifest.json');
  return json({
    ...written,
    name,
    version,
    author: { name: author },
    ...(repository && { repository }),
    tools,
  });
}

/** Returns the registry entry: name and version from package.json, the rest as written by hand. */
function registryEntry({ name: identifier, version, mcpName: name, repository }: Package): string {
  const written = readJson<{ packages: Record<string, unknown>[] }>('server.json');
  const packages = written.packages.map((each) => ({ ...each, identifier, version }));
  const url = repository?.url.replace(/^git\+|\.git$/g, '');
  const where = url === undefined ? {} : { repository: { url, source: 'github' } };
  return json({ ...written, name, version, ...where, packages });
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
  out.set('docs/contract.md', contractPage(readFileSync(join(root, 'docs/contract.md'), 'utf8')));
  out.set('docs/schemas/policy.json', json(policyJsonSchema()));
  const guide = operatingGuide(readFileSync(join(root, 'docs/operating.md'), 'utf8'));
  out.set('docs/operating.md', guide);
  out.set('src/server/guidance/guide.generated.json', json(servedGuide(guide)));
  const own = readJson<Package>('package.json');
  out.set('manifest.json', manifest(own));
  out.set('server.json', registryEntry(own));
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
