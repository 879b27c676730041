import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  createHome,
  liveEnvironment,
  object,
  type SandboxProcess,
  startSandbox,
  startServer,
  text,
} from '../e2e/harness.ts';
import { runHere } from '../e2e/inProcess.ts';
import { EVERY_TOOLSET } from '../e2e/scene.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { everyTool, type Place } from './everyTool.ts';

const post = async (url: string, body: unknown) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return object(await response.json());
};

/** Returns the encodings in which a key file's 64 bytes could leak. */
function spellings(file: string): string[] {
  const bytes = Buffer.from(JSON.parse(readFileSync(file, 'utf8')));
  return [bytes.toString('hex'), bytes.toString('base64'), bytes.subarray(0, 32).toString('hex')];
}

describe('serve --sandbox', () => {
  let place: Place;
  beforeAll(async () => {
    const { home } = createHome();
    const server = await startServer(['--sandbox', '--toolsets', EVERY_TOOLSET, '--set', 'slot-ms=200'], {
      COUNTERSIGN_HOME: home,
    });
    const { rootUrl, rpcUrl, wallet } = await server.ok('get_status');
    place = {
      server,
      wallet: text(wallet),
      secrets: [],
      rpc: async (method, params = []) =>
        (await post(text(rpcUrl), { jsonrpc: '2.0', id: 1, method, params })).result,
      control: (name, body) => post(`${text(rootUrl)}/sandbox/${name}`, body),
    };
  });
  afterAll(() => place.server.stop());

  everyTool(() => place);
});

// The same calls on a live server, by `npm run exhaustive`; the suite covers live mode in test/e2e/live.test.ts.
if (EXHAUSTIVE)
  describe('serve --live --profile bags, against its own sandbox', () => {
    let sandbox: SandboxProcess;
    let place: Place;
    beforeAll(async () => {
      sandbox = await startSandbox(['--profile', 'bags', '--set', 'slot-ms=200']);
      const wallet = createHome();
      await sandbox.rpc('requestAirdrop', [wallet.address, 100_000_000_000]);
      const env = { ...liveEnvironment(wallet, sandbox), COUNTERSIGN_JWT: sandbox.jwt };
      const policy = join(wallet.home, 'policy.json');
      const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
      const made = await runHere([...init, '--rpc-url', sandbox.rpcUrl, '--profile', 'bags'], env);
      expect(made.code, made.err).toBe(0);
      const where = ['--profile', 'bags', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl];
      const server = await startServer(
        ['--live', ...where, '--policy', policy, '--toolsets', EVERY_TOOLSET],
        env,
      );
      place = {
        server,
        wallet: wallet.address,
        secrets: [sandbox.apiKey, sandbox.jwt, ...spellings(wallet.file)],
        rpc: sandbox.rpc,
        control: sandbox.control,
      };
    });
    afterAll(async () => {
      await place.server.stop();
      sandbox.stop();
    });

    everyTool(() => place);
  });
