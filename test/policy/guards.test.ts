/** Guards of recorded swaps and payments: what they prove, and that bytes with anything else at their end are refused. */
import { describe, expect, it } from 'vitest';
import { boundsOf, enforcedAssets } from '../../src/guards/bounds.ts';
import { guardsFor } from '../../src/guards/guards.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide, decideStaged } from '../../src/policy/decide/evaluate.ts';
import { mayGuard } from '../../src/policy/decide/statement/guards.ts';
import type { Decision, Facts } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { Act } from '../../src/programs/acts.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Line, Run } from '../../src/statement/types.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { appendInstructions } from '../../src/transaction/append.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { policyFor, rewritten, STAGES, signedByUs, stage, WALLET } from './recorded/stages.ts';

const ATTACKER = keyNamed('attacker').address;
/** Recorded plans that only the wallet signs, each of one stage. */
const NAMES = STAGES.filter(
  (name) => stage(name).stage.refresh === 'blockhash' && stage(name).siblings.length === 1,
);
const SWAP = 'swap of USDC';

type Guards = LoadedPolicy['policy']['transaction']['guards'];
const policyOf = (name: string, guards: Guards = 'on'): LoadedPolicy => {
  const { policy, ...rest } = policyFor(name);
  return { ...rest, policy: { ...policy, transaction: { ...policy.transaction, guards } } };
};
const decided = (facts: Facts, name: string): Decision => decide(facts, policyOf(name), NOTHING_USED);
const linesOf = ({ statement }: Decision): readonly Line[] => stageFrom(statement).lines;
const enforced = (decision: Decision) =>
  linesOf(decision).flatMap((line) => (line.id === 'enforced' && line.views > 0 ? [line.asset] : []));

/** The facts about a stage once it has guards; `undefined` where it gets none. */
function guarded(facts: Facts, name: string, second?: readonly AccountFact[], on: Guards = 'on') {
  const made = decideStaged(facts, policyOf(name, on), NOTHING_USED).guard?.(second);
  if (made === undefined || made.count === 0) return undefined;
  const { transaction, count } = made;
  const guards = { count, ...(second === undefined ? {} : { second }) };
  return { ...facts, stage: { ...facts.stage, transaction }, guards } satisfies Facts;
}

/** The same where it must get some. */
function mustGuard(
  facts: Facts,
  name: string,
  second?: readonly AccountFact[],
): Facts & Required<Pick<Facts, 'guards'>> {
  const found = guarded(facts, name, second);
  if (found === undefined) throw new Error(`${name} gets no guards`);
  return found;
}

/** The compute units a stage asks for. */
function unitsOf({ stage: { transaction }, tables }: Facts): number {
  const held = new Map(tables.map(({ table, addresses }) => [table, addresses]));
  const { fee } = transaction.resolve({ tables: held, off: new Set() });
  if (fee instanceof Error) throw fee;
  return fee.computeUnitLimit;
}

const wireOf = ({ stage: { transaction } }: Facts) => transaction.read();

/** The staged bytes with instructions of any kind in the place of guards. */
function ending(
  facts: Facts,
  instructions: readonly EncodedInstruction[],
  count = instructions.length,
): Facts {
  const staged = wireOf(facts);
  const longer = appendInstructions(staged, accountList(staged, facts.tables), instructions);
  if (longer === undefined) throw new Error('the instructions do not fit');
  const transaction = DecodedStage.ofBytes(longer.bytes);
  return { ...facts, stage: { ...facts.stage, transaction }, guards: { count } };
}

/** The wallet's token accounts among those of a stage. */
const accountsOf = (facts: Facts) =>
  facts.accounts.flatMap((fact) => {
    const state = tokenAccountOf(fact);
    return state?.owner === WALLET ? [{ ...state, account: fact.address, program: fact.owner }] : [];
  });

