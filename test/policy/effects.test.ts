/** Simulated effects and simulations. */

import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/base/format.ts';
import { simulatedEffects } from '../../src/policy/decide/checks/effects.ts';
import { OwnKeys } from '../../src/policy/decide/ownKeys.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain, explained, remedyOf } from '../../src/presentation/decisions/explain.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, lookupTable, mint, missing, tokenAccount } from './accountFacts.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { simulationOf } from './recorded/edits.ts';
import { WALLET } from './recorded/stages.ts';

const me = keyNamed('me').address;
const mine = keyNamed('my other wallet').address;
const other = keyNamed('another wallet').address;
const place = keyNamed('an account').address;
const token = keyNamed('a token').address;
const own = new OwnKeys([me, mine]);

type Pair = readonly [AccountFact, AccountFact];
const effects = (...pairs: readonly Pair[]) =>
  simulatedEffects(
    own,
    pairs.map(([was]) => was),
    pairs.map(([, is]) => is),
  );
const sums = (...pairs: readonly Pair[]) => {
  const { out, in: gained } = effects(...pairs);
  return { out: Object.fromEntries(out), in: Object.fromEntries(gained) };
};
const held = (fields: Partial<Parameters<typeof tokenAccount>[1]>, at = place) =>
  tokenAccount(at, { mint: token, owner: me, ...fields });
const authority = (...pair: Pair) => effects(pair).authority;

describe('assets', () => {
  it('are summed over every account of ours: lamports as SOL, tokens by mint', () => {
    expect(
      sums(
        [account(me, { lamports: '100' }), account(me, { lamports: '70' })],
        [account(mine, { lamports: '5' }), account(mine, { lamports: '6' })],
        [held({ amount: 9n }), held({ amount: 4n })],
        [
          held({ mint: other, amount: 1n }, keyNamed('second').address),
          held({ mint: other, amount: 8n }, keyNamed('second').address),
        ],
      ),
    ).toEqual({ out: { SOL: 29n, [token]: 5n }, in: { [other]: 7n } });
  });

  it('count wrapped SOL once, as its lamports', () => {
    const wrapped = (amount: bigint, lamports: string) => held({ mint: WSOL_MINT, amount, lamports });
    expect(sums([wrapped(0n, '2039280'), wrapped(500n, '2039780')])).toEqual({ out: {}, in: { SOL: 500n } });
    expect(
      sums(
        [account(me, { lamports: '1000' }), account(me, { lamports: '500' })],
        [wrapped(0n, '2039280'), wrapped(500n, '2039780')],
      ),
    ).toEqual({ out: {}, in: {} });
  });

  it('include rent of our own accounts, on open and close', () => {
    expect(sums([missing(place), held({ amount: 3n })])).toEqual({
      out: {},
      in: { SOL: 2_039_280n, [token]: 3n },
    });
    expect(sums([held({ amount: 3n }), missing(place)])).toEqual({
      out: { SOL: 2_039_280n, [token]: 3n },
      in: {},
    });
    const [was, gone] = [held({ amount: 3n }), { ...held({ amount: 3n }), exists: false }];
    expect(sums([was, gone])).toEqual({ out: { SOL: 2_039_280n, [token]: 3n }, in: {} });
  });

  it('exclude the contents of an account that changes owner', () => {
    expect(sums([held({ amount: 3n }), held({ amount: 3n, owner: other })])).toEqual({
      out: { SOL: 2_039_280n, [token]: 3n },
      in: {},
    });
  });

  it('exclude a wallet that another program owns, whatever its balance', () => {
    expect(
      sums([account(me, { lamports: '100' }), account(me, { lamports: '200', owner: TOKEN_PROGRAM })]),
    ).toEqual({ out: { SOL: 100n }, in: {} });
  });

  it('exclude accounts of others, even with our key in their data', () => {
    const theirs = (amount: bigint) => held({ owner: other, delegate: me, delegatedAmount: 1n, amount });
    expect(sums([theirs(5n), theirs(9n)])).toEqual({ out: {}, in: {} });
    expect(sums([account(other, { lamports: '1' }), account(other, { lamports: '9' })])).toEqual({
      out: {},
      in: {},
    });
  });

  it('are empty if nothing changed, and if a snapshot ends early', () => {
    const unchanged = held({ amount: 3n });
    expect(effects([unchanged, { ...unchanged }])).toEqual({
      out: new Map(),
      in: new Map(),
      authority: [],
      funded: [],
    });
    expect(simulatedEffects(own, [account(me)], []).out.size).toBe(0);
  });

  it.each([0, 1, 2])('are found at any offset of our key in the data (shifted by %i)', (shift) => {
    const at = (owner: string) => {
      const { data } = held({ owner });
      const bytes = Buffer.concat([Buffer.from(data, 'base64'), Buffer.alloc(shift)]);
      return account(place, { owner: TOKEN_PROGRAM, data: bytes.toString('base64') });
    };
    // Only data of the right length is decoded as a token account; our key is searched for in data of any length.
    const was = shift === 0 ? at(me) : held({ delegate: me, owner: other, amount: 1n });
    expect(effects([was, at(other)]).authority.length).toBe(shift === 0 ? 1 : 0);
  });
});

