/**
 * Builds `dist/`: the command (`countersign.js`), the start bundle it runs from cached bytecode (`start.cjs`), and
 * everything that is loaded later as ES module chunks (`chunks/`). What the start bundle holds is checked here: it
 * decides how long a client waits for the list of tools.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { relative, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { writeBillOfMaterials } from './sbom.mjs';
import { trimProtocolSchemas } from './trimProtocolSchemas.mjs';

const root = resolve(import.meta.dirname, '..');
/** Built here and moved into place whole, so that a half-finished build is never run. */
const dist = resolve(root, `node_modules/.dist-${process.pid}`);

/** Native code, and what finds its own: resolved from node_modules at run time. */
const NATIVE = ['libsql', 'litesvm-*', '*.node', '@napi-rs/keyring'];

/** What a bundled library would use if it were there, and does without: it is not installed. */
const DISPENSABLE = ['bufferutil', 'utf-8-validate', 'pg-native'];

/** Folders whose code has no business on the start path. */
const NOT_AT_START = /^(src\/(?!base\/|server\/|cli\/(main|options|serve)\.ts)|tools\/)/;

const common = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  absWorkingDir: root,
  logLevel: 'warning',
  metafile: true,
  legalComments: 'none',
  // Where node_modules is a link, as in a second checkout beside this one, the build is still the same.
  preserveSymlinks: true,
  // The SDK's default validator is ajv, which is slow to load; answers to elicitation are checked by their own code.
  alias: {
    '@modelcontextprotocol/server/_shims': resolve(root, 'src/server/validator.ts'),
    // Its `main` is a UMD file that esbuild cannot see into.
    'jsonc-parser': resolve(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
  },
};

/** Leaves dynamic imports out of the start bundle and notes them: they are the entry points of the chunks. */
function laterChunks(entries) {
  return {
    name: 'later-chunks',
    setup(building) {
      building.onResolve({ filter: /^\./ }, (args) => {
        if (args.kind !== 'dynamic-import') return undefined;
        const file = resolve(args.resolveDir, args.path);
        const name = relative(root, file).replace(/\.ts$/, '').replaceAll('/', '-');
        entries.set(name, file);
        return { path: `./chunks/${name}.mjs`, external: true };
      });
    },
  };
}

