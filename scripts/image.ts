/**
 * `npm run image`: the container image, built and run. With a builder at hand (docker) it builds and runs the image; without
 * one it runs the steps of the Dockerfile in a chroot, says so, and runs the result there as the image's user. In both it
 * checks what docs/containers.md promises: not root, nothing written but in /data, a plan that lands, and the sandbox as a
 * service that a server in live mode uses.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { buildInChroot } from './image/chroot.ts';
import { readDockerfile } from './image/dockerfile.ts';

/** How to start a program of the image: the command line, and what is cleaned up afterwards. */
interface Runner {
  /** A command line that runs `entrypoint` (else the image's own) with `args`. */
  line(
    args: readonly string[],
    options?: { entrypoint?: string; env?: Record<string, string> },
  ): readonly [string, ...string[]];
  /** Files outside the volume that are not as the build left them. */
  changed(): readonly string[];
  remove(): void;
}

const IMAGE = 'countersign-image-check';
const say = (line: string): void => console.log(line);

/** Whether docker can build here: a daemon answers, and the base image is there or can be fetched. */
function dockerBuilds(): boolean {
  const ran = (...args: string[]): boolean => spawnSync('docker', args, { stdio: 'ignore' }).status === 0;
  const bases = readDockerfile(readFileSync('Dockerfile', 'utf8')).map(({ base }) => base);
  return ran('info') && bases.every((base) => ran('image', 'inspect', base) || ran('pull', base));
}

function withDocker(): Runner {
  const own: { mcpName: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  const label = `io.modelcontextprotocol.server.name=${own.mcpName}`;
  execFileSync('docker', ['build', '--tag', IMAGE, '--label', label, '.'], { stdio: 'inherit' });
  const hardened = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--network=host'];
  return {
    line: (args, { entrypoint, env = {} } = {}) => [
      'docker',
      'run',
      '--rm',
      '--interactive',
      ...hardened,
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
      IMAGE,
      ...args,
    ],
    // The file system is read-only: there is nothing to compare.
    changed: () => [],
    remove: () => void spawnSync('docker', ['image', 'rm', IMAGE], { stdio: 'ignore' }),
  };
}

function inChroot(): Runner {
  const built = buildInChroot(process.cwd(), say);
  const files = (): string[] =>
    readdirSync(built.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(built.root.length))
      .filter((path) => !built.volumes.some((volume) => path.startsWith(`${volume}/`)));
  const before = new Set(files());
  return {
    line: (args, { entrypoint, env = {} } = {}) => {
      const [user, group] = built.user.split(':');
      const set = Object.entries({ ...built.env, ...env }).map(([name, value]) => `${name}=${value}`);
      const as = ['chroot', `--userspec=${user}:${group}`, '--groups=', built.root];
      return [
        'env',
        '-i',
        ...set,
        ...as,
        ...(entrypoint === undefined ? built.entrypoint : [entrypoint]),
        ...args,
      ];
    },
    changed: () => files().filter((path) => !before.has(path)),
    remove: built.remove,
  };
}

const results = z.looseObject({
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** A client of `serve` with some options; calls a tool and gives its structured result. */
async function served(runner: Runner, args: readonly string[], env: Record<string, string> = {}) {
  const [command, ...rest] = runner.line(['serve', ...args], { env });
  const client = new Client({ name: 'image-check', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args: rest, env: { PATH: process.env.PATH ?? '' } }),
  );
  const call = async (
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> => {
    const answer = results.parse(await client.callTool({ name, arguments: input }));
    if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    return answer.structuredContent ?? {};
  };
  return { call, close: () => client.close() };
}

async function landsAPlan(runner: Runner): Promise<void> {
  const { call, close } = await served(runner, ['--sandbox']);
  const { address } = await call('get_wallet');
  const { tokenMint } = await call('create_token_info', {
    name: 'Boxed',
    symbol: 'BOX',
    description: 'from an image',
    imageUrl: 'https://example.com/a.png',
  });
  const shares = { claimersArray: [address], basisPointsArray: [10_000], flow: 'damm_v2_direct' };
  const { plan } = await call('create_fee_share_config', { baseMint: tokenMint, payer: address, ...shares });
  for (let status = ''; status !== 'complete'; ) {
    const answer = await call('submit_plan', { planId: Object(plan).planId, waitSeconds: 30 });
    status = String(Object(answer.plan).status);
    if (!['complete', 'running', 'ready', 'waiting_setup'].includes(status))
      throw new Error(`the plan is ${status}`);
  }
  await close();
}

const firstLine = z.object({ rootUrl: z.string(), rpcUrl: z.string(), apiKey: z.string() });

/** The sandbox of the image as a service, and a server of the image in live mode that uses it. */
async function rehearses(runner: Runner): Promise<void> {
  const [command, ...args] = runner.line(['sandbox', '--json', '--seed', 'rehearsal']);
  const sandbox = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const printed = await new Promise<string>((done, failed) => {
      let text = '';
      sandbox.stdout.on('data', (chunk) => {
        text += chunk;
        if (text.includes('\n')) done(text);
      });
      sandbox.once('exit', (code) => failed(new Error(`the sandbox ended with ${code}`)));
    });
    const { rootUrl, rpcUrl, apiKey } = firstLine.parse(JSON.parse(printed));
    const env = { COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: apiKey };
    const { call, close } = await served(runner, ['--live', '--root-url', rootUrl, '--rpc-url', rpcUrl], env);
    const { mode, service } = await call('get_status');
    if (mode !== 'live' || service !== 'answering') throw new Error(`live mode says ${mode}, ${service}`);
    await close();
  } finally {
    const ended = new Promise((done) => sandbox.once('exit', done));
    sandbox.kill('SIGTERM');
    await ended;
  }
}

function isNotRoot(runner: Runner): void {
  const [command, ...args] = runner.line(['-p', 'process.getuid()'], { entrypoint: 'node' });
  const uid = execFileSync(command, args, { encoding: 'utf8' }).trim();
  if (uid === '0') throw new Error('it runs as root');
  const write =
    "try { require('fs').writeFileSync('/app/new', ''); console.log('written') } catch (e) { console.log(e.code) }";
  const [again, ...more] = runner.line(['-e', write], { entrypoint: 'node' });
  const said = execFileSync(again, more, { encoding: 'utf8' }).trim();
  if (said !== 'EROFS' && said !== 'EACCES') throw new Error(`it can write to its own program: ${said}`);
}

const docker = dockerBuilds();
if (!docker && spawnSync('chroot', ['/', 'true'], { stdio: 'ignore' }).status !== 0) {
  say('image: not built, not run: no builder answers here, and this user may not change its root folder');
  process.exit(0);
}
say(
  docker
    ? 'image: built and run with docker'
    : "image: no builder answers here; the steps of the Dockerfile run in a chroot, with this machine's Node in place of the base image",
);
const runner = docker ? withDocker() : inChroot();
try {
  isNotRoot(runner);
  say('ok   runs as another user than root and cannot write to its program');
  await landsAPlan(runner);
  say('ok   serve lands a plan in its sandbox');
  await rehearses(runner);
  say('ok   the sandbox as a service, used by serve in live mode');
  const changed = runner.changed();
  if (changed.length > 0) throw new Error(`written outside the volume: ${changed.join(', ')}`);
  say('ok   nothing was written outside /data');
} finally {
  runner.remove();
}