describe("others' accounts that gain lamports", () => {
  const data = (bytes: number) => Buffer.alloc(bytes).toString('base64');
  const was = account(other, { lamports: '10', data: data(4) });

  it('are listed with their data length before and after', () => {
    expect(effects([missing(other), account(other, { lamports: '77', data: data(10) })]).funded).toEqual([
      { address: other, lamports: 77n, from: undefined, to: 10 },
    ]);
    expect(effects([was, account(other, { lamports: '77', data: data(10) })]).funded).toEqual([
      { address: other, lamports: 67n, from: 4, to: 10 },
    ]);
    expect(effects([missing(place), held({ owner: other })]).funded).toEqual([
      { address: place, lamports: 2_039_280n, from: undefined, to: 165 },
    ]);
  });

  it('exclude those that lose or gain nothing, or are ours', () => {
    for (const pair of [
      [was, account(other, { lamports: '9', data: data(10) })],
      [was, account(other, { lamports: '10', data: data(10) })],
      [was, missing(other)],
      [missing(place), held({})],
      [missing(me), account(me)],
    ] as const) {
      expect(effects(pair).funded).toEqual([]);
    }
  });
});

describe('a wallet', () => {
  const lost = [{ code: 'AUTHORITY_CHANGE', what: `the wallet ${me} would belong to another program` }];
  it.each<[string, Partial<AccountFact>]>([
    ['it is assigned', { owner: TOKEN_PROGRAM }],
    ['it becomes a program', { executable: true }],
    ['it gets data', { data: 'AAAA' }],
  ])('is lost if %s', (_, change) => {
    expect(authority(account(me), account(me, change))).toEqual(lost);
  });

  it('is not lost if it pays, is emptied, or had data already', () => {
    expect(authority(account(me), account(me, { lamports: '1' }))).toEqual([]);
    expect(authority(account(me), { ...missing(me), owner: TOKEN_PROGRAM })).toEqual([]);
    const nonce = { data: 'AAAA' };
    expect(authority(account(me, nonce), account(me, { ...nonce, lamports: '1' }))).toEqual([]);
    expect(authority(account(me, nonce), account(me))).toEqual([]);
    expect(authority(account(other), account(other, { owner: TOKEN_PROGRAM }))).toEqual([]);
  });
});