async function buildStart(entries) {
  const result = await build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: resolve(dist, 'start.cjs'),
    format: 'cjs',
    charset: 'ascii',
    // No code is made at run time: it costs start-up time, and a signer should not need `new Function`.
    banner: { js: '(globalThis.__zod_globalConfig??={}).jitless=true;' },
    plugins: [laterChunks(entries), trimProtocolSchemas()],
  });
  // A script from cached bytecode cannot import by itself: the command hands it a function that can.
  const outfile = resolve(dist, 'start.cjs');
  const bundle = await readFile(outfile, 'latin1');
  await writeFile(outfile, bundle.replace(/\bimport\("/g, 'loadChunk("'), 'latin1');
  const unwanted = Object.keys(result.metafile.inputs).filter((input) => NOT_AT_START.test(input));
  if (unwanted.length > 0) throw new Error(`on the start path: ${unwanted.join(', ')}`);
  return result;
}

/** Options of everything that is loaded later. */
const chunk = {
  ...common,
  outdir: resolve(dist, 'chunks'),
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  external: [...NATIVE, ...DISPENSABLE],
  // CommonJS dependencies ask for Node's own modules through require.
  banner: {
    js: "import{createRequire as requireFromChunk}from'node:module';const require=requireFromChunk(import.meta.url);",
  },
};

/**
 * The embedded chain's JavaScript, apart from its native code. It is CommonJS and would bring the whole Solana library
 * along; here it gets the few functions it calls.
 */
async function buildRuntime() {
  const library = await readFile(resolve(root, 'node_modules/litesvm/dist/index.js'), 'utf8');
  const called = [...new Set(library.match(/(?<=\bkit_1\.)\w+/g))];
  if (called.length === 0) throw new Error('litesvm no longer calls the Solana library as it did');
  const onlyWhatIsCalled = {
    name: 'only-what-is-called',
    setup(building) {
      building.onResolve({ filter: /^@solana\/kit$/ }, ({ namespace }) =>
        namespace === 'called' ? undefined : { path: 'kit', namespace: 'called' },
      );
      building.onLoad({ filter: /^kit$/, namespace: 'called' }, () => ({
        contents: `export { ${called.join(', ')} } from '@solana/kit';`,
        resolveDir: root,
      }));
    },
  };
  const stdin = {
    contents: "export { FeatureSet, LiteSVM } from 'litesvm';",
    resolveDir: root,
    sourcefile: 'litesvm',
  };
  return build({ ...chunk, stdin, entryNames: 'litesvm', plugins: [onlyWhatIsCalled] });
}

const runtimeApart = {
  name: 'runtime-apart',
  setup(building) {
    building.onResolve({ filter: /^litesvm$/ }, () => ({ path: './litesvm.mjs', external: true }));
  },
};

const buildChunks = (entries) =>
  build({
    ...chunk,
    entryPoints: Object.fromEntries(entries),
    splitting: true,
    chunkNames: 'shared-[hash]',
    plugins: [runtimeApart],
  });

/**
 * What the built code asks node_modules for must be what the package depends on, the native code of the embedded
 * chain included: one package for each platform that has one.
 */
async function checkDependencies(builds) {
  const json = async (path) => JSON.parse(await readFile(resolve(root, path), 'utf8'));
  const own = await json('package.json');
  const declared = { ...own.dependencies, ...own.optionalDependencies };
  const platforms = Object.entries((await json('node_modules/litesvm/package.json')).optionalDependencies);
  const asked = builds
    .flatMap(({ metafile }) => Object.values(metafile.outputs).flatMap(({ imports }) => imports))
    .filter(({ external, path }) => external && !path.startsWith('.') && !isBuiltin(path))
    .map(({ path }) => path.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1'))
    .filter((name) => !DISPENSABLE.includes(name) && !name.startsWith('litesvm-'));
  const missing = [
    ...asked.filter((name) => declared[name] === undefined),
    ...platforms.filter(([name, version]) => declared[name] !== version).map((each) => each.join(' ')),
  ];
  if (missing.length > 0)
    throw new Error(`used by dist/ and not in package.json: ${[...new Set(missing)].join(', ')}`);
}

async function writeCommand() {
  const start = await readFile(resolve(dist, 'start.cjs'));
  const source = await readFile(resolve(root, 'scripts/countersign.cjs'), 'utf8');
  // Cached bytecode belongs to the bundle as this command wraps it: both are in the cache's name.
  const hash = createHash('sha256').update(start).update(source).digest('hex').slice(0, 12);
  const { code } = await transform(source, {
    minify: true,
    target: 'node20',
    define: { START_HASH: `"${hash}"` },
  });
  await writeFile(resolve(dist, 'countersign.js'), code);
  await chmod(resolve(dist, 'countersign.js'), 0o755);
}

/** Starts the server once and lists its tools, so that the bytecode cache is there for the first real start. */
function warmUp() {
  const lines = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'build', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
  );
  const child = spawn(process.execPath, [resolve(dist, 'countersign.js'), 'serve', '--sandbox'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
    timeout: 20_000,
  });
  let answer = '';
  child.stdout.on('data', (chunk) => {
    answer += chunk;
    if (answer.includes('"id":2')) child.stdin.end();
  });
  for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
  return new Promise((done, failed) => {
    child.on('exit', (code) =>
      code === 0 && answer.includes('"tools"')
        ? done()
        : failed(new Error(`the built server ended with ${code}`)),
    );
  });
}

await mkdir(dist, { recursive: true });
try {
  // The command is CommonJS, which Node starts faster; the chunks say what they are by their extension.
  await writeFile(resolve(dist, 'package.json'), '{"type":"commonjs"}\n');
  const entries = new Map();
  const start = await buildStart(entries);
  entries.set('src-index', resolve(root, 'src/index.ts'));
  // A process of its own, found beside the chunk that starts it.
  entries.set('child', resolve(root, 'src/rehearsal/child.mjs'));
  const later = [await buildRuntime(), await buildChunks(entries)];
  await checkDependencies(later);
  await writeBillOfMaterials(
    root,
    dist,
    [start, ...later].map(({ metafile }) => metafile),
  );
  await writeFile(resolve(dist, 'index.mjs'), "export * from './chunks/src-index.mjs';\n");
  await writeCommand();
  await warmUp();
  await rm(resolve(root, 'dist'), { recursive: true, force: true });
  await rename(dist, resolve(root, 'dist'));
  console.log(`built dist/: the command, its start bundle, the library entry and ${entries.size} chunks`);
} finally {
  await rm(dist, { recursive: true, force: true });
}
