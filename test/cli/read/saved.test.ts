/** `countersign read build … --out DIR`: what a service built becomes a fixture that anyone can replay, and holds no secret. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { budgetFor, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { fixtureOf, saveFixtures } from '../../../src/cli/read/fixture.ts';
import { planAround } from '../../../src/cli/read/input.ts';
import { readCommand } from '../../../src/cli/read/read.ts';
import { inputsOf, readOne } from '../../../src/cli/read/stages.ts';
import { systemClock } from '../../../src/clock.ts';
import { profiles } from '../../../src/contract/profiles/index.ts';
import { readInstructions } from '../../../src/programs/read.ts';
import { NO_VIEW } from '../../../src/programs/view.ts';
import { createRedactor } from '../../../src/secrets/redaction/redact.ts';
import { createMemoryBudget, createServiceClient } from '../../../src/service/index.ts';
import { resolveInstructions } from '../../../src/transaction/accounts.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { decodeWire } from '../../../src/transaction/wire.ts';
import {
  createHome,
  object,
  objects,
  type SandboxProcess,
  someAddress,
  startSandbox,
  text,
} from '../../e2e/harness.ts';
import { run } from '../terminal.ts';

const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

let sandbox: SandboxProcess;
let files: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  files = mkdtempSync(join(tmpdir(), 'countersign-saved-'));
});
afterAll(() => {
  sandbox.stop();
  rmSync(files, { recursive: true, force: true });
});

/** Asks for a config with enough claimers that it needs an address table, and saves what was read. */
async function saved(key: string) {
  const wallet = createHome();
  await sandbox.rpc('requestAirdrop', [wallet.address, 5_000_000_000]);
  const service = createServiceClient({
    profile: profiles.contract,
    rootUrl: sandbox.rootUrl,
    apiKey: async () => sandbox.apiKey,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
  const { tokenMint } = await service.call('createTokenInfo', {
    ...{ name: 'Saved', symbol: 'SAVE', description: 'of a test', imageUrl: 'https://example.com/a.png' },
  });
  const request = join(files, 'request.json');
  writeFileSync(
    request,
    JSON.stringify({
      ...{ baseMint: tokenMint, payer: wallet.address, flow: 'damm_v2_direct' },
      claimersArray: [wallet.address, someAddress()],
      basisPointsArray: [6_000, 4_000],
    }),
  );
  const folder = join(files, 'made', 'fixtures');
  const ran = await run(readCommand, {
    home: wallet.home,
    words: ['build', 'feeShareConfig', request],
    env: { COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: key },
    options: { 'root-url': sandbox.rootUrl, 'rpc-url': sandbox.rpcUrl, out: folder },
  });
  rmSync(wallet.home, { recursive: true, force: true });
  return { ran, folder };
}

it('writes a line for each transaction, which reads the same without the service and the RPC', async () => {
  const { ran, folder } = await saved(sandbox.apiKey);
  expect([ran.error, ran.code]).toEqual([undefined, 0]);
  const [name = '', ...others] = readdirSync(folder);
  expect([name, others]).toEqual([expect.stringMatching(/^feeShareConfig-.*\.jsonl$/), []]);
  const content = readFileSync(join(folder, name), 'utf8');
  for (const secret of [sandbox.apiKey, sandbox.rootUrl, sandbox.rpcUrl])
    expect(content).not.toContain(secret);
  const lines = content
    .trimEnd()
    .split('\n')
    .map((line) => object(JSON.parse(line)));
  expect(lines.length).toBeGreaterThan(0);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  for (const line of lines) {
    expect(Object.keys(line).sort()).toEqual(['accounts', 'id', 'slot', 'source', 'tables', 'wire']);
    expect(typeof line.slot).toBe('number');
    const transaction = readTransaction(decodeWire(text(line.wire), 'base64'));
    const tables = objects(line.tables).map(({ address, entries }) => ({
      table: text(address),
      addresses: Array.isArray(entries) ? entries.map(text) : [],
    }));
    expect(tables.map(({ table }) => table)).toEqual(transaction.lookups.map(({ table }) => table));
    for (const { reading } of readInstructions(resolveInstructions(transaction, tables), NO_VIEW))
      expect(reading.status).toBe('read');
    for (const account of objects(line.accounts)) {
      expect(text(account.lamports)).toMatch(/^\d+$/);
      const { value } = object(
        await sandbox.rpc('getAccountInfo', [
          account.address,
          { encoding: 'base64', commitment: 'confirmed' },
        ]),
      );
      expect(object(value).owner).toBe(account.owner);
    }
  }
  expect(lines.some(({ accounts }) => objects(accounts).length > 0)).toBe(true);
});

it('saves nothing where the service put the API key into a transaction', async () => {
  const key = 'cs_live_9QmX2vTzB7wK';
  const [wallet, blockhash] = [someAddress(), someAddress()];
  const memo = async (words: string) => {
    const instruction = { programAddress: MEMO_PROGRAM, accounts: [], data: Buffer.from(words) };
    const { bytes } = compileDraft(
      { format: 'v0', feePayer: wallet, instructions: [instruction], budget: budgetFor(1), signers: [] },
      { blockhash, lastValidBlockHeight: 1 },
    );
    const plan = planAround([{ title: 'Stage', transaction: readTransaction(bytes) }], wallet);
    const [stage] = plan.stages;
    if (stage === undefined) throw new Error('no stage');
    return fixtureOf('a test', readOne(stage, await inputsOf(plan, stage, new Map(), undefined)));
  };
  const redactor = createRedactor();
  redactor.register(key);
  const folder = join(files, 'leaked');
  const leaking = await memo(`for ${key}`);
  expect(() => saveFixtures(folder, 'swap', [leaking], redactor)).toThrow('Nothing was saved');
  expect(() => readdirSync(folder)).toThrow();
  saveFixtures(folder, 'swap', [await memo('for nobody')], redactor);
  expect(readdirSync(folder)).toHaveLength(1);
});
