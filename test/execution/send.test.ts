/**
 * Payments, built by this program: landed effects, and rejection of every other byte (T110 to T113).
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { budgetOf } from '../../sandbox/service/build/compile.ts';
import { createAta, mintTo, systemTransfer, transfer } from '../../sandbox/service/build/tokens.ts';
import type { SendRequest } from '../../src/builders/send.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress, isOnCurve, programAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { accountsFrom } from '../oracle/accounts.ts';
import { inventoryOf } from '../oracle/inventory.ts';
import { worse } from '../oracle/judge.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';

const friend = testKey('friend').address;
const stranger = testKey('stranger').address;

/** Policy that allows payments to listed recipients without approval; the friend is in the address book. */
const paying =
  (recipient?: 'own' | 'any') =>
  (file: PolicyFile): PolicyFile => ({
    ...file,
    addressBook: [{ label: 'friend', address: friend }],
    // No freeze: these tests cause many denials; freezes have tests of their own.
    freeze: { afterDenials: { count: 1000, windowSeconds: 600 } },
    rules: [
      ...file.rules.filter(({ operation }) => operation !== 'send'),
      { id: 'pay', operation: 'send', effect: 'allow', why: 'a test', ...(recipient && { recipient }) },
    ],
  });

let home: Home;
const started: Home[] = [];
async function start(policy: (file: PolicyFile) => PolicyFile = paying()): Promise<Home> {
  const made = await Home.withoutMarket({ policy });
  started.push(made);
  made.sandbox.advanceSlots(4);
  return made;
}
beforeEach(async () => {
  home = await start();
});
afterEach(async () => {
  for (const each of started.splice(0)) {
    await each.close();
    await each.sandbox.close();
  }
});

const requestOf = (more: Partial<SendRequest> = {}): SendRequest => ({
  wallet: home.wallet,
  to: friend,
  amountRaw: '5000000',
  ...more,
});
const lamportsOf = (address: string) => home.sandbox.chain.getAccount(address)?.lamports ?? 0n;
const asset = (symbol: string) => {
  const quote = [...home.sandbox.service.quotes.values()].find((each) => each.symbol === symbol);
  return home.sandbox.service.asset(quote?.mint ?? '');
};
const holds = (owner: string, { mint, tokenProgram }: ReturnType<typeof asset>): bigint => {
  const account = home.sandbox.chain.getAccount(associatedTokenAddress(owner, mint, tokenProgram));
  return account === null ? 0n : readTokenAccount(account.data).amount;
};
const giveToken = (symbol: string) => {
  const { service } = home.sandbox;
  const token = asset(symbol);
  const { sponsor, quoteAuthority } = service.keys;
  const account = associatedTokenAddress(home.wallet, token.mint, token.tokenProgram);
  service.onchain.land({
    format: 'v0',
    feePayer: sponsor.address,
    instructions: [
      createAta(sponsor.address, home.wallet, token),
      mintTo(token.tokenProgram, token.mint, account, quoteAuthority.address, 10_000_000n),
    ],
    budget: budgetOf(100_000),
    signers: [sponsor, quoteAuthority],
  });
  home.sandbox.advanceSlots(4);
  return token;
};

/** Returns the wallet's inventory from the oracle, which shares no code with the policy. */
async function inventory(...mints: ReturnType<typeof asset>[]) {
  const held = [home.wallet, friend].flatMap((owner) =>
    mints.map(({ mint, tokenProgram }) => associatedTokenAddress(owner, mint, tokenProgram)),
  );
  const named = [home.wallet, friend, ...mints.map(({ mint }) => mint), ...held];
  const { value } = await home.deps.chain.accounts(named, 'processed');
  return inventoryOf([home.wallet], accountsFrom(value));
}

const judged = (
  instructions: readonly EncodedInstruction[],
  request: Readonly<Record<string, unknown>> = requestOf(),
) => home.submitInstructions('send', request, instructions);

