/** T80 F60: a home that signed for real, whose ledger is lost, and what the owner key brings back. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/attacks/sandbox.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerCommand } from '../../src/cli/records/ledger.ts';
import { createCountersign } from '../../src/index.ts';
import { policyTemplate } from '../../src/policy/file/templates.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { run } from './terminal.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const AMOUNT = 20_000_000n;
/** Statuses of a plan that submitting again goes on with. */
const UNFINISHED: readonly unknown[] = ['running', 'unknown'];
/** Only ends what hangs: how long a machine takes over five swaps and an owner key decides nothing here. */
const HANGS_MS = 300_000;

/** A home with a wallet, an owner key and a policy whose SOL limit has room for three swaps. */
async function tradingHome() {
  const sandbox = await startSandbox({ slotMs: 400 });
  onTestFinished(() => sandbox.close());
  const home = temporaryHome();
  const file = (name: string, text: string) => {
    const path = join(home, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { address, secretKey } = sandbox.wallet;
  const owner = await withOwner(home);
  const env = {
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_WALLET_FILE: file('wallet.json', JSON.stringify([...secretKey])),
    COUNTERSIGN_API_KEY: sandbox.apiKey,
    COUNTERSIGN_ROOT_URL: sandbox.rootUrl,
    COUNTERSIGN_OWNER_PUBLIC_KEY: (await owner()) ?? '',
  };
  const made = policyTemplate('sandbox', { wallet: address, network: sandbox.genesisHash });
  const limits = made.limits.map((limit) =>
    'asset' in limit && limit.asset === 'SOL' && limit.window !== 'transaction'
      ? { ...limit, max: `${4n * AMOUNT}` }
      : limit,
  );
  const policy = file('policy.json', JSON.stringify({ ...made, limits }));
  const { rootUrl, rpcUrl } = sandbox;
  const open = () => createCountersign({ mode: 'live', home, rootUrl, rpcUrl, policy, env });
  const command = (words: string[], typed?: string[], more: Record<string, string> = {}) =>
    run(words[0] === 'audit' ? auditCommand : ledgerCommand, {
      home,
      env,
      words: words.slice(1),
      options: { live: true, 'rpc-url': rpcUrl, 'root-url': rootUrl, policy, ...more },
      ...(typed === undefined ? {} : { typed }),
    });
  const elsewhere = file('elsewhere.json', JSON.stringify({ ...made, limits, network: SOL }));
  return { home, open, command, elsewhere, chain: sandbox.chain };
}

/** Swaps once; the outcome's status, or the code of what refused it. */
async function swap(server: ReturnType<typeof createCountersign>): Promise<string> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent } = await server.callTool(name, args);
    return JSON.parse(JSON.stringify(structuredContent));
  };
  const feed = await call('get_launch_feed', {});
  const outputMint = /"tokenMint":"(\w+)"/.exec(JSON.stringify(feed))?.[1];
  const quote = await call('get_swap_quote', { inputMint: SOL, outputMint, amount: `${AMOUNT}` });
  const requestId = /"requestId":"([\w-]+)"/.exec(JSON.stringify(quote))?.[1];
  if (requestId === undefined) return quote.code ?? 'no quote';
  const built = await call('create_swap', { requestId });
  const planId = built.plan?.planId;
  if (planId === undefined) return built.code ?? 'nothing';
  let done = await call('submit_plan', { planId, waitSeconds: 20 });
  while (UNFINISHED.includes(done.plan?.status)) {
    done = await call('submit_plan', { planId, waitSeconds: 20 });
  }
  return done.plan?.status === 'complete'
    ? 'complete'
    : (done.plan?.decision?.reasonCodes?.[0] ?? done.code ?? done.plan?.status);
}

it(
  'T80 a lost ledger is begun again by the owner key alone, and what was spent before still counts',
  async () => {
    const { home, open, command, elsewhere, chain } = await tradingHome();
    const first = open();
    expect([await swap(first), await swap(first)]).toEqual(['complete', 'complete']);
    await first.close();
    // Nothing of it can land any more; `accept` would wait for that.
    chain.advanceSlots(200);
    expect(await command(['ledger', 'accept'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('The ledger is whole'),
    });

    for (const name of readdirSync(home)) if (name.startsWith('ledger')) rmSync(join(home, name));
    const second = open();
    expect((await second.callTool('get_launch_feed')).isError).toBeUndefined();
    expect(await swap(second)).toBe('LEDGER_LOST');
    const status = await second.callTool('get_status');
    expect(status.structuredContent).toMatchObject({ ledger: expect.stringContaining('LEDGER_LOST') });
    expect(await command(['audit', 'verify'])).not.toMatchObject({ code: 0 });

    expect((await command(['ledger', 'accept'])).error).toMatchObject({ code: 'NOT_SET_UP' });
    expect((await command(['ledger', 'accept'], ['not the passphrase'])).code).not.toBe(0);
    expect(await swap(second)).toBe('LEDGER_LOST');

    const wrong = await command(['ledger', 'accept'], [OWNER_PASSPHRASE], { policy: elsewhere });
    expect(wrong.error).toMatchObject({
      code: 'NOT_SET_UP',
      message: expect.stringContaining(`for the network ${SOL}`),
    });

    const ran = await command(['ledger', 'accept'], [OWNER_PASSPHRASE]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('a new ledger is in place') });
    expect(ran.told).toMatch(/The chain shows \d+ transactions of the wallet/);
    expect(await command(['audit', 'verify'])).toMatchObject({ code: 0 });
    // The server that was running goes on, with what is left of the limit.
    expect(await swap(second)).toBe('complete');
    expect(await swap(second)).toBe('LIMIT_EXCEEDED');
    await second.close();
    expect(readdirSync(join(home, 'archive'))).toHaveLength(1);
  },
  HANGS_MS,
);
