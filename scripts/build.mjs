/**
 * Builds `dist/`: the command (`countersign.js`), the start bundle it runs from cached bytecode (`start.cjs`), and
 * lazily loaded code as ES module chunks (`chunks/`). Checks the contents of the start bundle, whose size
 * determines the time to the list of tools.
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
/** Build folder, moved into place at the end, so that an incomplete build is never run. */
const dist = resolve(root, `node_modules/.dist-${process.pid}`);

/** Native packages and packages that locate native code themselves; resolved from node_modules at run time. */
const NATIVE = ['libsql', 'litesvm-*', '*.node', '@napi-rs/keyring'];

/** Optional dependencies of bundled libraries that are not installed. */
const DISPENSABLE = ['bufferutil', 'utf-8-validate', 'pg-native'];

/** Folders that the start bundle must not contain. */
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
  // Gives the same build where node_modules is a symbolic link.
  preserveSymlinks: true,
  // The SDK's default validator is ajv, which is slow to load; answers to elicitation are checked by their own code.
  alias: {
    '@modelcontextprotocol/server/_shims': resolve(root, 'src/server/validator.ts'),
    // Its `main` is a UMD file that esbuild cannot see into.
    'jsonc-parser': resolve(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
  },
};

/** Excludes dynamic imports from the start bundle and records them as entry points of the chunks. */
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
    // Disables run-time code generation: it slows the start, and a signer should not use `new Function`.
    banner: { js: '(globalThis.__zod_globalConfig??={}).jitless=true;' },
    plugins: [laterChunks(entries), trimProtocolSchemas()],
  });
  // A script from cached bytecode has no `import`, so the command passes one in.
  const outfile = resolve(dist, 'start.cjs');
  const bundle = await readFile(outfile, 'latin1');
  await writeFile(outfile, bundle.replace(/\bimport\("/g, 'loadChunk("'), 'latin1');
  const unwanted = Object.keys(result.metafile.inputs).filter((input) => NOT_AT_START.test(input));
  if (unwanted.length > 0) throw new Error(`on the start path: ${unwanted.join(', ')}`);
  return result;
}

/** Build options of the chunks. */
const chunk = {
  ...common,
  outdir: resolve(dist, 'chunks'),
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  external: [...NATIVE, ...DISPENSABLE],
  // CommonJS dependencies load Node's built-in modules with `require`.
  banner: {
    js: "import{createRequire as requireFromChunk}from'node:module';const require=requireFromChunk(import.meta.url);",
  },
};

/**
 * Builds the JavaScript of the embedded chain without its native code. It is CommonJS and would include the whole Solana
 * library; this plugin supplies only the functions that it calls.
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
 * Checks that the packages which the built code resolves at run time are dependencies of the package, including the native
 * package of the embedded chain for each platform.
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
  // The cache's name depends on bundle and command, since the bytecode is valid for this combination only.
  const hash = createHash('sha256').update(start).update(source).digest('hex').slice(0, 12);
  const { code } = await transform(source, {
    minify: true,
    target: 'node20',
    define: { START_HASH: `"${hash}"` },
  });
  await writeFile(resolve(dist, 'countersign.js'), code);
  await chmod(resolve(dist, 'countersign.js'), 0o755);
}

/** Starts the server once and lists its tools, which creates the bytecode cache. */
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
  // The command is CommonJS, which Node starts faster; chunks are ES modules by their extension.
  await writeFile(resolve(dist, 'package.json'), '{"type":"commonjs"}\n');
  const entries = new Map();
  const start = await buildStart(entries);
  entries.set('src-index', resolve(root, 'src/index.ts'));
  entries.set('store-contract', resolve(root, 'test/ledger/contract/storeContract.ts'));
  // Runs in a separate process; its file is beside the chunk that starts it.
  entries.set('child', resolve(root, 'src/rehearsal/child.mjs'));
  const later = [await buildRuntime(), await buildChunks(entries)];
  await checkDependencies(later);
  await writeBillOfMaterials(
    root,
    dist,
    [start, ...later].map(({ metafile }) => metafile),
  );
  await writeFile(resolve(dist, 'index.mjs'), "export * from './chunks/src-index.mjs';\n");
  await writeFile(resolve(dist, 'store-contract.mjs'), "export * from './chunks/store-contract.mjs';\n");
  await writeCommand();
  await warmUp();
  await rm(resolve(root, 'dist'), { recursive: true, force: true });
  await rename(dist, resolve(root, 'dist'));
  console.log(`built dist/: the command, its start bundle, the library entry and ${entries.size} chunks`);
} finally {
  await rm(dist, { recursive: true, force: true });
}
