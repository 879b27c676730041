/**
 * `npm run pack:mcpb`: one file that an MCP client installs (`countersign-VERSION-PLATFORM-ARCH.mcpb`). It holds the
 * built command and, of node_modules, only what the build left outside: native code and what loads it. Native code
 * is this machine's platform's, so each platform packs its own.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';

const root = resolve(import.meta.dirname, '..');
const modules = join(root, 'node_modules');
const json = async (path) => JSON.parse(await readFile(path, 'utf8'));

/** Files no program reads while it runs. */
const NOT_NEEDED =
  /\.(map|ts|mts|cts|md|markdown|flow|tsbuildinfo)$|^(test|tests|__tests__|docs|benchmark|examples)$/i;
/** Bytecode of the machine that built it. */
const CACHES = /^(cache|.*\.cache)$/;

/** Dependencies whose names the built code still holds. */
async function leftOutside(dist, dependencies) {
  const code = [];
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(mjs|cjs|js)$/.test(entry.name))
      code.push(await readFile(join(entry.parentPath, entry.name), 'utf8'));
  }
  const asks = (name) => new RegExp(`(?:\\bfrom|\\bimport|[\\w$]\\()\\s*["'\`]${name}["'\`]`);
  return dependencies.filter((name) => code.some((text) => asks(name).test(text)));
}

/** The folder a package is found in by code of `from`, or `undefined`. */
async function findPackage(name, from) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    if (basename(folder) === 'node_modules') continue;
    const candidate = join(folder, 'node_modules', name);
    if (await stat(join(candidate, 'package.json')).catch(() => undefined)) return candidate;
  }
  return undefined;
}

/** A C library this machine does not have: its builds would only weigh. */
const glibc = process.platform === 'linux' && Boolean(process.report.getReport().header.glibcVersionRuntime);
const foreign = (name) => process.platform === 'linux' && (glibc ? /-musl$/ : /-(gnu|gnueabihf)$/).test(name);

/** All packages the named ones need, by their folders; an optional one may be missing here. */
async function closure(names, optional) {
  const found = new Set();
  const wanted = names.map((name) => ({ name, from: root, must: !optional.includes(name) }));
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    if (foreign(next.name)) continue;
    const folder = await findPackage(next.name, next.from);
    if (folder === undefined) {
      if (next.must) throw new Error(`${next.name} is not installed: run npm ci`);
      continue;
    }
    if (found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = await json(join(folder, 'package.json'));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      wanted.push({ name, from: folder, must: name in dependencies && !(name in optionalDependencies) });
    }
  }
  return found;
}

const copyFolder = (from, to, unwanted) =>
  cp(from, to, {
    recursive: true,
    filter: (path) => {
      const inside = relative(from, path).split(sep);
      // Packages inside a package are in the closure themselves, if they are needed.
      return !inside.includes('node_modules') && !inside.some((part) => unwanted.test(part));
    },
  });

async function main() {
  const own = await json(join(root, 'package.json'));
  const manifest = await json(join(root, 'manifest.json'));
  const out = resolve(
    process.argv[2] ?? join(root, `${own.name}-${own.version}-${process.platform}-${process.arch}.mcpb`),
  );
  const optional = Object.keys(own.optionalDependencies);
  const dependencies = [...Object.keys(own.dependencies), ...optional];
  const staging = await mkdtemp(join(modules, '.mcpb-'));
  try {
    await copyFolder(join(root, 'dist'), join(staging, 'dist'), CACHES);
    const outside = await leftOutside(join(root, 'dist'), dependencies);
    const folders = await closure(outside, optional);
    for (const folder of folders) {
      const target = join(staging, relative(root, folder));
      await mkdir(dirname(target), { recursive: true });
      await copyFolder(folder, target, NOT_NEEDED);
    }
    for (const file of ['LICENSE', 'README.md']) await cp(join(root, file), join(staging, file));
    const { name, version, license } = own;
    await writeFile(
      join(staging, 'package.json'),
      JSON.stringify({ name, version, license, private: true, type: 'module' }),
    );
    const here = {
      ...manifest,
      version,
      compatibility: { ...manifest.compatibility, platforms: [process.platform] },
    };
    await writeFile(join(staging, 'manifest.json'), `${JSON.stringify(here, undefined, 2)}\n`);
    if (!(await packExtension({ extensionPath: staging, outputPath: out, silent: true })))
      throw new Error('mcpb refused the bundle');
    const { size } = await stat(out);
    console.log(
      `${relative(process.cwd(), out)}: ${(size / 1e6).toFixed(1)} MB, ${folders.size} packages: ${[...folders].map((folder) => relative(modules, folder)).join(', ')}`,
    );
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

await main();
