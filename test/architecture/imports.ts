/** Extracts imports from source text. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

export interface Import {
  /** Importing file, relative to the root. */
  readonly from: string;
  /** A file relative to the root, or the bare name of a package or a Node module. */
  readonly to: string;
  /** `type`: erased by the compiler · `static`: loaded with the file · `dynamic`: loaded when reached. */
  readonly kind: 'type' | 'static' | 'dynamic';
}

const STATIC = /^\s*(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+\s+from\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** `import { type A, type B } from` is erased by the compiler as well. */
const onlyTypes = (statement: string): boolean => {
  const names = /\{([^}]*)\}/.exec(statement)?.[1];
  if (names === undefined || /^\s*import\s+\w/.test(statement)) return false;
  const parts = names.split(',').map((name) => name.trim());
  return parts.filter((name) => name !== '').every((name) => name.startsWith('type '));
};

/** Returns the imports in a file's text. */
export function importsOf(file: string, text: string): Import[] {
  const target = (name: string): string =>
    name.startsWith('.') ? posix.normalize(posix.join(dirname(file), name)) : name;
  const found: Import[] = [];
  for (const [statement, , type, name = ''] of text.matchAll(STATIC)) {
    found.push({
      from: file,
      to: target(name),
      kind: type !== undefined || onlyTypes(statement) ? 'type' : 'static',
    });
  }
  for (const [, name = ''] of text.matchAll(DYNAMIC))
    found.push({ from: file, to: target(name), kind: 'dynamic' });
  return found;
}

/** Returns the imports of all TypeScript files below the given folders of `root`. */
export function importsBelow(root: string, folders: readonly string[]): Import[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .sort()
      .flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8'))),
  );
}

/**
 * Returns one import cycle as a list of files, or `undefined`. Type imports count, since a reader of one file of a cycle
 * has to read all of them; dynamic imports do not.
 */
export function cycleIn(imports: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, kind } of imports) {
    if (kind !== 'dynamic') next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const at = path.indexOf(file);
    if (at !== -1) return [...path.slice(at), file];
    if (done.has(file)) return undefined;
    for (const other of next.get(file) ?? []) {
      const cycle = visit(other, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
