/** Several wallets in one home on the command line: creation, labels, listing, removal, backup, and `--wallet`. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupCommand } from '../../src/cli/homes/backup.ts';
import { restoreCommand } from '../../src/cli/homes/restore.ts';
import { principalsCommand } from '../../src/cli/http/principals.ts';
import { walletCommand } from '../../src/cli/keys/wallet.ts';
import { balanceCommand } from '../../src/cli/money/balance.ts';
import { limitsCommand } from '../../src/cli/money/limits.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { writeStoreRecord } from '../../src/secrets/stores/chooseStore.ts';
import { createFileStore } from '../../src/secrets/stores/fileStore.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { TEST_WORK_FACTOR } from '../secrets/temporaryHome.ts';
import { type RunOptions, run } from './terminal.ts';

const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };
const MODEL = 'EGKQ3SkrVMVJYGsVuyhQ4ZV5dnJCpEFvZKvDsN1eh8JT';

let files: string;
let home: string;
/** Wallet without a label, and two later wallets. */
let [old, treasury, desk]: [string, string, string] = ['', '', ''];

const wallet = (words: readonly string[], more: Partial<RunOptions> = {}) =>
  run(walletCommand, { home, env, words, ...more });

const file = (name: string, value: object): string => {
  const path = join(files, name);
  writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
  return path;
};
const principals = (wallets: 'all' | readonly string[], policyOf = old): string => {
  file('policy.json', policyTemplate('creator', { wallet: policyOf, network: 'devnet' }));
  return file('principals.json', {
    version: 1,
    principals: [{ name: 'anna', is: [{ tokenFile: 'anna' }], wallets, policy: 'policy.json' }],
  });
};

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'countersign-wallets-'));
  home = join(files, 'home');
  const pair = createKeypair();
  old = pair.address;
  writeStoreRecord(home, { version: 1, kind: 'file', id: '0123456789ab' });
  const store = createFileStore({ home, env, workFactor: TEST_WORK_FACTOR });
  await store.set(`wallet:${old}`, pair.secret);
  await store.set('jwt', Secret.fromText('one.two.three'));
  treasury = (await wallet(['create', 'treasury'])).out;
  desk = (await wallet(['create', 'desk'])).out;
  await withOwner(home);
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

