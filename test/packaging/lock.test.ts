/** The lock file installs the same everywhere: from any registry, on every platform, with exact versions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const own: Record<string, Record<string, string>> = JSON.parse(readFileSync('package.json', 'utf8'));
const { '': root, ...installed } = packages;
const runtime = Object.entries(installed).filter(([, { dev }]) => dev !== true);

describe('the lock file', () => {
  it('is of this package.json, which asks for exact versions', () => {
    const asked = { ...own.dependencies, ...own.optionalDependencies, ...own.devDependencies };
    expect(Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    for (const [name, version] of Object.entries(asked))
      expect(installed[`node_modules/${name}`]?.version, name).toBe(version);
    expect(root).toMatchObject({
      dependencies: own.dependencies,
      optionalDependencies: own.optionalDependencies,
      devDependencies: own.devDependencies,
    });
  });

  it('pins content, and no address it came from', () => {
    const unpinned = Object.entries(installed).filter(
      ([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined,
    );
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it("names every platform's native code, not only that of the machine that made it", () => {
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
  });

  it('brings a user few packages, none with an install script', () => {
    expect(runtime.length).toBeLessThanOrEqual(60);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});
