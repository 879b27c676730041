/** Guards of recorded swaps and payments: their bounds and the lines of the statement they enforce. */
import { describe, expect, it } from 'vitest';
import { boundsOf, enforcedAssets } from '../../src/guards/bounds.ts';
import { guardsFor } from '../../src/guards/guards.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide, decideStaged } from '../../src/policy/decide/evaluate.ts';
import { mayGuard } from '../../src/policy/decide/statement/guards.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import type { Act } from '../../src/programs/acts.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Line, Run } from '../../src/statement/types.ts';
import { TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import {
  ATTACKER,
  accountsOf,
  changed,
  closable,
  decided,
  delegated,
  enforced,
  type Guards,
  guarded,
  linesOf,
  mustGuard,
  NAMES,
  policyOf,
  SWAP,
  unitsOf,
  wireOf,
} from './guarded.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { rewritten, signedByUs, stage, WALLET } from './recorded/stages.ts';

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

  /** The last instructions of a stage with the wallet replaced as destination of what is withdrawn. */
  const elsewhere = (facts: Facts, to: string): Facts =>
    rewritten(facts, (list) =>
      list.map((one) =>
        one.data[0] === 38
          ? { ...one, accounts: one.accounts.map((each, i) => (i === 1 ? { ...each, address: to } : each)) }
          : one,
      ),
    );

  describe('lamports above rent in a token account', () => {
    const [sold] = accountsOf(stage(SWAP));
    const account = sold?.account ?? '';
    const richer = (lamports: bigint): Facts => ({
      ...stage(SWAP),
      accounts: stage(SWAP).accounts.map((fact) =>
        fact.address === account ? { ...fact, lamports: `${BigInt(fact.lamports) + lamports}` } : fact,
      ),
    });
    const guardsOf = (facts: Facts) => {
      const read = wireOf(facts);
      return read.instructions.slice(-(facts.guards?.count ?? 0)).map(({ accountIndexes, data }) => ({
        accounts: accountIndexes.map((each) => read.staticAccounts[each]),
        data: Buffer.from(data),
      }));
    };
    const solOf = (facts: Facts) => guardsOf(facts).at(-1)?.data.readBigUInt64LE(4) ?? 0n;
    const [exact, more] = [0n, 7n].map((lamports) => mustGuard(richer(lamports), SWAP));
    if (exact === undefined || more === undefined) throw new Error('the swap gets no guards');

    it('are withdrawn to the wallet, whose own transfer proves them', () => {
      const swept = guardsOf(more).filter(({ data }) => data[0] === 38);
      expect(swept).toEqual([{ accounts: [account, WALLET, WALLET], data: Buffer.of(38) }]);
      expect(guardsOf(exact).some(({ data }) => data[0] === 38)).toBe(false);
      expect([more.guards.count - exact.guards.count, solOf(more) - solOf(exact)]).toEqual([1, 7n]);
      expect(enforced(decided(more, SWAP))).toEqual(enforced(decided(exact, SWAP)));
      expect(enforced(decided(more, SWAP))).toContain('SOL');
    });

    it.each([
      ['are left where they are', [richer(7n), exact]],
      ['are none', [richer(0n), more]],
      ['go elsewhere', [richer(7n), elsewhere(more, account)]],
    ] as const)(
      'are not guarded, and the bytes refused, where they %s',
      (_, [facts, { stage: swept, guards }]) => {
        expect(decided({ ...facts, stage: swept, guards }, SWAP).reasonCodes).toContain(
          'UNEXPECTED_INSTRUCTION',
        );
      },
    );
  });

  /** The guards of an account of the wallet, and whether its asset and SOL are enforced, in a transaction of these acts. */
  const guardsIn = (acts: readonly Act[], exists?: boolean, of = stage(SWAP), excess = 0n) => {
    const [sold] = accountsOf(stage(SWAP));
    const { account = '', mint = '' } = sold ?? {};
    const facts = of.accounts.filter(({ address }) => address === account || address === WALLET);
    const lamports = BigInt(facts.find(({ address }) => address === account)?.lamports ?? 0);
    const promised = {
      ...{ wallet: WALLET, acts, rent: () => lamports - excess },
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

  it.each([
    ['that another key may spend from', delegated],
    ['that another key may close', closable],
    ['that is frozen', (data: Buffer) => data.writeUInt8(2, 108)],
  ])('leaves an account alone %s, and enforces neither it nor the SOL above its rent', (_, change) => {
    const facts = changed(stage(SWAP), account, change);
    expect(guardsIn([], true, facts)).toMatchObject({ guards: 0, buckets: [false], enforced: ['SOL'] });
    expect(guardsIn([], true, facts, 1n)).toMatchObject({ guards: 0, enforced: [] });
    expect(guardsIn([], true, stage(SWAP), 1n)).toMatchObject({ guards: 4, enforced: ['SOL', sold?.mint] });
  });

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
