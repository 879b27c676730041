/**
 * Writes the types of the library's entries to `dist/types/`: the declarations they need and no others. They
 * are ES module declarations (`.d.mts`), like the code they describe. Run before packing, not by every build.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const out = join(root, 'dist/types');
const ENTRIES = ['src/index.ts', 'test/ledger/contract/storeContract.ts'];
const SPECIFIER = /((?:from|import)\s*\(?\s*['"])(\.[^'"]+)\.ts(['"])/g;

/** Emits all declarations with the compiler. */
async function declarations(folder) {
  const config = join(folder, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        incremental: false,
        tsBuildInfoFile: null,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: root,
        outDir: folder,
      },
      files: ENTRIES.map((entry) => join(root, entry)),
      include: [],
    }),
  );
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
    stdio: 'inherit',
  });
}

/** Copies a declaration and its imports, recursively. */
async function copy(folder) {
  const wanted = [...ENTRIES];
  const done = new Set();
  for (let file = wanted.pop(); file !== undefined; file = wanted.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = await readFile(join(folder, file.replace(/\.ts$/, '.d.ts')), 'utf8');
    const rewritten = text.replace(SPECIFIER, (_, before, path, after) => {
      wanted.push(posix.join(posix.dirname(file), `${path}.ts`));
      return `${before}${path}.mjs${after}`;
    });
    const target = join(out, file.replace(/\.ts$/, '.d.mts'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, rewritten);
  }
  return done.size;
}

const folder = await mkdtemp(join(root, 'node_modules/.types-'));
try {
  await declarations(folder);
  await rm(out, { recursive: true, force: true });
  console.log(`${relative(process.cwd(), out)}: ${await copy(folder)} declarations`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
