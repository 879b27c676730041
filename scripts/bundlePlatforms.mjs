/** The platforms there are bundles for, and which platform a native file was built for: its header says so. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, relative } from 'node:path';

const natives = (libsql, keyring, runtime) => [
  `@libsql/${libsql}`,
  `@napi-rs/keyring-${keyring}`,
  ...(runtime === undefined ? [] : [`litesvm-${runtime}`]),
];

/** By name: what npm calls the platform, its packages with native code, and whether the sandbox's runtime has a build. */
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

/** Machine numbers of the three formats of native code. */
const ELF = { 62: 'linux-x64', 183: 'linux-arm64' };
const MACH_O = { 16777223: 'darwin-x64', 16777228: 'darwin-arm64' };
const PE = { 34404: 'win32-x64', 43620: 'win32-arm64' };

/** The platform a native file is for, such as `linux-x64`; `undefined` when its header is none of the three formats. */
export function platformOf(path) {
  const head = Buffer.alloc(4096);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  if (head.readUInt32BE(0) === 0x7f454c46) return ELF[head.readUInt16LE(18)];
  if (head.readUInt32LE(0) === 0xfeedfacf) return MACH_O[head.readUInt32LE(4)];
  const at = head.readUInt32LE(0x3c);
  if (head.toString('latin1', 0, 2) === 'MZ' && at < 4000 && head.toString('latin1', at, at + 4) === 'PE\0\0')
    return PE[head.readUInt16LE(at + 4)];
  return undefined;
}

/** Every native file below a folder, with the platform its header names. */
export const nativeFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.node'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(folder, path), platform: platformOf(path) }));
