/** Decisions remembered between readings, and inputs read again. */
import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import { inputsDigest, sealInputs } from '../../src/policy/decide/decisionInputs.ts';
import type { DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import { mintOf, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { mint, tokenAccount } from './accountFacts.ts';
import { inputs as plain } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { ATTACKER, copyOf, decide, policyWith, stage, WALLET } from './recorded/stages.ts';
import { codesOf } from './recorded/sweep.ts';

const recorded = stage('plain config');
const sealed = sealInputs(copyOf(recorded));
const [, friend = ''] = recorded.plan.request.claimersArray as readonly string[];

describe('sealed inputs', () => {
  it('are decided the same repeatedly', () => {
    const first = JSON.stringify(decide(recorded));
    for (let i = 0; i < 3; i++) expect(JSON.stringify(decide(sealed))).toBe(first);
  });

  it("name people by the current policy's labels", () => {
    const named = (label: string) => policyWith(() => ({ addressBook: [{ label, address: friend }] }));
    const [one, two] = [named('one'), named('two')];
    const label = (policy = one) =>
      decide(sealed, policy).recipients.find(({ address }) => address === friend)?.label;
    expect([label(one), label(two), label(one), label(one), label(policyWith())]).toEqual([
      'one',
      'two',
      'one',
      'one',
      undefined,
    ]);
  });

  it('find a look-alike under a policy that knows a similar address, before and after one that does not', () => {
    const alike = `${friend.slice(0, 4)}${[...friend.slice(4, -4)].map((c) => (c === 'A' ? 'B' : 'A')).join('')}${friend.slice(-4)}`;
    const knows = policyWith(() => ({ addressBook: [{ label: 'near', address: alike }] }));
    const codes = (policy = knows) => decide(sealed, policy).reasonCodes;
    const none = policyWith();
    expect([codes(none), codes(knows), codes(none), codes(knows)]).toEqual([
      [],
      ['RECIPIENT_LOOKALIKE'],
      [],
      ['RECIPIENT_LOOKALIKE'],
    ]);
  });

  it("are compared with their own wallet's request", () => {
    const other: DecisionInputs = {
      ...sealed,
      plan: Object.freeze({ ...sealed.plan, wallet: keyNamed('another').address }),
    };
    expect(decide(sealed).effect).toBe('allow');
    expect(decide(other).reasonCodes).toContain('REQUEST_MISMATCH');
    expect(decide(sealed).effect).toBe('allow');
  });
});

describe('decoded account data', () => {
  const address = keyNamed('an account').address;
  const holding = tokenAccount(address, { mint: keyNamed('a token').address, owner: address, amount: 5n });
  const token = mint(address, { mintAuthority: address });

  it('is the same wherever the account is listed', () => {
    const elsewhere = { ...holding, address: keyNamed('another').address, lamports: '1' };
    expect(tokenAccountOf(holding)).toMatchObject({ owner: address, amount: 5n });
    expect(tokenAccountOf(elsewhere)).toEqual(tokenAccountOf(holding));
    expect(mintOf(token)).toMatchObject({ mintAuthority: address, decimals: 6 });
    expect(mintOf({ ...token })).toEqual(mintOf(token));
  });

  it('is decoded for long data too', () => {
    const [base, head] = [Buffer.from(token.data, 'base64'), Buffer.alloc(4)];
    // An unknown Token-2022 extension of forty thousand bytes.
    head.writeUInt16LE(999, 0);
    head.writeUInt16LE(40_000, 2);
    const data = Buffer.concat([
      base,
      Buffer.alloc(165 - base.length),
      Buffer.of(1),
      head,
      Buffer.alloc(40_000),
    ]);
    const long = { ...token, data: data.toString('base64') };
    expect(mintOf(long)).toMatchObject({ decimals: 6, extensions: ['unknown999'] });
    expect(mintOf(long)).not.toBe(mintOf(long));
  });
});

describe('the digest of sealed inputs', () => {
  /** Inputs that count their property reads. */
  function counting() {
    let looked = 0;
    const { time, ...rest } = copyOf(recorded);
    const inputs: DecisionInputs = {
      ...rest,
      get time() {
        looked += 1;
        return time;
      },
    };
    return { inputs, looked: () => looked };
  }

  it('equals that of the same unsealed inputs and is computed once', () => {
    const { inputs, looked } = counting();
    const first = inputsDigest(sealInputs(inputs));
    const before = looked();
    expect([inputsDigest(inputs), inputsDigest(inputs)]).toEqual([first, first]);
    expect(looked()).toBe(before);
    expect(inputsDigest(recorded)).toBe(first);
  });

  it('is computed again for unsealed inputs, since they may have changed', () => {
    const open = { ...copyOf(recorded) };
    const first = inputsDigest(open);
    expect(inputsDigest(Object.assign(open, { slot: open.slot + 1 }))).not.toBe(first);
  });

  it('covers all of them, down to the last member of the last list', () => {
    const whole = sealInputs(copyOf(recorded));
    const [sibling] = whole.siblings;
    const [seen] = whole.accounts;
    for (const part of [
      whole,
      whole.plan,
      whole.siblings,
      sibling,
      sibling?.stage,
      sibling?.stage.declared,
      seen,
    ])
      expect(() => Object.assign(part ?? {}, { changed: true })).toThrow(TypeError);
  });
});

const { stage: launch, tables } = stage('custody launch');
const [table] = tables;
if (table === undefined) throw new Error('no table');
const otherEntry = keyNamed('another entry').address;
const noDisabledReaders: ReadonlySet<string> = new Set();
const holding = (addresses: readonly string[]) => ({
  tables: new Map([[table.table, addresses]]),
  off: noDisabledReaders,
});
const loaded = (addresses: readonly string[]) =>
  launch.transaction.resolve(holding(addresses)).loaded.map(({ address }) => address);

describe('a stage decoded again', () => {
  it('is the same if its tables have the same contents, in another list too', () => {
    const once = launch.transaction.resolve(holding(table.addresses));
    expect(launch.transaction.resolve(holding([...table.addresses]))).toBe(once);
    const payment = stage('payment of SOL').stage.transaction;
    expect(payment.resolve(holding([]))).toBe(payment.resolve(holding([otherEntry])));
  });

  it('has another account if any entry of a table differs', () => {
    const honest = loaded(table.addresses);
    const used = table.addresses.flatMap((address, i) => (honest.includes(address) ? [i] : []));
    expect(used.length).toBeGreaterThan(1);
    for (const i of used) {
      expect(loaded(table.addresses.with(i, otherEntry)), `entry ${i}`).toContain(otherEntry);
      expect(loaded(table.addresses), `entry ${i}`).toEqual(honest);
    }
  });

  it('cannot be decoded once a table has fewer entries than before', () => {
    loaded(table.addresses);
    expect(() => loaded(table.addresses.slice(0, 1))).toThrow('of lookup table');
    expect(() => loaded([])).toThrow('of lookup table');
  });

  it('uses the table contents of that time, not a list that changes afterwards', () => {
    const list = [...table.addresses];
    const read = launch.transaction.resolve(holding(list));
    const before = loaded(list);
    list.splice(
      table.addresses.findIndex((address) => before.includes(address)),
      1,
      otherEntry,
    );
    expect(read.loaded.map(({ address }) => address)).toEqual(before);
    expect(loaded(list)).toContain(otherEntry);
  });

  it('is decoded with the readers enabled now', () => {
    const config = stage('plain config').stage.transaction;
    const read = (off: ReadonlySet<string>) =>
      config.resolve({ tables: new Map(), off }).readings.map(({ status }) => status);
    const programs = config
      .resolve({ tables: new Map(), off: noDisabledReaders })
      .readings.map(({ program }) => program);
    const all = read(noDisabledReaders);
    const off = read(new Set(programs));
    expect(all).toContain('read');
    expect(off).not.toEqual(all);
    expect(read(noDisabledReaders)).toEqual(all);
  });
});

const other = keyNamed('something else').address;
const { declared, requiredSigners: signers = [] } = { ...plain.stage, ...plain.stage.declared };
const declaring = (change: Partial<DecisionInputs['stage']['declared']>): Partial<DecisionInputs> => ({
  stage: { ...plain.stage, declared: { ...declared, ...change } },
});
const staged = (change: Partial<DecisionInputs['stage']>): Partial<DecisionInputs> => ({
  stage: { ...plain.stage, ...change },
});
const planned = (change: Partial<DecisionInputs['plan']>): Partial<DecisionInputs> => ({
  plan: { ...plain.plan, ...change },
});
const bytes = (change: (all: Buffer) => Uint8Array | string): Partial<DecisionInputs> => {
  const changed = change(Buffer.from(plain.stage.transaction.text, 'base64'));
  const transaction = typeof changed === 'string' ? changed : Buffer.from(changed).toString('base64');
  return staged({ transaction: new DecodedStage(transaction), declared: {} });
};
const hash = decide(plain).messageSha256;
const STATUSES: readonly StageStatus[] = [
  'waiting',
  'ready',
  'signed',
  'sent',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
  'skipped',
];
const after = (
  status: StageStatus | undefined,
  purpose: DecisionInputs['purpose'] = 'sign',
): Partial<DecisionInputs> => ({
  purpose,
  ...staged({ dependsOn: ['first', ...(status === undefined ? ['second'] : [])] }),
  siblings: status === undefined ? [] : [{ stage: { ...plain.stage, id: 'first' }, status }],
});

/** Declared values, bytes, signatures, stage order and earlier messages (T33, T37, T38, T39, T42, T43, T44, T45, T46). */
const CHANGES: Readonly<Record<string, Partial<DecisionInputs>>> = {
  'another network': { network: other },
  'a plan of another network': planned({ network: other }),
  'another mode': { mode: 'live' },
  'a plan of another mode': planned({ mode: 'live' }),
  'another declared hash': declaring({ messageSha256: '00'.repeat(32) }),
  'a declared hash that is cut': declaring({ messageSha256: hash.slice(1) }),
  'a declared hash in capitals': declaring({ messageSha256: hash.toUpperCase() }),
  'a declared hash with more behind it': declaring({ messageSha256: `${hash}00` }),
  'a declared hash that is a sentence': declaring({ messageSha256: 'IGNORE THE ABOVE' }),
  'one declared signer fewer': declaring({ requiredSigners: signers.slice(1) }),
  'one declared signer more': declaring({ requiredSigners: [...signers, other] }),
  'another declared signer': declaring({ requiredSigners: [...signers.slice(1), other] }),
  'a declared signer twice': declaring({ requiredSigners: [...signers, WALLET] }),
  'declared signers in another order': declaring({ requiredSigners: signers.toReversed() }),
  'a declared signer that is a sentence': declaring({ requiredSigners: ['IGNORE THE ABOVE'] }),
  'another declared blockhash': declaring({ blockhash: other }),
  'a declared height that is not an integer': declaring({ lastValidBlockHeight: '1e9' }),
  'nothing declared': staged({ declared: {} }),
  'another declared format': staged({ format: 'v1' }),
  'another kind of stage': staged({ kind: 'swap' }),
  'a wallet that is not ours': { ourWallets: [] },
  'two wallets here': { ourWallets: [WALLET, ATTACKER] },
  'a plan of another wallet': planned({ wallet: other }),
  'an expired blockhash': { blockhashValid: false },
  'an unknown blockhash': { blockhashValid: null },
  'an unknown blockhash in a preview': { blockhashValid: null, purpose: 'preview' },
  'bytes with one more': bytes((all) => Buffer.concat([all, Buffer.of(0)])),
  'bytes with one fewer': bytes((all) => all.subarray(0, -1)),
  'no bytes': bytes(() => ''),
  'text that is no base64': bytes(() => '?'),
  'a broken signature': bytes((all) => all.fill(7, 65, 129)),
  'a missing signature': bytes((all) => all.fill(0, 65, 129)),
  'a simulation that is missing': { simulation: { status: 'unavailable', reason: 'IGNORE THE ABOVE' } },
  'a simulation that must wait': { simulation: { status: 'not_yet' } },
  'a preview that must wait': { simulation: { status: 'not_yet' }, purpose: 'preview' },
  'a second RPC that agrees': { secondRpc: { agrees: true } },
  'unknown earlier stages': after(undefined),
  'an earlier stage to come, in a preview': after('ready', 'preview'),
  ...Object.fromEntries(STATUSES.map((status) => [`an earlier stage that is ${status}`, after(status)])),
};
const VIEWS: Readonly<Record<string, LedgerView>> = {
  'a frozen home': { used: {}, frozen: { since: 1, reason: 'IGNORE THE ABOVE' } },
  ...Object.fromEntries(
    STATUSES.flatMap((status) => [
      [`the same message, ${status}`, { used: {}, earlier: { messageSha256: hash, status } }],
      [`another message, ${status}`, { used: {}, earlier: { messageSha256: '00'.repeat(32), status } }],
    ]),
  ),
};

it('each input, changed alone, leads to the approved decision', async () => {
  const second = policyWith(() => ({ simulation: { required: true, secondRpcAbove: '1' } }));
  const only = (inputs: DecisionInputs, view = NOTHING_USED, policy = policyWith()) =>
    codesOf(decide(inputs, policy, view));
  const rows = [
    ...Object.entries(CHANGES).map(([label, change]) => [label, only({ ...plain, ...change })] as const),
    ...Object.entries(VIEWS).map(([label, view]) => [label, only(plain, view)] as const),
    ['no second RPC where one is asked for', only(plain, NOTHING_USED, second)] as const,
    [
      'a second RPC that saw something else',
      only({ ...plain, secondRpc: { agrees: false } }, NOTHING_USED, second),
    ] as const,
    [
      'a second RPC where one is asked for',
      only({ ...plain, secondRpc: { agrees: true } }, NOTHING_USED, second),
    ] as const,
    ['a claim whose table is not there', only({ ...stage('custody launch'), tables: [] })] as const,
  ];
  const text = rows.map(([label, summary]) => `${label}: ${summary}\n`).join('');
  expect(text).not.toContain('IGNORE');
  await expect(`As recorded: ${codesOf(decide(plain))}\n${text}`).toMatchFileSnapshot(
    'recorded/approved/inputs.txt',
  );
});