/** The facts with the data of one account changed. */
const changed = (facts: Facts, address: string, change: (data: Buffer) => void): Facts => ({
  ...facts,
  accounts: facts.accounts.map((fact) => {
    if (fact.address !== address) return fact;
    const data = Buffer.from(fact.data, 'base64');
    change(data);
    return { ...fact, data: data.toString('base64') };
  }),
});
const delegated = (data: Buffer) => {
  data.writeUInt32LE(1, 72);
  data.set(addressBytes(ATTACKER), 76);
  data.writeBigUInt64LE(5n, 121);
};
const closable = (data: Buffer) => {
  data.writeUInt32LE(1, 129);
  data.set(addressBytes(ATTACKER), 133);
};

describe('a plan that only the wallet signs', () => {
  it.each(NAMES)('has every bound enforced, and is decided as without guards: %s', (name) => {
    const facts = stage(name);
    const [before, after] = [decided(facts, name), decided(mustGuard(facts, name), name)];
    expect([after.effect, after.reasonCodes]).toEqual([before.effect, before.reasonCodes]);
    expect([after.bytesDigest, after.pin]).toEqual([before.bytesDigest, before.pin]);
    const moved = linesOf(before).flatMap((line) =>
      line.id === 'pays' || line.id === 'receives' ? [line.asset] : [],
    );
    expect(new Set(enforced(after))).toEqual(new Set(moved));
    const bounds = (lines: readonly Line[]) =>
      lines
        .filter(({ id }) => id !== 'enforced')
        .map((line) => (line.id === 'receives' ? { ...line, enforcedBy: 'program' } : line));
    expect(bounds(linesOf(after))).toEqual(bounds(linesOf(before)));
    for (const line of linesOf(after)) {
      if (line.id === 'receives') expect(line.enforcedBy).toBe('guard');
      if (line.id === 'enforced') expect(line.source).toBe('chain');
    }
  });

  it('is longer by at most 110 bytes, but for a swap from one Token-2022 mint or program to another', () => {
    const grown = NAMES.map(
      (name) =>
        [name, wireOf(mustGuard(stage(name), name)).bytes.length - wireOf(stage(name)).bytes.length] as const,
    );
    expect(grown.filter(([, bytes]) => bytes > 110).map(([name]) => name)).toEqual([
      'swap for a taxed token',
    ]);
  });

  it('ends with exactly what it had, less what it may pay and more what it must receive', () => {
    const facts = stage(SWAP);
    const seen = mustGuard(facts, SWAP);
    const read = wireOf(seen);
    const before = new Map(accountsOf(facts).map((each) => [each.account, each]));
    const proven = read.instructions
      .slice(-seen.guards.count)
      .flatMap(({ accountIndexes, data, programIndex }) => {
        const [from, to] = accountIndexes.map((each) => read.staticAccounts[each] ?? '');
        const isToken = TOKEN_PROGRAMS.includes(read.staticAccounts[programIndex] ?? '') && data[0] === 3;
        if (isToken) expect(from).toBe(to);
        return isToken ? [{ account: from ?? '', amount: Buffer.from(data).readBigUInt64LE(1) }] : [];
      });
    const lines = linesOf(decided(facts, SWAP));
    const change = (mint: string) =>
      lines.reduce((sum, line) => {
        if (line.id === 'pays' && line.asset === mint) return sum - line.atMost;
        return line.id === 'receives' && line.asset === mint ? sum + line.atLeast : sum;
      }, 0n);
    expect(proven.length).toBe(2);
    for (const { account, amount } of proven) {
      const { mint = '', amount: opening = 0n } = before.get(account) ?? {};
      expect(amount).toBe(opening + change(mint));
    }
  });

  it('gets no guards where the policy switches them off', () => {
    expect(guarded(stage(SWAP), SWAP, undefined, 'off')).toBeUndefined();
  });

  const swap = stage(SWAP);
  const unit = (units: number) =>
    encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units } });
  const cosigned = rewritten(swap, (list) => [
    ...list,
    encodeInstruction('memo.memo', {
      accounts: {},
      rest: [{ address: ATTACKER, signer: true, writable: false }],
      args: { text: '' },
    }),
  ]);
  const { stage: free } = swap;
  const NOT_FREE: readonly (readonly [string, ...Parameters<typeof mayGuard>])[] = [
    ['it cannot be read', { ...free, transaction: new DecodedStage('') }, WALLET, 1],
    ['it is signed', signedByUs(swap).stage, WALLET, 1],
    ['another key signs too', cosigned.stage, WALLET, 1],
    ['another wallet pays for it', free, ATTACKER, 1],
    ['its hash is not refreshed', { ...free, refresh: 'never' }, WALLET, 1],
    ['the service declares its hash', { ...free, declared: { messageSha256: '' } }, WALLET, 1],
    ['another stage belongs to the plan', free, WALLET, 2],
  ];
  it.each(NOT_FREE)('gets no guards where %s', (_, ...of) => {
    expect([mayGuard(...of), mayGuard(free, WALLET, 1)]).toEqual([false, true]);
  });
  it.each([
    ['its lookup table is not known', { ...swap, tables: [] }],
    ['its fee is not known', rewritten(swap, (list) => list, { budget: [unit(9), unit(9)] })],
  ])('gets no guards where it is denied: %s', (_, facts) => {
    const { decision, guard } = decideStaged(facts, policyOf(SWAP), NOTHING_USED);
    expect([decision.effect, guard]).toEqual(['deny', undefined]);
  });

  /** The swap that uses all compute units it asks for: a service chooses how many. */
  const tight: Facts = {
    ...swap,
    simulation: { ...swap.simulation, unitsConsumed: unitsOf(swap) } as Facts['simulation'],
  };
  const unfit: Facts = { ...tight, guards: { count: 0 } };

  it('says which amounts are simulated where no guards fit', () => {
    expect(decideStaged(tight, policyOf(SWAP), NOTHING_USED).guard?.(undefined)).toEqual({
      transaction: tight.stage.transaction,
      count: 0,
    });
    const lines = linesOf(decided(unfit, SWAP));
    const open = lines.flatMap((line) => (line.id === 'enforced' ? [[line.asset, line.views]] : []));
    expect(new Set(open.map(([asset]) => asset))).toEqual(
      new Set(enforced(decided(mustGuard(swap, SWAP), SWAP))),
    );
    expect(open.every(([, views]) => views === 0)).toBe(true);
  });

  it('asks where its guards are required and do not fit, or there are none', () => {
    const codes = (facts: Facts, guards: Guards) => {
      const { effect, reasonCodes } = decide(facts, policyOf(SWAP, guards), NOTHING_USED);
      return effect === 'allow' || reasonCodes.includes('NOT_ENFORCED') ? effect : reasonCodes;
    };
    const fits = mustGuard(swap, SWAP);
    expect([codes(unfit, 'on'), codes(fits, 'on'), codes(fits, 'required')]).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    expect([codes(unfit, 'required'), codes(swap, 'required')]).toEqual([
      'require_approval',
      'require_approval',
    ]);
  });

  it('asks where an earlier signature of the stage had an asset enforced that is not enforced now', () => {
    const asks = (facts: Facts, enforced: readonly string[]) =>
      decide(facts, policyOf(SWAP), { ...NOTHING_USED, enforced }).reasonCodes.includes('NOT_ENFORCED');
    const fits = mustGuard(swap, SWAP);
    expect([asks(fits, ['SOL']), asks(unfit, []), asks(unfit, ['SOL']), asks(swap, ['SOL'])]).toEqual([
      ...[false, false, true, true],
    ]);
  });

  it('gets guards where the units it asks for leave 200 for each', () => {
    const { count } = mustGuard(swap, SWAP).guards;
    const of = (simulation: object) =>
      guarded({ ...swap, simulation: { ...swap.simulation, ...simulation } as Facts['simulation'] }, SWAP);
    const left = unitsOf(swap) - 200 * count;
    const [fits, over] = [left, left + 1].map((unitsConsumed) => of({ status: 'done', unitsConsumed }));
    expect([fits?.guards.count, over]).toEqual([count, undefined]);
    expect(of({ unitsConsumed: undefined })?.guards.count).toBe(count);
  });

  it.each([
    ['that another key may spend from', delegated],
    ['that another key may close', closable],
    ['that is frozen', (data: Buffer) => data.writeUInt8(2, 108)],
  ])('leaves an account alone %s, and does not call its bounds enforced', (_, change) => {
    const [sold] = accountsOf(stage(SWAP));
    const facts = changed(stage(SWAP), sold?.account ?? '', change);
    const seen = guarded(facts, SWAP);
    if (seen === undefined) return;
    expect(enforced(decided(seen, SWAP))).not.toContain(sold?.mint);
    const read = wireOf(seen);
    const touched = read.instructions
      .slice(-seen.guards.count)
      .flatMap(({ accountIndexes }) => accountIndexes.map((each) => read.staticAccounts[each]));
    expect(touched).not.toContain(sold?.account);
  });

  it('proves nothing of an account elsewhere than at the associated address of its mint', () => {
    const [sold] = accountsOf(stage(SWAP));
    const fact = stage(SWAP).accounts.find(({ address }) => address === sold?.account);
    if (fact === undefined) throw new Error('nothing is sold');
    const provenAt = (address: string) => {
      const lines = linesOf(decided(stage(SWAP), SWAP));
      const mint = sold?.mint ?? '';
      const promised = {
        ...{
          wallet: WALLET,
          acts: [],
          rent: () => 0n,
          lines: lines.filter((line) => 'asset' in line && line.asset === mint),
        },
        loaded: [{ address, signer: false, writable: true }],
        views: [new Map([[address, { ...fact, address }]])],
      };
      return enforcedAssets(boundsOf(promised), promised, new Map([[address, 1n << 63n]])).includes(mint);
    };
    expect([provenAt(fact.address), provenAt(keyNamed('elsewhere').address)]).toEqual([true, false]);
  });

  it.each(NAMES)('is judged where the wallet holds less than the bytes may take: %s', (name) => {
    const facts = stage(name);
    const accounts = facts.accounts.map((fact) =>
      fact.address === WALLET ? { ...fact, lamports: '1000' } : fact,
    );
    expect(() => guarded({ ...facts, accounts }, name)).not.toThrow();
  });

  it('does not call SOL enforced where a token account holds lamports above its rent', () => {
    const [sold] = accountsOf(stage(SWAP));
    const richer = (lamports: bigint): Facts => ({
      ...stage(SWAP),
      accounts: stage(SWAP).accounts.map((fact) =>
        fact.address === sold?.account ? { ...fact, lamports: `${BigInt(fact.lamports) + lamports}` } : fact,
      ),
    });
    const [exact, more] = [0n, 1n].map((lamports) =>
      enforced(decided(mustGuard(richer(lamports), SWAP), SWAP)),
    );
    expect(exact).toContain('SOL');
    expect(more).toEqual(exact?.filter((asset) => asset !== 'SOL'));
  });

  /** The guards of an account of the wallet, and whether its asset and SOL are enforced, in a transaction of these acts. */
  const guardsIn = (acts: readonly Act[], exists?: boolean) => {
    const [sold] = accountsOf(stage(SWAP));
    const { account = '', mint = '' } = sold ?? {};
    const facts = stage(SWAP).accounts.filter(({ address }) => address === account || address === WALLET);
    const promised = {
      ...{ wallet: WALLET, acts, rent: () => 1n << 62n },
      lines: linesOf(decided(stage(SWAP), SWAP)).filter(
        (line) => 'asset' in line && (line.asset === mint || line.asset === 'SOL'),
      ),
      loaded: [{ address: account, signer: false, writable: true }],
      views: [new Map(facts.map((fact) => [fact.address, fact]))],
      ...(exists === undefined
        ? {}
        : { after: new Map(facts.map((fact) => [fact.address, { ...fact, exists }])) }),
    };
    const bounds = boundsOf(promised);
    const most = new Map([account, WALLET].map((each) => [each, 1n << 63n]));
    return {
      guards: guardsFor(bounds, WALLET).filter(({ accounts }) =>
        accounts.some(({ address }) => address === account),
      ).length,
      buckets: bounds.buckets.map(({ isFree }) => isFree),
      enforced: enforcedAssets(
        bounds,
        promised,
        bounds.buckets.some(({ isFree }) => isFree) ? most : new Map([[WALLET, 1n << 63n]]),
      ),
    };
  };
  const [sold] = accountsOf(stage(SWAP));
  const account = sold?.account ?? '';
  const unread: Act = { act: 'unread', program: ATTACKER, reason: '', accounts: [account] };
  const close: Act = {
    ...{ act: 'closeAccount', refundTo: WALLET, authority: WALLET },
    account: { account, owner: WALLET },
  };
  const open: Act = { act: 'openAccount', kind: 'token', account, owner: WALLET, mint: sold?.mint };

  it('leaves an account alone that an unsupported instruction closes in the simulation, and enforces neither it nor SOL', () => {
    expect(guardsIn([unread], true)).toMatchObject({ guards: 3, enforced: ['SOL', sold?.mint] });
    // Without a simulation the guards stand, and the transaction fails where the account is closed.
    expect(guardsIn([unread])).toMatchObject({ guards: 3 });
    expect(guardsIn([unread], false)).toMatchObject({ guards: 0, enforced: [] });
    // Where every instruction is read, the acts say which accounts stay open.
    expect(guardsIn([], false)).toMatchObject({ guards: 3 });
  });

  it('leaves an account alone that is closed and opened again', () => {
    expect(guardsIn([open, close]).buckets).toEqual([]);
    expect(guardsIn([close, open])).toMatchObject({ guards: 0, buckets: [false], enforced: [] });
  });

  it('takes the higher of two balances, and says how many views there were', () => {
    const facts = stage(SWAP);
    const [sold] = accountsOf(facts);
    const second = changed(facts, sold?.account ?? '', (data) =>
      data.writeBigUInt64LE((sold?.amount ?? 0n) + 7n, 64),
    ).accounts;
    const views = (seen: Facts) =>
      linesOf(decided(seen, SWAP)).flatMap((line) => (line.id === 'enforced' ? [line.views] : []));
    const [one, two] = [mustGuard(facts, SWAP), mustGuard(facts, SWAP, second)];
    expect([new Set(views(one)), new Set(views(two))]).toEqual([new Set([1]), new Set([2])]);
    // Guards by the lower balance prove less than the second view asks for.
    const lower = decided({ ...one, guards: { ...one.guards, second } }, SWAP);
    expect(enforced(lower)).not.toContain(sold?.mint);
  });
});

