/** Guards of recorded swaps and payments: their bounds and the lines of the statement they enforce. */
import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide, decideStaged } from '../../src/policy/decide/evaluate.ts';
import { mayGuard } from '../../src/policy/decide/statement/guards.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Line, Run } from '../../src/statement/types.ts';
import { TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import {
  ATTACKER,
  accountsOf,
  changed,
  decided,
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
import { NOTHING_USED } from './people.ts';
import { rewritten, signedByUs, stage, WALLET } from './recorded/stages.ts';

describe('a plan signed by the wallet only', () => {
  it.each(NAMES)('has every bound enforced, and is decided as without guards: %s', (name) => {
    const inputs = stage(name);
    const [before, after] = [decided(inputs, name), decided(mustGuard(inputs, name), name)];
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

  it('is at most 110 bytes longer, except a swap between Token-2022 mints or programs', () => {
    const grown = NAMES.map(
      (name) =>
        [name, wireOf(mustGuard(stage(name), name)).bytes.length - wireOf(stage(name)).bytes.length] as const,
    );
    expect(grown.filter(([, bytes]) => bytes > 110).map(([name]) => name)).toEqual([
      'swap for a taxed token',
    ]);
  });

  it('ends with its balance less the maximum payment plus the minimum proceeds', () => {
    const inputs = stage(SWAP);
    const seen = mustGuard(inputs, SWAP);
    const read = wireOf(seen);
    const before = new Map(accountsOf(inputs).map((each) => [each.account, each]));
    const proven = read.instructions
      .slice(-seen.guards.count)
      .flatMap(({ accountIndexes, data, programIndex }) => {
        const [from, to] = accountIndexes.map((each) => read.staticAccounts[each] ?? '');
        const isToken = TOKEN_PROGRAMS.includes(read.staticAccounts[programIndex] ?? '') && data[0] === 3;
        if (isToken) expect(from).toBe(to);
        return isToken ? [{ account: from ?? '', amount: Buffer.from(data).readBigUInt64LE(1) }] : [];
      });
    const lines = linesOf(decided(inputs, SWAP));
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

  it('gets no guards if the policy disables them', () => {
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
  it.each(NOT_FREE)('gets no guards if %s', (_, ...of) => {
    expect([mayGuard(...of), mayGuard(free, WALLET, 1)]).toEqual([false, true]);
  });
  it.each([
    ['its lookup table is not known', { ...swap, tables: [] }],
    ['its fee is not known', rewritten(swap, (list) => list, { budget: [unit(9), unit(9)] })],
  ])('gets no guards if it is denied: %s', (_, inputs) => {
    const { decision, guard } = decideStaged(inputs, policyOf(SWAP), NOTHING_USED);
    expect([decision.effect, guard]).toEqual(['deny', undefined]);
  });

  /** A swap that uses all its requested compute units, as chosen by the service. */
  const tight: DecisionInputs = {
    ...swap,
    simulation: { ...swap.simulation, unitsConsumed: unitsOf(swap) } as DecisionInputs['simulation'],
  };
  const unfit: DecisionInputs = { ...tight, guards: { count: 0 } };

  it('states which amounts are simulated if no guards fit', () => {
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

  it('asks if its guards are required and do not fit or are absent', () => {
    const codes = (inputs: DecisionInputs, guards: Guards) => {
      const { effect, reasonCodes } = decide(inputs, policyOf(SWAP, guards), NOTHING_USED);
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

  it('asks if an earlier signature of the stage enforced an asset that is not enforced now', () => {
    const needsApproval = (inputs: DecisionInputs, enforced: readonly string[]) =>
      decide(inputs, policyOf(SWAP), { ...NOTHING_USED, enforced }).reasonCodes.includes('NOT_ENFORCED');
    const fits = mustGuard(swap, SWAP);
    expect([
      needsApproval(fits, ['SOL']),
      needsApproval(unfit, []),
      needsApproval(unfit, ['SOL']),
      needsApproval(swap, ['SOL']),
    ]).toEqual([...[false, false, true, true]]);
  });

  it('gets guards if its requested units leave 200 for each', () => {
    const { count } = mustGuard(swap, SWAP).guards;
    const of = (simulation: object) =>
      guarded(
        { ...swap, simulation: { ...swap.simulation, ...simulation } as DecisionInputs['simulation'] },
        SWAP,
      );
    const left = unitsOf(swap) - 200 * count;
    const [fits, over] = [left, left + 1].map((unitsConsumed) => of({ status: 'done', unitsConsumed }));
    expect([fits?.guards.count, over]).toEqual([count, undefined]);
    expect(of({ unitsConsumed: undefined })?.guards.count).toBe(count);
  });

  it.each(NAMES)('is judged if the wallet holds less than the transaction may take: %s', (name) => {
    const inputs = stage(name);
    const accounts = inputs.accounts.map((fact) =>
      fact.address === WALLET ? { ...fact, lamports: '1000' } : fact,
    );
    expect(() => guarded({ ...inputs, accounts }, name)).not.toThrow();
  });

  it('uses the higher of two balances and states the number of views', () => {
    const inputs = stage(SWAP);
    const [sold] = accountsOf(inputs);
    const second = changed(inputs, sold?.account ?? '', (data) =>
      data.writeBigUInt64LE((sold?.amount ?? 0n) + 7n, 64),
    ).accounts;
    const views = (seen: DecisionInputs) =>
      linesOf(decided(seen, SWAP)).flatMap((line) => (line.id === 'enforced' ? [line.views] : []));
    const [one, two] = [mustGuard(inputs, SWAP), mustGuard(inputs, SWAP, second)];
    expect([new Set(views(one)), new Set(views(two))]).toEqual([new Set([1]), new Set([2])]);
    // If the second source has other accounts in a lookup table, only the first view counts.
    expect(new Set(views({ ...two, secondRpc: { agrees: false } }))).toEqual(new Set([1]));
    // Guards with the lower balance prove less than the second view requires.
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
  it('of enforced bounds does not cover simulated ones; it covers the same with more views and vice versa', () => {
    const inputs = stage(SWAP);
    const [plain, one, two] = [inputs, mustGuard(inputs, SWAP), mustGuard(inputs, SWAP, inputs.accounts)].map(
      (seen) => runOf(linesOf(decided(seen, SWAP))),
    );
    const isCovered = (scopeAsked: Run | undefined, now: Run | undefined) =>
      scopeAsked !== undefined && now !== undefined && covers(approvalOf(scopeAsked, 1, []), now).covered;
    expect([isCovered(one, plain), isCovered(two, one)]).toEqual([false, false]);
    expect([isCovered(one, one), isCovered(plain, one), isCovered(one, two)]).toEqual([true, true, true]);
  });
});
