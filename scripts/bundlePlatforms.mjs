/** Platforms with bundles, and the native files of a folder. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const natives = (libsql, keyring, runtime) => [
  `@libsql/${libsql}`,
  `@napi-rs/keyring-${keyring}`,
  ...(runtime === undefined ? [] : [`litesvm-${runtime}`]),
];

/** Platforms by name: npm's name, packages with native code, and availability of the sandbox runtime. */
export const BUNDLE_PLATFORMS = {
  'linux-x64': {
    os: 'linux',
    cpu: 'x64',
    sandbox: true,
    natives: natives('linux-x64-gnu', 'linux-x64-gnu', 'linux-x64-gnu'),
  },
  'linux-arm64': {
    os: 'linux',
    cpu: 'arm64',
    sandbox: true,
    natives: natives('linux-arm64-gnu', 'linux-arm64-gnu', 'linux-arm64-gnu'),
  },
  'darwin-arm64': {
    os: 'darwin',
    cpu: 'arm64',
    sandbox: true,
    natives: natives('darwin-arm64', 'darwin-arm64', 'darwin-arm64'),
  },
  'darwin-x64': {
    os: 'darwin',
    cpu: 'x64',
    sandbox: true,
    natives: natives('darwin-x64', 'darwin-x64', 'darwin-x64'),
  },
  'win32-x64': {
    os: 'win32',
    cpu: 'x64',
    sandbox: false,
    natives: natives('win32-x64-msvc', 'win32-x64-msvc'),
  },
};

/** Returns the paths of all native files below a folder. */
export const nativeFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.node'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
