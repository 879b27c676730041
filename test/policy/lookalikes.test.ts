/** Lookalikes (T58, T137). */
import { describe, expect, it } from 'vitest';
import { knownAddresses } from '../../src/policy/decide/lookalikes.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import * as programs from '../../src/transaction/programs.ts';
import { testAddress } from '../transaction/keys.ts';
import { load } from './people.ts';
import { decide, policyWith, stage, WALLET } from './recorded/stages.ts';

const FRIEND = '7Yk4mQdnVw3ZtXhRjPs9aLbGcE2uKfTo6vNyWxDqJr8B';
/** Returns the friend an address resembles, if any. */
const resembled = (address: string): string | undefined => knownAddresses([FRIEND]).takenFor(address);
/** An address that shares this many leading and trailing characters with the friend's, and none between. */
const sharing = (first: number, last: number): string =>
  `${FRIEND.slice(0, first)}${'M'.repeat(FRIEND.length - first - last)}${last === 0 ? '' : FRIEND.slice(-last)}`;
/** The same text with the case of every letter swapped. */
const otherCase = (text: string): string =>
  [...text].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('');

describe('an address resembles a known one if it', () => {
  it.each([
    [4, 4],
    [4, 3],
    [3, 4],
    [6, 2],
    [2, 6],
    [7, 1],
    [8, 0],
    [0, 8],
    [6, 6],
    [20, 20],
  ])('shares %i characters at the beginning and %i at the end', (first, last) => {
    expect(resembled(sharing(first, last))).toBe(FRIEND);
  });

  it('differs in case only', () => {
    const near = `${otherCase(FRIEND.slice(0, 4))}${'M'.repeat(36)}${otherCase(FRIEND.slice(-4))}`;
    expect(resembled(near)).toBe(FRIEND);
    expect(resembled(otherCase(FRIEND))).toBe(FRIEND);
  });

  it('has similar characters: 1, i and L; 2 and z; 5 and s; 8 and b', () => {
    const friend = '1sZbqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqi52B';
    const near = `L5z8${'M'.repeat(36)}LSZ8`;
    expect(knownAddresses([friend]).takenFor(near)).toBe(friend);
  });

  it('is nearly the same: characters changed at both ends, swapped, omitted or inserted', () => {
    const [a, b] = [FRIEND[20] ?? '', FRIEND[21] ?? ''];
    for (const near of [
      `Q${FRIEND.slice(1, -1)}Q`,
      `QQ${FRIEND.slice(2, -2)}QQ`,
      `${FRIEND.slice(0, 20)}${b}${a}${FRIEND.slice(22)}`,
      `${FRIEND.slice(0, 2)}${FRIEND.slice(3, -3)}${FRIEND.slice(-2)}`,
      `${FRIEND.slice(0, 2)}Q${FRIEND.slice(2, -1)}`,
    ]) {
      expect(resembled(near), near).toBe(FRIEND);
    }
  });
});

describe('resemblance thresholds', () => {
  // Contains no M and no Q, so that replacement characters never match.
  const friend = '7Yk4dvdnVw3ZtXhRjPs9aLbGcE2uKfTo6vNyWxDnJr8B';
  const like = (text: string) => knownAddresses([friend]).takenFor(text) === friend;
  const fill = (count: number) => 'M'.repeat(count);

  it.each([
    [4, 3, true],
    [3, 4, true],
    [3, 3, false],
    [5, 2, false],
    [2, 5, false],
    [6, 2, true],
    [2, 6, true],
  ])('%i at the beginning and %i at the end: %s', (first, last, isLike) => {
    expect(like(`${friend.slice(0, first)}${fill(44 - first - last)}${friend.slice(-last)}`)).toBe(isLike);
  });

  it('three at both ends are too few, even with an equal piece between them', () => {
    const near = `${friend.slice(0, 3)}${fill(13)}${friend.slice(16, 22)}${fill(19)}${friend.slice(-3)}`;
    expect(near).toHaveLength(44);
    expect(like(near)).toBe(false);
  });

  it.each([0, 1, 2, -1, -2])(
    'sixteen between the ends, moved by %i, are enough, and fifteen are not',
    (by) => {
      const near = (count: number) => {
        const start = 9 + by;
        return `${fill(start)}${friend.slice(9, 9 + count)}${fill(44 - start - count)}`;
      };
      expect(like(near(16))).toBe(true);
      expect(like(near(15))).toBe(false);
    },
  );

  it('an address of another length is compared over the common length', () => {
    const long = `${friend.slice(0, 9)}${fill(33)}`;
    expect(like(long)).toBe(true);
    expect(like(friend.slice(0, 7))).toBe(false);
    expect(like('')).toBe(false);
  });
});

describe('an address resembles none if it', () => {
  it.each([
    [3, 3],
    [5, 1],
    [1, 5],
    [7, 0],
    [0, 7],
  ])(
    'shares no more than %i characters at the beginning and %i at the end, as a vanity key may',
    (first, last) => {
      expect(resembled(sharing(first, last))).toBeUndefined();
    },
  );

  it('is known itself, however similar to another known one', () => {
    const twin = sharing(6, 6);
    const both = knownAddresses([FRIEND, twin]);
    expect([both.takenFor(FRIEND), both.takenFor(twin)]).toEqual([undefined, undefined]);
  });

  it('is one of three thousand random ones beside a book of a thousand', () => {
    const book = Array.from({ length: 1_000 }, (_, i) => testAddress(`friend ${i}`));
    const full = knownAddresses(book);
    const strangers = Array.from({ length: 3_000 }, (_, i) => testAddress(`stranger ${i}`));
    expect(strangers.filter((each) => full.takenFor(each) !== undefined)).toEqual([]);
    expect(book.filter((each) => full.takenFor(each) !== undefined)).toEqual([]);
  });

  it('is a program or sysvar, beside all others of the chain', () => {
    const chain = Object.values(programs)
      .flat()
      .filter(
        (each): each is string => typeof each === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(each),
      );
    expect(chain.length).toBeGreaterThan(15);
    for (const address of chain) {
      const others = knownAddresses([FRIEND, ...chain.filter((each) => each !== address)]);
      expect(others.takenFor(address), address).toBeUndefined();
    }
  });
});

