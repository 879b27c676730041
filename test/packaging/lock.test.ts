/** Lock file: installs identically from any registry, on every platform, with exact versions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
  readonly deprecated?: string;
}
const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const own: Record<string, Record<string, unknown>> = JSON.parse(readFileSync('package.json', 'utf8'));
const { '': root, ...installed } = packages;
const dependencies = { ...own.dependencies, ...own.optionalDependencies, ...own.devDependencies };
/** Oldest supported Node. */
const OLDEST_NODE = [20, 19, 0];

/**
 * Returns whether an `engines` range admits the oldest supported Node: `>=`, `>`, `^`, bare versions, `x` and `
 *
 * `.
 */
const admits = (range: string): boolean =>
  range.split('||').some((alternative) =>
    alternative
      .trim()
      .replace(/(\^|>=?)\s+/g, '$1')
      .split(/\s+/)
      .every((comparator) => {
        const [, sign = '', version = ''] = /^(\^|>=?|)v?(.*)$/.exec(comparator) ?? [];
        const parts = version.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
        const order = parts
          .map((part, at) => (OLDEST_NODE[at] ?? 0) - part)
          .find((difference) => difference !== 0);
        if (version === '' || version === '*') return true;
        return sign.startsWith('>') ? (order ?? 0) >= 0 : parts[0] === OLDEST_NODE[0] && (order ?? 0) >= 0;
      }),
  );
const runtime = Object.entries(installed).filter(([, { dev }]) => dev !== true);

describe('the lock file of the frameworks that `npm run clients` tries', () => {
  const locked: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync('clients/package-lock.json', 'utf8'),
  );
  const { '': _, ...all } = locked.packages;
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync('clients/package.json', 'utf8'),
  );

  it('matches its package.json, which pins exact versions, and has hashes but no addresses', () => {
    for (const [name, version] of Object.entries(devDependencies))
      expect(all[`node_modules/${name}`]?.version, name).toBe(version);
    const unpinned = Object.entries(all).filter(
      ([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined,
    );
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it('has the versions named on the setup page, none of which is a dependency of Countersign', () => {
    const page = readFileSync('docs/setup.md', 'utf8');
    const named = [...page.matchAll(/^\| [^|]+ \(`(.+?)`\) \| (\S+) \|/gm)].map(([, name, version]) => [
      name,
      version,
    ]);
    expect(named).toHaveLength(5);
    for (const [name = '', version] of named) {
      expect(devDependencies[name], name).toBe(version);
      expect(dependencies, name).not.toHaveProperty([name]);
    }
  });
});

describe('the lock file', () => {
  it('matches this package.json, which pins exact versions', () => {
    expect(
      Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version))),
    ).toEqual([]);
    for (const [name, version] of Object.entries(dependencies))
      expect(installed[`node_modules/${name}`]?.version, name).toBe(version);
    expect(root).toMatchObject({
      dependencies: own.dependencies,
      optionalDependencies: own.optionalDependencies,
      devDependencies: own.devDependencies,
    });
  });

  it('has hashes and no download addresses', () => {
    const unpinned = Object.entries(installed).filter(
      ([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined,
    );
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it("names every platform's native code", () => {
    for (const [path, { optionalDependencies = {} }] of Object.entries(installed)) {
      const missing = Object.keys(optionalDependencies).filter(
        (name) =>
          installed[`${path}/node_modules/${name}`] === undefined &&
          installed[`node_modules/${name}`] === undefined,
      );
      expect(missing, path).toEqual([]);
    }
    const systems = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-x64-gnu', 'linux-x64-musl'];
    for (const system of systems)
      for (const name of ['@libsql/', '@napi-rs/keyring-', 'litesvm-'])
        expect(installed).toHaveProperty([`node_modules/${name}${system}`]);
    // The Solana runtime has no Windows build.
    for (const name of ['@libsql/', '@napi-rs/keyring-'])
      expect(installed).toHaveProperty([`node_modules/${name}win32-x64-msvc`]);
  });

  it('installs without a warning on the oldest supported Node: no newer engine, no undecided install script, nothing deprecated', () => {
    for (const range of ['>=20.19', '^20.19.0 || >=22', '6.* || >= 10.*', '20 || >=22', '>=4.x', '*', '']) {
      expect(admits(range), range).toBe(true);
    }
    for (const range of ['>=22', '^22.13.0 || >=23.5.0', '>=20.20', '^18.1.0', '18 || 19'])
      expect(admits(range), range).toBe(false);
    const newer = Object.entries(installed).filter(([, { engines }]) => !admits(engines?.node ?? '*'));
    expect(newer.map(([path]) => path)).toEqual([]);
    expect(Object.entries(installed).filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([]);
    const scripted = Object.entries(installed).filter(([, each]) => each.hasInstallScript === true);
    const names = scripted.map(([path]) =>
      path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    );
    // `npm ci --ignore-scripts` suffices: no install script is allowed.
    expect(own.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  it('installs few packages, none with an install script', () => {
    expect(runtime.length).toBeLessThanOrEqual(60);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});