describe('loss of our token account', () => {
  const of = (label: string) => [{ code: 'AUTHORITY_CHANGE', what: label }];

  it('includes a change of owner or type', () => {
    const lost = of(`the token account ${place} would belong to another key`);
    expect(authority(held({}), held({ owner: other }))).toEqual(lost);
    expect(authority(held({}), account(place, { owner: other }))).toEqual(lost);
    expect(authority(held({}), { ...held({}), data: 'AAAA' })).toEqual(lost);
    expect(authority(held({}), held({ owner: mine }))).toEqual([]);
    expect(authority(held({ owner: other }), held({}))).toEqual([]);
    expect(authority(held({}), missing(place))).toEqual([]);
  });

  it('includes a foreign close authority', () => {
    const found = of(`another key could close the token account ${place}`);
    expect(authority(held({}), held({ closeAuthority: other }))).toEqual(found);
    expect(authority(missing(place), held({ closeAuthority: other }))).toEqual(found);
    expect(authority(held({ closeAuthority: place }), held({ closeAuthority: other }))).toEqual(found);
    expect(authority(held({}), held({ closeAuthority: mine }))).toEqual([]);
    expect(authority(held({ closeAuthority: other }), held({ closeAuthority: other, amount: 1n }))).toEqual(
      [],
    );
    expect(authority(held({ closeAuthority: other }), held({}))).toEqual([]);
  });

  it('includes a foreign delegate', () => {
    const label = `another key could spend from the token account ${place}`;
    const found = [{ code: 'DELEGATE_GRANTED', what: label }];
    const delegated = (delegate: string, delegatedAmount: bigint, more = {}) =>
      held({ delegate, delegatedAmount, ...more });
    expect(authority(held({}), delegated(other, 1n))).toEqual(found);
    expect(authority(missing(place), delegated(other, 1n))).toEqual(found);
    expect(authority(delegated(place, 5n), delegated(other, 5n))).toEqual(found);
    expect(authority(delegated(other, 5n), delegated(other, 6n))).toEqual(found);
    expect(authority(delegated(other, 5n), delegated(other, 5n, { amount: 1n }))).toEqual([]);
    expect(authority(delegated(other, 5n), delegated(other, 4n))).toEqual([]);
    expect(authority(held({}), delegated(other, 0n))).toEqual([]);
    expect(authority(held({}), delegated(mine, 9n))).toEqual([]);
    // The amount of a removed delegate is ignored.
    expect(authority(held({}), held({ delegatedAmount: 9n }))).toEqual([]);
  });

  it('includes freezing', () => {
    expect(authority(held({}), held({ frozen: true }))).toEqual(
      of(`the token account ${place} would be frozen`),
    );
    expect(authority(missing(place), held({ frozen: true }))).toHaveLength(1);
    expect(authority(held({ frozen: true }), held({ frozen: true, amount: 1n }))).toEqual([]);
    expect(authority(held({ frozen: true }), held({}))).toEqual([]);
  });

  it('excludes accounts of others', () => {
    const theirs = { owner: other, delegate: me, delegatedAmount: 1n };
    expect(authority(held(theirs), held({ ...theirs, closeAuthority: place, frozen: true }))).toEqual([]);
  });
});

describe('our authority over a mint', () => {
  it.each([
    ['mintAuthority', 'mint'],
    ['freezeAuthority', 'freeze'],
  ] as const)('is lost: %s', (role, verb) => {
    const label = `the right to ${verb} the token would leave the wallet: ${token}`;
    const found = [{ code: 'AUTHORITY_CHANGE', what: label }];
    const with_ = (holder?: string) => mint(token, holder === undefined ? {} : { [role]: holder });
    expect(authority(with_(me), with_(other))).toEqual(found);
    expect(authority(with_(me), with_())).toEqual(found);
    expect(authority(with_(me), missing(token))).toEqual(found);
    expect(authority(with_(me), { ...with_(me), lamports: '1' })).toEqual([]);
    expect(authority(with_(other), with_(me))).toEqual([]);
    expect(authority(with_(), with_(me))).toEqual([]);
  });
});

describe('our lookup table', () => {
  const label = `the right to change the lookup table would leave the wallet: ${place}`;
  const found = [{ code: 'AUTHORITY_CHANGE', what: label }];

  it('is lost if frozen or transferred', () => {
    expect(authority(lookupTable(place, me), lookupTable(place, other))).toEqual(found);
    expect(authority(lookupTable(place, me), lookupTable(place))).toEqual(found);
    expect(authority(lookupTable(place, me), { ...lookupTable(place, me), data: 'AAAA' })).toEqual(found);
    expect(authority(lookupTable(place, me), { ...lookupTable(place, me), lamports: '1' })).toEqual([]);
    expect(authority(lookupTable(place, me), missing(place))).toEqual([]);
    expect(authority(lookupTable(place, other), lookupTable(place, me))).toEqual([]);
    expect(authority(lookupTable(place), lookupTable(place, me))).toEqual([]);
  });

  it('is recognized by its program, not by its data', () => {
    const elsewhere = (holder: string) => ({ ...lookupTable(place, holder), owner: SYSTEM_PROGRAM });
    expect(authority(elsewhere(me), elsewhere(other))).toEqual([]);
  });
});