describe('countersign wallet', () => {
  it('lists wallets by label, with the legacy one as default, and shows one', async () => {
    const listed = await wallet(['list']);
    expect(listed.out.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^\\(no label\\) +${old} +default$`)),
      expect.stringMatching(new RegExp(`^desk +${desk}$`)),
      expect.stringMatching(new RegExp(`^treasury +${treasury}$`)),
    ]);
    expect(JSON.parse((await wallet(['list'], { options: { json: true } })).out)).toEqual({
      wallets: [
        { label: null, address: old, default: true },
        { label: 'desk', address: desk, default: false },
        { label: 'treasury', address: treasury, default: false },
      ],
    });
    expect((await wallet(['show'])).out).toBe(old);
    expect((await wallet(['show', 'treasury'])).out).toBe(treasury);
    expect((await wallet(['show'], { options: { wallet: desk } })).out).toBe(desk);
    expect((await wallet(['show', 'cellar'])).error).toMatchObject({
      message: 'This home has no wallet "cellar".',
      hint: expect.stringContaining(`treasury ${treasury}`),
    });
  });

  it('refuses a label that is taken, or resembles another label or an address, without creating a store', async () => {
    for (const label of ['treasury', 'treasury-', 'Treasury', 'tr-easury', createKeypair().address])
      expect([label, (await wallet(['create', label])).error]).toMatchObject([
        label,
        { code: 'INVALID_NAME' },
      ]);
    const empty = join(files, 'empty');
    expect((await wallet(['create', 'a b'], { home: empty })).error).toMatchObject({
      code: 'INVALID_NAME',
    });
    expect(existsSync(empty)).toBe(false);
    expect((await wallet(['list'])).out.split('\n')).toHaveLength(3);
  });

  it('removes a wallet only after its name is typed, and the default only after another is chosen', async () => {
    const cellar = (await wallet(['create', 'cellar'])).out;
    expect((await wallet(['remove', old], { typed: [old] })).error).toMatchObject({
      message: expect.stringContaining('is the default'),
    });
    expect((await wallet(['remove'], { typed: [''] })).error).toMatchObject({ message: 'Which wallet?' });
    expect((await wallet(['remove', 'cellar'], { typed: ['treasury'] })).error).toMatchObject({
      message: 'Nothing was removed.',
    });
    expect((await wallet(['remove', 'cellar'], { options: { yes: true } })).error).toMatchObject({
      message: expect.stringContaining('only a wallet that is empty on chain is removed'),
    });
    expect((await wallet(['remove', 'cellar'])).error).toMatchObject({
      message: expect.stringContaining('no terminal'),
    });
    expect((await wallet(['show', 'cellar'])).out).toBe(cellar);
    expect(await wallet(['remove', 'cellar'], { typed: ['cellar'] })).toMatchObject({ code: 0, out: cellar });
    expect((await wallet(['show', cellar])).error).toMatchObject({ code: 'INVALID_NAME' });
    expect((await wallet(['list'])).out.split('\n')).toHaveLength(3);
  });

  it('lists the wallets that can be emptied instead of choosing the default', async () => {
    const options = { 'rpc-url': 'http://127.0.0.1:9', 'root-url': 'http://127.0.0.1:9' };
    expect((await wallet(['empty', MODEL], { options })).error).toMatchObject({
      message: expect.stringContaining(
        `There is more than one wallet in this home: ${old} (default), desk ${desk}`,
      ),
      hint: expect.stringContaining('--wallet LABEL'),
    });
    expect((await wallet(['empty', desk], { options: { ...options, wallet: 'desk' } })).error).toMatchObject({
      message: 'That is the wallet itself.',
    });
  });
});

describe('--wallet', () => {
  it('accepts a label or an address in `limits`, and refuses a wallet that the policy does not name', async () => {
    const made = policyTemplate('creator', { wallet: old, network: 'devnet' });
    const both = [
      { label: 'first', address: old },
      { label: 'treasury', address: treasury },
    ];
    const policy = file('limits.json', { ...made, wallets: both });
    const limits = (wallet?: string) =>
      run(limitsCommand, { home, env, options: { policy, wallet, live: true } });
    const all = await limits();
    expect(all.out).toContain(`${old}  first`);
    expect(all.out).toContain(`${treasury}  treasury`);
    for (const name of ['treasury', treasury]) {
      expect((await limits(name)).out).toContain(treasury);
      expect((await limits(name)).out).not.toContain(old);
    }
    expect((await limits('desk')).error).toMatchObject({
      message: `The policy does not name the wallet ${desk}.`,
    });
  });

  it('accepts any address in `balance`, but only labels of this home', async () => {
    const options = { 'rpc-url': 'http://127.0.0.1:9' };
    const balance = (wallet: string, at = home) =>
      run(balanceCommand, { home: at, env, options: { ...options, wallet } });
    expect((await balance('cellar')).error).toMatchObject({ message: 'This home has no wallet "cellar".' });
    expect((await balance('not one!')).error).toMatchObject({
      message: 'That is neither an address nor a label.',
    });
    // The address is arbitrary; the failure comes from the missing RPC.
    expect((await balance(MODEL, join(files, 'nowhere'))).error).not.toMatchObject({ code: 'INVALID_NAME' });
  });
});

describe('countersign principals', () => {
  const check = (path: string, verb = 'check', more: Partial<RunOptions> = {}) =>
    run(principalsCommand, { home, env, words: [verb, path], ...more });

  it('names labels with their addresses, and the digest equals that of the file with addresses', async () => {
    const byLabel = await check(principals(['treasury', desk]));
    expect(byLabel.err).toContain(`wallets treasury ${treasury}, desk ${desk}`);
    const byAddress = await check(principals([treasury, desk]));
    expect(byLabel.out).toBe(byAddress.out);
    expect(byLabel.out).not.toBe((await check(principals([treasury, old]))).out);
  });

  it('T132 accept refuses a file that names a wallet missing here, as check reports', async () => {
    for (const [named, typed] of [
      [['treasury', 'tresury'], [OWNER_PASSPHRASE]],
      [[MODEL], [OWNER_PASSPHRASE]],
    ] as const) {
      const path = principals(named);
      const lacking = named.at(-1);
      const refused = await check(path, 'accept', { typed });
      expect(refused.error).toMatchObject({
        message: `The principal anna names the wallet ${lacking}, which this home does not have.`,
        hint: expect.stringContaining('countersign wallet import FILE'),
      });
      const result = await check(path);
      expect([result.code, result.err.replace(/\s+/g, ' ')]).toEqual([
        0,
        expect.stringContaining(`names the wallet ${lacking}`),
      ]);
    }
    const accepted = await check(principals(['treasury']), 'accept', { typed: [OWNER_PASSPHRASE] });
    expect([accepted.error, accepted.code]).toEqual([undefined, 0]);
  });

  it("T132 accept takes addresses, but no labels, on a person's machine without wallets", async () => {
    const machine = join(files, 'machine');
    await withOwner(machine);
    const typed = [OWNER_PASSPHRASE];
    const accepted = await check(principals([MODEL]), 'accept', { home: machine, typed });
    expect([accepted.error, accepted.code]).toEqual([undefined, 0]);
    expect(accepted.err).toContain('cannot be checked here whether the hosts have the named ones');
    expect((await check(principals(['treasury']), 'accept', { home: machine, typed })).error).toMatchObject({
      hint: expect.stringContaining('use addresses'),
    });
  });
});

it('a backup restores all wallets of a home with labels and default, whatever their labels', async () => {
  const [out, other] = [join(files, 'backup'), join(files, 'other')];
  const machine = { ...env, XDG_DATA_HOME: join(files, 'data') };
  expect(await run(backupCommand, { home, env: machine, words: [out] })).toMatchObject({
    error: undefined,
    code: 0,
  });
  const restored = await run(restoreCommand, {
    home: other,
    env: machine,
    words: [out],
    options: { yes: true },
  });
  expect([restored.error, restored.code]).toEqual([undefined, 0]);
  const before = await wallet(['list'], { options: { json: true } });
  expect((await wallet(['list'], { home: other, options: { json: true } })).out).toBe(before.out);
});