describe('an approval', () => {
  const runOf = (lines: readonly Line[]): Run => ({
    scope: {
      ...{ network: '', mode: '', wallet: WALLET, policyHash: '', intentKey: '', operation: 'swap' },
      ...{ endpoint: '', requestDigest: '' },
    },
    ...{ time: 0, draws: new Map(), spentPins: [], request: [] },
    stages: [{ lines, made: {}, state: 'this' }],
  });
  it('of enforced bounds does not cover simulated ones; it covers the same by more views, and the other way round', () => {
    const facts = stage(SWAP);
    const [plain, one, two] = [facts, mustGuard(facts, SWAP), mustGuard(facts, SWAP, facts.accounts)].map(
      (seen) => runOf(linesOf(decided(seen, SWAP))),
    );
    const isCovered = (asked: Run | undefined, now: Run | undefined) =>
      asked !== undefined && now !== undefined && covers(approvalOf(asked, 1, []), now).covered;
    expect([isCovered(one, plain), isCovered(two, one)]).toEqual([false, false]);
    expect([isCovered(one, one), isCovered(plain, one), isCovered(one, two)]).toEqual([true, true, true]);
  });
});

describe('refused at the end of the bytes', () => {
  const facts = stage(SWAP);
  const [mine] = accountsOf(facts);
  const { account, program } = { account: mine?.account ?? '', program: mine?.program ?? '' };
  const loaded = accountList(wireOf(facts), facts.tables);
  /** A token account that the swap writes to and another key owns. */
  const other = facts.accounts.find((fact) => {
    const state = tokenAccountOf(fact);
    const isWritten = loaded.some(({ address, writable }) => writable && address === fact.address);
    return isWritten && fact.owner === program && state !== undefined && state.owner !== WALLET;
  });
  const foreign = other?.address ?? '';
  const revoke = (source: string) =>
    encodeInstruction('token.revoke', { program, accounts: { source, owner: WALLET } });
  const setAuthority = (
    owned: string,
    authorityType: 'closeAccount' | 'accountOwner',
    newAuthority: string | null,
  ) =>
    encodeInstruction('token.setAuthority', {
      program,
      accounts: { owned, authority: WALLET },
      args: { authorityType, newAuthority },
    });
  const transfer = (source: string, destination: string, amount: bigint) =>
    encodeInstruction('token.transfer', {
      program,
      accounts: { source, destination, authority: WALLET },
      args: { amount },
    });
  const pay = (to: string, lamports: bigint) =>
    encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });
  const own = [revoke(account), setAuthority(account, 'closeAccount', null)];

  const HOSTILE: readonly (readonly [string, readonly EncodedInstruction[]])[] = [
    ['a transfer to another account', [...own, transfer(account, foreign, 1n)]],
    ['SOL for another account', [...own, transfer(account, account, 1n), pay(foreign, 1n)]],
    ['another owner', [revoke(account), setAuthority(account, 'accountOwner', ATTACKER)]],
    [
      'another key that may close the account',
      [revoke(account), setAuthority(account, 'closeAccount', ATTACKER)],
    ],
    [
      'an account of another key',
      [revoke(foreign), setAuthority(foreign, 'closeAccount', null), transfer(foreign, foreign, 1n)],
    ],
    ['a transfer that a delegate could have signed', [transfer(account, account, 1n)]],
    ['a transfer without one of both rights taken away', [revoke(account), transfer(account, account, 1n)]],
    ['guards out of order', [pay(WALLET, 1n), ...own]],
    ['a transfer of nothing', [...own, transfer(account, account, 0n)]],
    ['two proofs of one account', [...own, transfer(account, account, 1n), transfer(account, account, 2n)]],
    [
      'an instruction of another kind',
      [encodeInstruction('token.syncNative', { program, accounts: { account } })],
    ],
  ];
  it.each(HOSTILE)('%s', (_, instructions) => {
    const found = decided(ending(facts, instructions), SWAP);
    expect([found.effect, found.reasonCodes]).toEqual([
      'deny',
      expect.arrayContaining(['UNEXPECTED_INSTRUCTION']),
    ]);
  });

  it('rights taken away that the account had before', () => {
    for (const change of [delegated, closable]) {
      const had = changed(facts, account, change);
      expect(decided(ending(had, [...own, transfer(account, account, 1n)]), SWAP).effect).toBe('deny');
    }
  });

  it('a part of the staged transaction, counted as guards', () => {
    const seen = mustGuard(facts, SWAP);
    const more = { ...seen, guards: { count: seen.guards.count + 1 } };
    const fewer = { ...seen, guards: { count: seen.guards.count - 1 } };
    for (const each of [more, fewer]) expect(decided(each, SWAP).effect).toBe('deny');
  });

  it('guards behind other bytes than were staged, though they are allowed by themselves', () => {
    const budget = rewritten(facts, (list) => list, {
      budget: [
        encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units: 390_000 } }),
      ],
    });
    const { stage: other } = budget;
    const siblings = facts.siblings.map((each) => ({ ...each, stage: other }));
    expect(decided({ ...mustGuard(facts, SWAP), siblings }, SWAP).effect).toBe('deny');
  });

  const first = (change: (one: EncodedInstruction) => Partial<EncodedInstruction>) => (seen: Facts) =>
    rewritten(seen, (list) => list.map((one, i) => (i === 0 ? { ...one, ...change(one) } : one)));
  const accounts = (change: (all: EncodedInstruction['accounts']) => EncodedInstruction['accounts']) =>
    first((one) => ({ accounts: change(one.accounts) }));
  const each = (change: (one: EncodedInstruction['accounts'][number]) => object) =>
    accounts((all) => all.map((one) => ({ ...one, ...change(one) })));
  const list =
    (change: (all: readonly EncodedInstruction[]) => readonly EncodedInstruction[]) => (seen: Facts) =>
      rewritten(seen, change);
  const signing = each(() => ({ signer: true }));
  const STAGED: readonly (readonly [string, (seen: Facts) => Facts])[] = [
    ['other data', first(({ data }) => ({ data: Uint8Array.of(...data, 0) }))],
    ['another program', first(() => ({ programAddress: ATTACKER }))],
    ['an account less', accounts((all) => all.slice(0, -1))],
    ['an account more', accounts((all) => [...all, ...all.slice(-1)])],
    ['two accounts exchanged', accounts((all) => all.toReversed())],
    [
      'other addresses of the same kind',
      each(({ address, signer, writable }) => ({ address: signer || writable ? address : ATTACKER })),
    ],
    ['one that may be written to', each(() => ({ writable: true }))],
    ['one that has to sign', signing],
    ['an instruction less', list((all) => all.slice(1))],
    ['the last instruction less', list((all) => all.slice(0, -1))],
    ['instructions in another order', list((all) => all.toReversed())],
    ['twice as many instructions', list((all) => [...all, ...all, ...all])],
  ];
  it.each(STAGED)('guards behind other bytes than were staged: %s', (_, change) => {
    const seen = mustGuard(facts, SWAP);
    const { stage: other } = change(facts);
    const found = decided({ ...seen, siblings: [{ stage: other, status: 'ready' }] }, SWAP);
    expect(found.reasonCodes).toEqual(['UNEXPECTED_INSTRUCTION']);
    const refused = found.checks.filter(({ ok }) => !ok);
    expect(refused.map(({ id }) => id)).toEqual(['instructionBelongs']);
    expect(decided(seen, SWAP).effect).toBe('allow');
  });

  it('guards behind the staged bytes with one more signer', () => {
    const found = decided(signing(mustGuard(facts, SWAP)), SWAP);
    expect(found.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toContain('instructionBelongs');
  });

  it('guards of a stage that is not in the plan', () => {
    expect(decided({ ...mustGuard(facts, SWAP), siblings: [] }, SWAP).effect).toBe('deny');
  });

  it('guards of a stage whose hash is declared, or that another key signs', () => {
    const seen = mustGuard(facts, SWAP);
    const declared = { messageSha256: wireOf(facts).messageSha256 };
    const siblings = facts.siblings.map((each) => ({ ...each, stage: { ...each.stage, declared } }));
    expect(decided({ ...seen, siblings }, SWAP).effect).toBe('deny');
    expect(guarded({ ...facts, stage: { ...facts.stage, declared } }, SWAP)).toBeUndefined();
    const config = STAGES.find((name) => stage(name).plan.operation === 'config') ?? '';
    expect(guarded(stage(config), config)).toBeUndefined();
  });

  it('nothing where guards prove less than was promised, but then no bound is called enforced', () => {
    const found = decided(ending(facts, [...own, transfer(account, account, 1n), pay(WALLET, 1n)]), SWAP);
    expect([found.effect, enforced(found)]).toEqual(['allow', []]);
  });
});
