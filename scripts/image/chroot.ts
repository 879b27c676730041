/**
 * Runs the steps of the Dockerfile where there is no builder: each stage is a folder with this machine's Node, npm and
 * shell in place of the base image, and each step runs in it through chroot. Needs root, and Linux.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { readDockerfile, type Stage, variables, words } from './dockerfile.ts';

/** What the steps call, besides Node and npm. */
const PROGRAMS = ['sh', 'env', 'cp', 'ln', 'mkdir', 'chown', 'rm', 'chmod'];
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

export interface Built {
  /** The folder that is the root of the finished image. */
  readonly root: string;
  readonly user: string;
  readonly env: Record<string, string>;
  readonly entrypoint: readonly string[];
  readonly volumes: readonly string[];
  remove(): void;
}

const out = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Copies a program and the shared libraries it is linked with. */
function bring(root: string, program: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  cpSync(realpathSync(program), join(root, to));
  for (const [, library = ''] of out('ldd', [program]).matchAll(/(\/\S+)(?= \(0x)/g)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    if (!existsSync(join(root, library))) cpSync(realpathSync(library), join(root, library));
  }
}

/** A folder that stands for the base image: Node, npm, a shell and what looks up host names. */
function base(root: string): void {
  bring(root, process.execPath, '/usr/local/bin/node');
  for (const name of PROGRAMS) bring(root, out('sh', ['-c', `command -v ${name}`]), `/usr/bin/${name}`);
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync(join(root, 'usr/bin/sh'), join(root, 'bin/sh'));
  const npm = dirname(dirname(realpathSync(out('sh', ['-c', 'command -v npm']))));
  cpSync(npm, join(root, 'usr/local/lib/npm'), { recursive: true });
  writeFileSync(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  // A script, by which programs find out which C library they run on.
  cpSync('/usr/bin/ldd', join(root, 'usr/bin/ldd'));
  for (const folder of ['tmp', 'dev', 'root', 'etc']) mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  // Where devices cannot be made, a file that all may write to does.
  if (spawnSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']).status !== 0) {
    writeFileSync(join(root, 'dev/null'), '');
    chmodSync(join(root, 'dev/null'), 0o666);
  }
  const libraries = dirname(out('sh', ['-c', `ldd ${process.execPath} | grep -o '/[^ ]*libc\\.so\\.6'`]));
  for (const name of ['librt.so.1', 'libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'])
    if (existsSync(join(libraries, name)))
      cpSync(realpathSync(join(libraries, name)), join(root, libraries, name));
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf'])
    if (existsSync(file)) cpSync(realpathSync(file), join(root, file));
}

/** Where npm of a step fetches packages: where npm here does, by the same certificates. */
function registry(root: string): Record<string, string> {
  const config = (name: string): string => out('npm', ['config', 'get', name]);
  const env: Record<string, string> = { npm_config_registry: config('registry') };
  const certificates = [process.env.NODE_EXTRA_CA_CERTS, config('cafile')].find(
    (file) => file !== undefined && existsSync(file),
  );
  if (certificates !== undefined) {
    cpSync(realpathSync(certificates), join(root, 'etc/certificates.pem'));
    env.npm_config_cafile = '/etc/certificates.pem';
  }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'])
    if (process.env[name] !== undefined) env[name] = process.env[name];
  // What npm here has fetched before, as links where both are on one file system.
  const cache = join(config('cache'), '_cacache');
  mkdirSync(join(root, 'npm-cache'));
  spawnSync('cp', ['-al', cache, join(root, 'npm-cache', '_cacache')], { stdio: 'ignore' });
  return {
    ...env,
    npm_config_cache: '/npm-cache',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

interface Folder {
  readonly root: string;
  workdir: string;
}

function copy(step: string, stage: Folder, context: string, done: ReadonlyMap<string, string>): void {
  const [, from, rest = step] = /^--from=(\S+)\s+(.*)$/.exec(step) ?? [];
  const paths = rest.split(/\s+/);
  const target = posix.resolve(stage.workdir, paths.pop() ?? '.');
  const source = from === undefined ? context : done.get(from);
  if (source === undefined) throw new Error(`no stage ${from}`);
  const ignored = new Set(readFileSync(join(context, '.dockerignore'), 'utf8').split('\n').filter(Boolean));
  const wanted = (path: string): boolean =>
    from !== undefined ||
    ![...ignored].some((each) =>
      each.startsWith('*')
        ? path.endsWith(each.slice(1))
        : basename(path) === each && dirname(path) === context,
    );
  for (const path of paths) {
    const whole = join(source, path);
    const to = rest.endsWith('./') ? posix.join(target, basename(path)) : target;
    cpSync(whole, join(stage.root, to), { recursive: true, filter: wanted, verbatimSymlinks: true });
  }
}

/** Runs all stages and gives the last one's root. `context` is the folder of the Dockerfile. */
export function buildInChroot(context: string, tell: (line: string) => void): Built {
  const place = mkdtempSync(join(tmpdir(), 'countersign-image-'));
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  try {
    const done = new Map<string, string>();
    const stages = readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'));
    let built: Omit<Built, 'remove'> | undefined;
    for (const [at, stage] of stages.entries()) {
      const folder: Folder = { root: join(place, String(at)), workdir: '/' };
      mkdirSync(folder.root);
      base(folder.root);
      built = runStage(stage, folder, { context, done, tell });
      done.set(stage.name ?? String(at), folder.root);
    }
    if (built === undefined) throw new Error('the Dockerfile has no stage');
    for (const root of done.values()) if (root !== built.root) rmSync(root, { recursive: true, force: true });
    return { ...built, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

interface Run {
  readonly context: string;
  readonly done: ReadonlyMap<string, string>;
  readonly tell: (line: string) => void;
}

function runStage(stage: Stage, folder: Folder, { context, done, tell }: Run): Omit<Built, 'remove'> {
  let outside: Record<string, string> | undefined;
  const env: Record<string, string> = {};
  const volumes: string[] = [];
  let user = '0:0';
  let entrypoint: string[] = [];
  for (const { instruction, rest } of stage.steps) {
    tell(`${instruction} ${rest}`);
    if (instruction === 'WORKDIR') {
      folder.workdir = rest;
      mkdirSync(join(folder.root, rest), { recursive: true });
    }
    if (instruction === 'COPY') copy(rest, folder, context, done);
    if (instruction === 'ENV') Object.assign(env, variables(rest));
    if (instruction === 'VOLUME') volumes.push(rest);
    if (instruction === 'USER') user = rest;
    if (instruction === 'ENTRYPOINT') entrypoint = words(rest);
    if (instruction !== 'RUN') continue;
    if (rest.startsWith('npm ci')) outside ??= registry(folder.root);
    const { status, signal, error } = spawnSync(
      'chroot',
      [folder.root, '/bin/sh', '-ec', `cd ${folder.workdir}\n${rest}`],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { PATH, HOME: '/root', ...outside, ...env },
      },
    );
    if (status !== 0)
      throw new Error(`a step of the Dockerfile failed (${signal ?? status}, ${error}): RUN ${rest}`);
  }
  return { root: folder.root, user, env: { PATH, HOME: '/', ...env }, entrypoint, volumes };
}
