/** Emptying and removing one of two wallets: the other receives its assets and is otherwise unchanged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/index.ts';
import { ownerCommand } from '../../src/cli/keys/owner.ts';
import { walletCommand } from '../../src/cli/keys/wallet.ts';
import { balanceCommand } from '../../src/cli/money/balance.ts';
import { limitsCommand } from '../../src/cli/money/limits.ts';
import { initPolicyCommand } from '../../src/cli/policy/init.ts';
import { OWNER_PASSPHRASE } from '../approval/owner.ts';
import { type RunOptions, run } from './terminal.ts';

it('a funded default wallet must be named to be removed, and is removed only once the chain shows it empty', async () => {
  const files = mkdtempSync(join(tmpdir(), 'countersign-emptied-'));
  onTestFinished(() => rmSync(files, { recursive: true, force: true }));
  const sandbox = await startSandbox({ slotMs: 400 });
  onTestFinished(() => sandbox.close());
  const home = join(files, 'home');
  const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic', COUNTERSIGN_API_KEY: sandbox.apiKey };
  const place = { 'rpc-url': sandbox.rpcUrl, 'root-url': sandbox.rootUrl, live: true };
  const wallet = (words: string[], more: Partial<RunOptions> = {}) =>
    run(walletCommand, { home, env, words, ...more, options: { ...place, ...more.options } });
  const treasury = (await wallet(['create', 'treasury'])).out;
  const desk = (await wallet(['create', 'desk'])).out;
  const owner = await run(ownerCommand, {
    home,
    env,
    words: ['create'],
    typed: [OWNER_PASSPHRASE, OWNER_PASSPHRASE],
  });
  expect([owner.error, owner.code]).toEqual([undefined, 0]);
  for (const address of [treasury, desk]) sandbox.chain.airdrop(address, 1_000_000_000n);
  sandbox.chain.advanceSlots(40);
  const lamports = async (name: string): Promise<bigint> => {
    const { out } = await run(balanceCommand, {
      home,
      env,
      options: { ...place, wallet: name, json: true },
    });
    return BigInt(/"lamports":"(\d+)"/.exec(out)?.[1] ?? '-1');
  };
  expect([await lamports('treasury'), await lamports('desk')]).toEqual([1_000_000_000n, 1_000_000_000n]);

  // The policy is named after its wallet.
  const policy = join(files, 'policy.json');
  const template = { ...place, template: 'creator', out: policy, wallet: 'desk' };
  expect(
    (await run(initPolicyCommand, { home, env, words: ['init'], options: template })).error,
  ).toBeUndefined();
  const shown = await run(limitsCommand, {
    home,
    env,
    options: { ...place, policy, wallet: 'desk', json: true },
  });
  expect(shown.out).toContain(`"wallet":"${desk}"`);
  expect(shown.out).not.toContain(treasury);

  const confirmed = { yes: true };
  expect((await wallet(['remove', 'desk'], { options: confirmed })).error).toMatchObject({
    message: expect.stringContaining('that is empty on chain'),
  });
  // A fleet's ledger is used, with its freezes and open signatures; without it nothing is sent.
  const apart = await wallet(['empty', treasury], {
    options: { wallet: 'desk', ledger: 'postgres://me@127.0.0.1:9/ledger' },
    typed: [OWNER_PASSPHRASE],
  });
  expect(apart.error).toMatchObject({ code: 'LEDGER_UNHEALTHY' });
  expect(await lamports('desk')).toBe(1_000_000_000n);

  const emptied = await wallet(['empty', treasury], {
    options: { wallet: 'desk' },
    typed: [OWNER_PASSPHRASE],
  });
  expect([emptied.error, emptied.code]).toEqual([undefined, 0]);
  expect(emptied.err).toContain(`wallet remove ${desk}`);
  expect(await lamports('desk')).toBe(0n);
  expect(await lamports('treasury')).toBeGreaterThan(1_990_000_000n);

  expect(await wallet(['remove', 'desk'], { options: confirmed })).toMatchObject({
    error: undefined,
    code: 0,
    out: desk,
  });
  expect((await wallet(['list'])).out).toMatch(new RegExp(`^treasury +${treasury} +default$`));
  expect((await wallet(['show', desk])).error).toMatchObject({ code: 'INVALID_NAME' });
});
