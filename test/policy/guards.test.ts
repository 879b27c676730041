/** Guards: appended and refused. */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide, decideStaged } from '../../src/policy/decide/evaluate.ts';
import { mayGuard } from '../../src/policy/decide/statement/guards.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Line, Run } from '../../src/statement/types.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import {
  ATTACKER,
  accountsOf,
  changed,
  closable,
  decided,
  delegated,
  ending,
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
import { rewritten, STAGES, signedByUs, stage, WALLET } from './recorded/stages.ts';

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

describe('appended bytes are refused for', () => {
  const inputs = stage(SWAP);
  const [mine] = accountsOf(inputs);
  const { account, program } = { account: mine?.account ?? '', program: mine?.program ?? '' };
  const loaded = accountList(wireOf(inputs), inputs.tables);
  /** A token account of another key that the swap writes to. */
  const other = inputs.accounts.find((fact) => {
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
  const pay = (to: string, lamports: bigint) => systemTransfer(WALLET, to, lamports);
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
    const found = decided(ending(inputs, instructions), SWAP);
    expect([found.effect, found.reasonCodes]).toEqual([
      'deny',
      expect.arrayContaining(['UNEXPECTED_INSTRUCTION']),
    ]);
  });

  it('revoked rights that the account had before', () => {
    for (const change of [delegated, closable]) {
      const had = changed(inputs, account, change);
      expect(decided(ending(had, [...own, transfer(account, account, 1n)]), SWAP).effect).toBe('deny');
    }
  });

  it('a part of the staged transaction, counted as guards', () => {
    const seen = mustGuard(inputs, SWAP);
    const more = { ...seen, guards: { count: seen.guards.count + 1 } };
    const fewer = { ...seen, guards: { count: seen.guards.count - 1 } };
    for (const each of [more, fewer]) expect(decided(each, SWAP).effect).toBe('deny');
  });

  it('guards behind a transaction other than the staged one, though valid alone', () => {
    const budget = rewritten(inputs, (list) => list, {
      budget: [
        encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units: 390_000 } }),
      ],
    });
    const { stage: other } = budget;
    const siblings = inputs.siblings.map((each) => ({ ...each, stage: other }));
    expect(decided({ ...mustGuard(inputs, SWAP), siblings }, SWAP).effect).toBe('deny');
  });

  const first =
    (change: (one: EncodedInstruction) => Partial<EncodedInstruction>) => (seen: DecisionInputs) =>
      rewritten(seen, (list) => list.map((one, i) => (i === 0 ? { ...one, ...change(one) } : one)));
  const accounts = (change: (all: EncodedInstruction['accounts']) => EncodedInstruction['accounts']) =>
    first((one) => ({ accounts: change(one.accounts) }));
  const each = (change: (one: EncodedInstruction['accounts'][number]) => object) =>
    accounts((all) => all.map((one) => ({ ...one, ...change(one) })));
  const list =
    (change: (all: readonly EncodedInstruction[]) => readonly EncodedInstruction[]) =>
    (seen: DecisionInputs) =>
      rewritten(seen, change);
  const signing = each(() => ({ signer: true }));
  const STAGED: readonly (readonly [string, (seen: DecisionInputs) => DecisionInputs])[] = [
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
  it.each(STAGED)('guards behind a transaction other than the staged one: %s', (_, change) => {
    const seen = mustGuard(inputs, SWAP);
    const { stage: other } = change(inputs);
    const found = decided({ ...seen, siblings: [{ stage: other, status: 'ready' }] }, SWAP);
    expect(found.reasonCodes).toEqual(['UNEXPECTED_INSTRUCTION']);
    const refused = found.checks.filter(({ ok }) => !ok);
    expect(refused.map(({ id }) => id)).toEqual(['instructionBelongs']);
    expect(decided(seen, SWAP).effect).toBe('allow');
  });

  it('guards behind the staged transaction with one more signer', () => {
    const found = decided(signing(mustGuard(inputs, SWAP)), SWAP);
    expect(found.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toContain('instructionBelongs');
  });

  it('guards of a stage outside the plan', () => {
    expect(decided({ ...mustGuard(inputs, SWAP), siblings: [] }, SWAP).effect).toBe('deny');
  });

  it('guards of a stage with a declared hash or another signer', () => {
    const seen = mustGuard(inputs, SWAP);
    const declared = { messageSha256: wireOf(inputs).messageSha256 };
    const siblings = inputs.siblings.map((each) => ({ ...each, stage: { ...each.stage, declared } }));
    expect(decided({ ...seen, siblings }, SWAP).effect).toBe('deny');
    expect(guarded({ ...inputs, stage: { ...inputs.stage, declared } }, SWAP)).toBeUndefined();
    const config = STAGES.find((name) => stage(name).plan.operation === 'config') ?? '';
    expect(guarded(stage(config), config)).toBeUndefined();
  });

  it('guards that prove less than promised only by reporting the bound as not enforced', () => {
    const found = decided(ending(inputs, [...own, transfer(account, account, 1n), pay(WALLET, 1n)]), SWAP);
    expect([found.effect, enforced(found)]).toEqual(['allow', []]);
  });
});