describe('a payment', () => {
  it('of SOL to a wallet in the address book lands once, with exactly the requested amount', async () => {
    const before = lamportsOf(home.wallet);
    const { plan } = await home.plans.build('send', requestOf({ memo: 'thanks' }));
    expect(plan).toMatchObject({
      operation: 'send',
      status: 'ready',
      asked: `payment of 0.005 SOL to ${friend}`,
      decision: { effect: 'allow' },
    });
    const [done, same] = await Promise.all([
      home.submit(plan?.planId ?? ''),
      home.submit(plan?.planId ?? ''),
    ]);
    expect([done.status, same.status]).toEqual(['complete', 'complete']);
    expect(home.signatures).toBe(1);
    expect(lamportsOf(friend)).toBe(5_000_000n);
    expect(before - lamportsOf(home.wallet)).toBe(5_000_000n + 5_000n + 4_000n);
    const again = await home.plans.build('send', requestOf({ memo: 'thanks' }));
    expect(again.plan).toMatchObject({ repeats: plan?.planId, status: 'ready' });
  });

  it('of a token opens the account of the recipient and pays into it', async () => {
    const token = giveToken('USDC');
    const had = holds(home.wallet, token);
    const request = requestOf({ tokenMint: token.mint, amountRaw: '2500000' });
    const { plan } = await home.plans.build('send', request);
    const before = await inventory(token);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    const rentAndFee = { SOL: 2_039_280n + 9_000n };
    const after = await inventory(token);
    expect(worse(before, after, { out: { ...rentAndFee, [token.mint]: 2_500_000n } })).toEqual([]);
    expect(worse(before, after, { out: { ...rentAndFee, [token.mint]: 2_499_999n } })).toHaveLength(1);
    expect(holds(friend, token)).toBe(2_500_000n);
    expect(had - holds(home.wallet, token)).toBe(2_500_000n);
    const more = await home.plans.build('send', { ...request, amountRaw: '1' });
    expect(await home.submit(more.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(holds(friend, token)).toBe(2_500_001n);
  });

  it('of a token with a transfer fee takes exactly the amount and states the received amount', async () => {
    const token = giveToken('TAXQ');
    const had = holds(home.wallet, token);
    const request = requestOf({ tokenMint: token.mint, amountRaw: '1000000' });
    const { plan } = await home.plans.build('send', request);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(holds(friend, token)).toBeGreaterThan(0n);
    expect(holds(friend, token)).toBeLessThan(1_000_000n);
    expect(had - holds(home.wallet, token)).toBe(1_000_000n);
  });

  it('asks the owner under every template that lets the wallet sign, and denies an address outside the address book', async () => {
    home = await start((file) => ({ ...file, addressBook: [{ label: 'friend', address: friend }] }));
    const known = await home.plans.build('send', requestOf());
    expect(known.plan?.decision).toMatchObject({ effect: 'require_approval' });
    const unknown = await home.plans.build('send', requestOf({ to: stranger }));
    expect(unknown.plan?.decision).toMatchObject({ effect: 'deny', reasonCodes: ['RECIPIENT_NOT_ALLOWED'] });
    expect(await home.submit(unknown.plan?.planId ?? '')).toMatchObject({ status: 'denied' });
    expect(home.signatures).toBe(0);
  });

  it('lands once after approval; the approval of one payment does not cover another', async () => {
    home = await start((file) => ({ ...file, addressBook: [{ label: 'friend', address: friend }] }));
    const planId = (await home.plans.build('send', requestOf())).plan?.planId ?? '';
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    const [row] = await home.ledger.rows('approvals', { planId });
    await home.ledger.answerApproval(row?.id ?? '', { state: 'approved', channel: 'page' });
    const more = (await home.plans.build('send', requestOf({ amountRaw: '5000001' }))).plan?.planId ?? '';
    expect(await home.submit(more)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
    expect(lamportsOf(friend)).toBe(5_000_000n);
  });

  it('may go to any wallet only if a rule allows it', async () => {
    const refused = await home.plans.build('send', requestOf({ to: stranger }));
    expect(refused.plan?.decision.reasonCodes).toEqual(['RECIPIENT_NOT_ALLOWED']);
    home = await start(paying('any'));
    const allowed = await home.plans.build('send', requestOf({ to: stranger }));
    expect(await home.submit(allowed.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });

  it('T110 to an address that resembles one in the address book is refused, even if any address may be paid', async () => {
    home = await start(paying('any'));
    const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
    const at = Math.floor(friend.length / 2);
    const near = [...letters]
      .map((letter) => friend.slice(0, at) + letter + friend.slice(at + 1))
      .find((address) => address !== friend && isOnCurve(address));
    const { plan } = await home.plans.build('send', requestOf({ to: near ?? '' }));
    expect(plan?.decision.reasonCodes).toEqual(['RECIPIENT_LOOKALIKE']);
  });
});

describe('several payments in one plan', () => {
  const more = (token: ReturnType<typeof asset>) => [
    { to: friend, amountRaw: '700', tokenMint: token.mint },
    { to: stranger, amountRaw: '2000000' },
    { to: stranger, amountRaw: '300', tokenMint: token.mint },
  ];

  it('of SOL and of a token to two wallets land in one transaction with their exact amounts', async () => {
    home = await start(paying('any'));
    const token = giveToken('USDC');
    const { plan } = await home.plans.build('send', requestOf({ more: more(token), memo: 'wages' }));
    expect(plan?.asked).toContain(`payment of 0.0003 of ${token.mint} to ${stranger}`);
    const done = await home.submit(plan?.planId ?? '');
    expect(done).toMatchObject({ status: 'complete', stages: [{ status: 'confirmed' }] });
    expect([friend, stranger].map(lamportsOf)).toEqual([5_000_000n, 2_000_000n]);
    expect([friend, stranger].map((owner) => holds(owner, token))).toEqual([700n, 300n]);
    expect(home.signatures).toBe(1);
  });

  it('count together against a limit, and each recipient against the rule', async () => {
    home = await start((file) => ({
      ...paying()(file),
      limits: [{ id: 'tx', asset: 'SOL', window: 'transaction', max: '6000000', why: 'a test' }],
    }));
    const other = { ...requestOf(), more: [{ to: stranger, amountRaw: '1000' }] };
    const unlisted = await home.plans.build('send', {
      ...other,
      more: [{ to: stranger, amountRaw: '900000' }],
    });
    expect(unlisted.plan?.decision.reasonCodes).toEqual(['RECIPIENT_NOT_ALLOWED']);
    home = await start((file) => ({
      ...paying('any')(file),
      limits: [{ id: 'tx', asset: 'SOL', window: 'transaction', max: '6000000', why: 'a test' }],
    }));
    const each = (amountRaw: string) => requestOf({ more: [{ to: stranger, amountRaw }] });
    const over = await home.plans.build('send', each('1000001'));
    expect(over.plan?.decision.reasonCodes).toEqual(['LIMIT_EXCEEDED']);
    const within = await home.plans.build('send', each('900000'));
    expect(await home.submit(within.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });

  it('are refused with a message if one is repeated, exceeds the balance, or too many do not fit', async () => {
    const token = giveToken('USDC');
    const had = holds(home.wallet, token);
    const refused = (given: SendRequest['more']) =>
      expect(home.plans.build('send', requestOf({ more: given }))).rejects;
    await refused([{ to: friend, amountRaw: '1' }]).toThrow(/more.0.to: is paid twice/);
    const [one, rest] = [1n, had].map((amount, index) => ({
      ...{ to: [stranger, friend][index] ?? '', amountRaw: `${amount}`, tokenMint: token.mint },
    }));
    if (one === undefined || rest === undefined) throw new Error('two payments');
    await refused([one, rest]).toThrow(/more.1.amountRaw: is, with the payments before it, more/);
    const many = Array.from({ length: 11 }, (_, index) => ({
      ...{ to: testKey(`paid ${index}`).address, amountRaw: '1', tokenMint: token.mint },
    }));
    await refused(many).toThrow(/12 payments take \d+ bytes/);
  });

  it('of SOL to twelve wallets fit one transaction', async () => {
    home = await start(paying('any'));
    const given = Array.from({ length: 11 }, (_, index) => ({
      ...{ to: testKey(`paid ${index}`).address, amountRaw: '1000000' },
    }));
    const { plan } = await home.plans.build('send', requestOf({ more: given }));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(given.map(({ to }) => lamportsOf(to))).toEqual(given.map(() => 1_000_000n));
  });

  it('T111 with one omitted, redirected, swapped or added are refused; the honest transaction lands', async () => {
    home = await start(paying('any'));
    const token = giveToken('USDC');
    const sol = (to: string, lamports: bigint) => systemTransfer(home.wallet, to, lamports);
    const [from, theirs] = [home.wallet, friend].map((owner) =>
      associatedTokenAddress(owner, token.mint, token.tokenProgram),
    );
    const opens = createAta(home.wallet, friend, token);
    const pay = (amount: bigint) => transfer(token, from ?? '', theirs ?? '', home.wallet, amount);
    const request = requestOf({
      more: [
        { to: stranger, amountRaw: '2000000' },
        { to: friend, amountRaw: '10', tokenMint: token.mint },
      ],
    });
    const [first, second] = [sol(friend, 5_000_000n), sol(stranger, 2_000_000n)];
    const thief = testKey('thief').address;
    for (const [what, instructions] of [
      ['left out', [first, opens, pay(10n)]],
      ['one paid twice', [first, first, opens, pay(10n)]],
      ['elsewhere', [first, sol(thief, 2_000_000n), opens, pay(10n)]],
      ['swapped', [sol(stranger, 5_000_000n), sol(friend, 2_000_000n), opens, pay(10n)]],
      ['more of the token', [first, second, opens, pay(11n)]],
      ['one beside them', [first, second, opens, pay(10n), sol(thief, 1_000_000n)]],
      ['an account beside them', [first, second, opens, createAta(home.wallet, thief, token), pay(10n)]],
    ] as const) {
      const view = await judged([...instructions], request);
      expect([what, view.status]).toEqual([what, 'denied']);
      expect(view.decision.reasonCodes.join()).toMatch(/REQUEST_MISMATCH|UNEXPECTED_INSTRUCTION/);
    }
    // Two payments to the same recipient in the same asset cannot be distinguished from one missing payment.
    const twice = requestOf({ more: [{ to: friend, amountRaw: '5000000' }] });
    expect(await judged([first], twice)).toMatchObject({ status: 'denied' });
    expect(home.signatures).toBe(0);
    const before = await inventory(token);
    expect(await judged([first, second, opens, pay(10n)], request)).toMatchObject({ status: 'complete' });
    const rentAndFee = 2_039_280n + 5_000n;
    const out = { SOL: 7_000_000n + rentAndFee, [token.mint]: 10n };
    expect(worse(before, await inventory(token), { out })).toEqual([]);
    expect([lamportsOf(stranger), lamportsOf(thief), holds(friend, token)]).toEqual([2_000_000n, 0n, 10n]);
  });
});

describe('transactions that are not the requested payment are refused as if an attacker had built them', () => {
  const sol = (to: string, lamports = 5_000_000n) => systemTransfer(home.wallet, to, lamports);

  it('T111 another amount, another recipient, two payments or an instruction beside it', async () => {
    home = await start(paying('any'));
    const memo = encodeInstruction('memo.memo', { accounts: {}, args: { text: 'hello' } });
    const wrong: [string, EncodedInstruction[]][] = [
      ['more', [sol(friend, 5_000_001n)]],
      ['less', [sol(friend, 4_999_999n)]],
      ['another wallet', [sol(stranger)]],
      ['twice', [sol(friend), sol(friend)]],
      ['something beside it', [sol(friend), sol(stranger, 1n)]],
      ['a memo', [memo, sol(friend)]],
      ['nothing', [memo]],
    ];
    for (const [index, [label, instructions]] of wrong.entries()) {
      const view = await judged(instructions, requestOf({ amountRaw: '5000000', memo: null, to: friend }));
      expect([label, view.status], String(index)).toEqual([label, 'denied']);
      expect(view.decision.reasonCodes.join()).toMatch(/REQUEST_MISMATCH|UNEXPECTED_INSTRUCTION/);
    }
    expect(home.signatures).toBe(0);
    expect(await judged([sol(friend)])).toMatchObject({ status: 'complete' });
  });

  it('T111 an account for another owner, or another token', async () => {
    const [token, other] = [giveToken('USDC'), giveToken('TAXQ')];
    const request = requestOf({ tokenMint: token.mint, amountRaw: '10' });
    const [from, theirs, strangers] = [home.wallet, friend, stranger].map((owner) =>
      associatedTokenAddress(owner, token.mint, token.tokenProgram),
    );
    const pay = transfer(token, from ?? '', theirs ?? '', home.wallet, 10n);
    const opens = createAta(home.wallet, friend, token);
    const wrong: EncodedInstruction[][] = [
      [
        createAta(home.wallet, stranger, token),
        transfer(token, from ?? '', strangers ?? '', home.wallet, 10n),
      ],
      [opens, createAta(home.wallet, stranger, token), pay],
      [opens, createAta(home.wallet, friend, other), pay],
      [sol(friend, 10n)],
    ];
    for (const instructions of wrong) {
      const view = await judged(instructions, request);
      expect(view.status).toBe('denied');
      expect(view.decision.reasonCodes.join()).toMatch(/REQUEST_MISMATCH|UNEXPECTED_INSTRUCTION/);
    }
    expect(await judged([opens, pay], request)).toMatchObject({ status: 'complete' });
  });

  it('T112 a recipient that is a program, a derived address, a mint or a token account', async () => {
    home = await start(paying('any'));
    const token = giveToken('USDC');
    const derived = programAddress([Buffer.from('vault')], TOKEN_PROGRAM).address;
    const account = associatedTokenAddress(home.wallet, token.mint, token.tokenProgram);
    for (const to of [TOKEN_PROGRAM, SYSTEM_PROGRAM, derived, token.mint, account, home.wallet]) {
      await expect(home.plans.build('send', requestOf({ to })), to).rejects.toThrow(/^to: is/);
      const view = await judged([sol(to)], requestOf({ to }));
      expect([to, view.status]).toEqual([to, 'denied']);
      expect(view.decision.reasonCodes).toContain('REQUEST_MISMATCH');
    }
    expect(home.signatures).toBe(0);
  });

  it('T113 an associated account of the recipient that another key now owns, or that is frozen', async () => {
    const token = giveToken('USDC');
    const request = requestOf({ tokenMint: token.mint, amountRaw: '10' });
    const first = await home.plans.build('send', request);
    expect(await home.submit(first.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    const at = associatedTokenAddress(friend, token.mint, token.tokenProgram);
    const held = home.sandbox.chain.getAccount(at);
    if (held === null) throw new Error('the account was opened');
    const changed = (change: (data: Buffer) => void) => {
      const data = Buffer.from(held.data);
      change(data);
      home.sandbox.chain.setAccount(at, { ...held, data });
      home.sandbox.advanceSlots(4);
    };
    const FROZEN = 2;
    const STATE_AT = 108;
    for (const change of [
      (data: Buffer) => void Buffer.from(addressBytes(stranger)).copy(data, 32),
      (data: Buffer) => void data.writeUInt8(FROZEN, STATE_AT),
    ]) {
      changed(change);
      const { plan } = await home.plans.build('send', { ...request, amountRaw: '11' }, true);
      expect(plan?.decision).toMatchObject({ effect: 'deny' });
      expect(plan?.decision.reasonCodes).toContain('REQUEST_MISMATCH');
    }
    changed(() => {});
    const { plan } = await home.plans.build('send', { ...request, amountRaw: '11' }, true);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });
});

describe('payments that cannot land are refused in advance', () => {
  it('a first payment below the minimum balance, more than the balance, zero, and wrapped SOL', async () => {
    const token = giveToken('USDC');
    const refused = async (more: Partial<SendRequest>, words: RegExp) =>
      expect(home.plans.build('send', requestOf(more))).rejects.toThrow(words);
    await refused({ amountRaw: '5000' }, /too small for a first payment.* at least 0\.00089088 SOL/);
    const all = holds(home.wallet, token);
    expect(all).toBe(10_010_000_000n);
    await refused(
      { tokenMint: token.mint, amountRaw: String(all + 1n) },
      new RegExp(`more than the wallet has, 10,010 of ${token.mint}`),
    );
    await refused({ amountRaw: '0' }, /is zero/);
    await refused({ tokenMint: WSOL_MINT }, /is wrapped SOL/);
    await refused({ tokenMint: stranger }, /is not a mint/);
  });
});
