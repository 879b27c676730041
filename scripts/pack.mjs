/**
 * `npm run pack:mcpb`: one file for each platform that an MCP client installs (`countersign-VERSION-PLATFORM.mcpb`).
 * It holds the built command and, of node_modules, only what the build left outside: native code and what loads it.
 * npm itself fetches each platform's packages, by the lock file's hashes, so one machine makes them all. Words name
 * platforms (all of them without a word); `--out DIR` says where the files go. Two runs over one build give the same
 * bytes.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { packExtension } from '@anthropic-ai/mcpb';
import { BUNDLE_PLATFORMS, nativeFiles } from './bundlePlatforms.mjs';
import { withoutTimes } from './zipTimes.mjs';

const root = resolve(import.meta.dirname, '..');
const json = async (path) => JSON.parse(await readFile(path, 'utf8'));
const write = (path, value) => writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);

/** Files that are not needed at run time. */
const NOT_NEEDED =
  /\.(map|ts|mts|cts|md|markdown|flow|tsbuildinfo)$|^(test|tests|__tests__|docs|benchmark|examples|\.bin|\.package-lock\.json)$/i;
/** Type packages, and builds for a C library that desktop systems do not have. */
const NOT_ASKED = /^zod$|-musl$/;
/** Bytecode cache, valid only on the machine that built it. */
const CACHES = /^(cache|.*\.cache)$/;

const copyFolder = (from, to, unwanted) =>
  cp(from, to, {
    recursive: true,
    filter: (path) =>
      !relative(from, path)
        .split(sep)
        .some((part) => unwanted.test(part)),
  });

/** Installs the packages for one platform into an empty folder with npm. */
async function install(folder, { os, cpu }) {
  await mkdir(folder);
  for (const file of ['package.json', 'package-lock.json']) await cp(join(root, file), join(folder, file));
  const flags = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const platform = [`--os=${os}`, `--cpu=${cpu}`, ...(os === 'linux' ? ['--libc=glibc'] : [])];
  execFileSync('npm', ['ci', ...flags, ...platform], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** Returns the manifest for one platform. Without a sandbox runtime the default mode is live. */
function manifestFor(manifest, { version }, { os, sandbox }) {
  const config = manifest.user_config;
  const live = {
    ...config.mode,
    description:
      'live: your wallet and real money. The embedded sandbox does not run on this system; live mode also takes the service and RPC of a sandbox elsewhere.',
    default: 'live',
  };
  return {
    ...manifest,
    version,
    user_config: sandbox ? config : { ...config, mode: live },
    compatibility: { ...manifest.compatibility, platforms: [os] },
  };
}

async function pack(name, out) {
  const platform = BUNDLE_PLATFORMS[name];
  const own = await json(join(root, 'package.json'));
  const file = join(out, `${own.name}-${own.version}-${name}.mcpb`);
  const work = await mkdtemp(join(tmpdir(), 'countersign-bundle-'));
  try {
    await install(join(work, 'installed'), platform);
    const staging = join(work, 'bundle');
    await copyFolder(join(root, 'dist'), join(staging, 'dist'), CACHES);
    for (const unwanted of ['types', 'index.mjs'])
      await rm(join(staging, 'dist', unwanted), { recursive: true, force: true });
    const unwanted = new RegExp(`${NOT_NEEDED.source}|${NOT_ASKED.source}`, 'i');
    await copyFolder(join(work, 'installed/node_modules'), join(staging, 'node_modules'), unwanted);
    const found = nativeFiles(join(staging, 'node_modules'));
    if (
      found.length !== platform.natives.length ||
      !platform.natives.every((native) => found.some((path) => path.startsWith(`${native}${sep}`)))
    )
      throw new Error(`${name}: its native code is ${found.join(', ') || 'missing'}`);
    const written = await json(join(root, 'manifest.json'));
    for (const each of ['LICENSE', 'README.md', written.icon])
      await cp(join(root, each), join(staging, each));
    const { version, license } = own;
    await write(join(staging, 'package.json'), {
      name: own.name,
      version,
      license,
      private: true,
      type: 'module',
    });
    await write(join(staging, 'manifest.json'), manifestFor(written, own, platform));
    if (!(await packExtension({ extensionPath: staging, outputPath: file, silent: true })))
      throw new Error('mcpb refused the bundle');
    await writeFile(file, withoutTimes(await readFile(file)));
    const { size } = await stat(file);
    console.log(
      `${relative(process.cwd(), file)}: ${(size / 1e6).toFixed(1)} MB, ${found.length} native files`,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(BUNDLE_PLATFORMS);
const unknown = names.filter((name) => !Object.hasOwn(BUNDLE_PLATFORMS, name));
if (unknown.length > 0)
  throw new Error(
    `no such platform: ${unknown.join(', ')}; there are ${Object.keys(BUNDLE_PLATFORMS).join(', ')}`,
  );
const out = resolve(values.out ?? root);
await mkdir(out, { recursive: true });
for (const name of names) await pack(name, out);