describe('a decision', () => {
  /** An address that resembles another at both ends and differs everywhere between. */
  const near = (address: string) =>
    `${address.slice(0, 4)}${[...address.slice(4, -4)].map((c) => (c === 'A' ? 'B' : 'A')).join('')}${address.slice(-4)}`;
  const config = stage('plain config');
  const swap = stage('swap of SOL');
  const knowing = (address: string) =>
    policyWith(({ addressBook }) => ({ addressBook: [...(addressBook ?? []), { label: 'known', address }] }));
  const found = (inputs: typeof config, policy = policyWith()) =>
    decide(inputs, policy).checks.filter(({ code }) => code === 'RECIPIENT_LOOKALIKE');
  const lookalikeChecks = (observed: string, allowed: string) => [
    { id: 'noLookalike', ok: false, code: 'RECIPIENT_LOOKALIKE', observed, allowed },
  ];

  it('checks recipients of the request with the first table stage, before a message names them', () => {
    const table = stage('custody table');
    const [claimer = ''] = decide(table)
      .recipients.map(({ address }) => address)
      .filter((address) => address !== WALLET);
    const { staticAccounts } = table.stage.transaction.read();
    expect(staticAccounts).not.toContain(claimer);
    expect(found(table, knowing(near(claimer)))).toEqual(lookalikeChecks(claimer, near(claimer)));
    expect(found(table)).toEqual([]);
  });

  it('names the payee by address and role only', () => {
    expect(decide(swap).recipients).toEqual([
      { address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/), role: 'payment' },
    ]);
  });
});

const REGISTERED = { name: 'Token', symbol: 'TKN' };
const NAMES_IT = ['custody token', 'direct launch, token', 'bare curve launch'];
const allowsAll = policyWith((file) => file);
const registeredAs = (
  { named: _recorded, ...inputs }: DecisionInputs,
  named: DecisionInputs['named'],
): DecisionInputs => ({ ...inputs, ...(named === undefined ? {} : { named }) });

describe.each(NAMES_IT)('a launch that names its token: %s', (name) => {
  const launch = stage(name);

  it('is allowed under the registered names', () => {
    const decision = decide(registeredAs(launch, REGISTERED), allowsAll);
    expect(decision.effect).toBe('allow');
  });

  it.each([
    ['token name', { ...REGISTERED, name: 'Tokem' }],
    ['token symbol', { ...REGISTERED, symbol: 'TKM' }],
  ])('is refused with another %s', (wrong, named) => {
    const decision = decide(registeredAs(launch, named), allowsAll);
    expect(decision.effect).toBe('deny');
    expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(explain(decision)).toContain(wrong);
    expect(explain(decision)).toContain('the registered text');
  });
});

describe('in live mode', () => {
  const mainnet = GENESIS['mainnet-beta'] ?? '';
  const policy = load(policyTemplate('sandbox', { wallet: WALLET, network: mainnet }));
  const curve = stage('bare curve launch').accounts.find(
    ({ address }) => address === stage('bare curve launch').plan.request.configKey,
  );
  const terms = curve && readAs(poolConfig, { owner: curve.owner, data: Buffer.from(curve.data, 'base64') });
  if (terms === undefined || typeof terms === 'string') throw new Error('no terms of a curve');
  /** Returns the inputs in live mode. The receiver of leftover supply is a known address, so that it does not ask. */
  const live = (launch: DecisionInputs, named?: DecisionInputs['named']): DecisionInputs => ({
    ...registeredAs(launch, named),
    serviceAddresses: [{ label: 'treasury', address: terms.leftoverReceiver }],
    mode: 'live',
    network: mainnet,
    plan: { ...launch.plan, mode: 'live', network: mainnet },
  });
  /** Returns the reasons of the question and the codes of a refusal, if any. */
  const askReasons = (inputs: DecisionInputs) => {
    const { checks, reasonCodes } = decide(inputs, policy);
    return [reasonCodes, checks.find(({ code, ok }) => code === 'NAME_UNREGISTERED' && !ok)?.id ?? ''];
  };

  it.each(NAMES_IT)('a token registered elsewhere asks the owner, whatever the rule allows: %s', (name) => {
    const [codes, why] = askReasons(live(stage(name)));
    expect(codes).toContain('NAME_UNREGISTERED');
    expect(why).not.toBe('');
    // A name registered by this home does not ask.
    const [others, none] = askReasons(live(stage(name), REGISTERED));
    expect([others?.includes('NAME_UNREGISTERED'), none]).toEqual([false, '']);
  });

  it.each(['direct launch', 'direct launch, end', 'plain config'])(
    'a stage that names no token does not ask about its name: %s',
    (name) => {
      expect(askReasons(live(stage(name)))[1]).toBe('');
    },
  );
});