describe('the simulation', () => {
  const done = () => {
    if (inputs.simulation.status !== 'done') throw new Error('not simulated');
    return inputs.simulation;
  };
  const afterwards = (change: (account: AccountFact) => AccountFact) => {
    const simulation = simulationOf(inputs);
    return decide({ simulation: { ...simulation, after: simulation.after.map(change) } });
  };
  const wallet = (change: Partial<AccountFact>) => (account: AccountFact) =>
    account.address === WALLET ? { ...account, ...change } : account;

  it('must be present and successful', () => {
    expectDenied(decide({ simulation: { status: 'not_yet' } }), 'SIMULATION_UNAVAILABLE', 'availability');
    expectDenied(decide({ simulation: { status: 'unavailable', reason: 'x' } }), 'SIMULATION_UNAVAILABLE');
    const failed = { ...done(), error: 'AccountNotFound', after: [] };
    expectDenied(decide({ simulation: failed }), 'SIMULATION_FAILED', 'availability');
    const optional = (file: PolicyFile) => ({ ...file, simulation: { required: false } });
    expect(
      under(optional, NOTHING_USED, { simulation: { status: 'unavailable', reason: 'x' } }),
    ).toMatchObject({ effect: 'allow', staticOnly: true });
  });

  it('names the wallet and the missing SOL if that caused the failure, and nothing otherwise', () => {
    const { out = '0' } = decide({}).changes.find(({ asset }) => asset === 'SOL') ?? {};
    expect(BigInt(out)).toBeGreaterThan(0n);
    const failing = (lamports?: string) =>
      decide({
        simulation: { ...done(), error: 'Custom(1)', after: [] },
        accounts: inputs.accounts.flatMap((each) => {
          if (each.address !== WALLET) return [each];
          return lamports === undefined ? [] : [{ ...each, lamports }];
        }),
      });
    const plain = 'The transaction would fail on the chain as it is now.';
    const lacking = (has: string) =>
      `The transaction would fail on the chain as it is now: the wallet ${WALLET} has ${has} SOL, and this takes up to ${decimal(BigInt(out), 9)} SOL.`;
    for (const enough of [out, `${BigInt(out) + 1n}`]) {
      expect(failing(enough)).toMatchObject({ effect: 'deny', reasonCodes: ['SIMULATION_FAILED'] });
      expect(explained(failing(enough))).toEqual({ explain: plain });
    }
    const short = failing(`${BigInt(out) - 1n}`);
    expect(explain(short)).toBe(lacking(decimal(BigInt(out) - 1n, 9)));
    expect(remedyOf(short)).toBe('A person can send the missing SOL to the wallet.');
    // A wallet missing on the chain has no balance.
    expect(explain(failing())).toBe(lacking('0'));
  });

  it('is reported as successful if it was', () => {
    expect(decide({}).checks).toContainEqual({ id: 'simulationSucceeds', ok: true });
  });

  it('must cover every account that can change: an empty snapshot proves nothing', () => {
    const nothing = { ...done(), before: [], after: [] };
    expectDenied(decide({ simulation: nothing }), 'SIMULATION_UNAVAILABLE');
    const half = { ...done(), before: done().before.slice(1), after: done().after.slice(1) };
    expectDenied(decide({ simulation: half }), 'SIMULATION_UNAVAILABLE');
    const shuffled = { ...done(), after: done().after.toReversed() };
    expectDenied(decide({ simulation: shuffled }), 'SIMULATION_UNAVAILABLE');
  });

  it('detects a loss that the transaction does not explain (T16)', () => {
    const lamports = done().after.find(({ address }) => address === WALLET)?.lamports ?? '0';
    const decision = afterwards(wallet({ lamports: `${BigInt(lamports) - 1n}` }));
    expectDenied(decision, 'UNDECLARED_LOSS', 'security');
    expect(afterwards(wallet({ lamports: `${BigInt(lamports) + 1n}` })).effect).toBe('allow');
  });

  it('detects a wallet reassigned to another program without moved lamports (T1)', () => {
    const decision = afterwards(wallet({ owner: TOKEN_PROGRAM }));
    expectDenied(decision, 'AUTHORITY_CHANGE', 'security');
    expect(decision.checks.find(({ ok, code }) => !ok && code === 'AUTHORITY_CHANGE')?.observed).toContain(
      WALLET,
    );
    expectDenied(afterwards(wallet({ data: 'AAAA' })), 'AUTHORITY_CHANGE');
  });
});
