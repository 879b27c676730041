/**
 * `npm run image`: builds the container image with Docker, runs it, and checks what docs/setup.md says: a read-only
 * root, not root, a plan executed in the sandbox, and the sandbox as a service for a server in live mode.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

const IMAGE = 'countersign-image-check';
const print = (line: string): void => console.log(line);

/** The command line that runs the image's entrypoint, or another one, in a container with a read-only root. */
function commandLine(
  args: readonly string[],
  { entrypoint, env = {} }: { entrypoint?: string; env?: Record<string, string> } = {},
): string[] {
  return [
    ...['run', '--rm', '--interactive', '--network=host'],
    ...['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    IMAGE,
    ...args,
  ];
}

const results = z.looseObject({
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** Starts `serve` with the given options and returns a function that calls a tool for its structured result. */
async function served(args: readonly string[], env: Record<string, string> = {}) {
  const client = new Client({ name: 'image-check', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: 'docker',
      args: commandLine(['serve', ...args], { env }),
      env: { PATH: process.env.PATH ?? '' },
    }),
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

async function landsAPlan(): Promise<void> {
  const { call, close } = await served(['--sandbox']);
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

/** Runs the image's sandbox as a service, and a server of the image in live mode against it. */
async function rehearses(): Promise<void> {
  const sandbox = spawn('docker', commandLine(['sandbox', '--json', '--seed', 'rehearsal']), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
    const { call, close } = await served(['--live', '--root-url', rootUrl, '--rpc-url', rpcUrl], env);
    const { mode, service } = await call('get_status');
    if (mode !== 'live' || service !== 'answering') throw new Error(`live mode says ${mode}, ${service}`);
    await close();
  } finally {
    const ended = new Promise((done) => sandbox.once('exit', done));
    sandbox.kill('SIGTERM');
    await ended;
  }
}

function isNotRoot(): void {
  const node = (...args: string[]): string =>
    execFileSync('docker', commandLine(args, { entrypoint: 'node' }), { encoding: 'utf8' }).trim();
  const uid = node('-p', 'process.getuid()');
  if (uid === '0') throw new Error('it runs as root');
  const write =
    "try { require('fs').writeFileSync('/app/new', ''); console.log('written') } catch (e) { console.log(e.code) }";
  const output = node('-e', write);
  if (output !== 'EROFS' && output !== 'EACCES')
    throw new Error(`it can write to its own program: ${output}`);
}

const { mcpName }: { mcpName: string } = JSON.parse(readFileSync('package.json', 'utf8'));
const label = `io.modelcontextprotocol.server.name=${mcpName}`;
execFileSync('docker', ['build', '--tag', IMAGE, '--label', label, '.'], { stdio: 'inherit' });
try {
  isNotRoot();
  print('ok   runs as another user than root and cannot write to its program');
  await landsAPlan();
  print('ok   serve lands a plan in its sandbox');
  await rehearses();
  print('ok   the sandbox as a service, used by serve in live mode');
} finally {
  spawnSync('docker', ['image', 'rm', IMAGE], { stdio: 'ignore' });
}
