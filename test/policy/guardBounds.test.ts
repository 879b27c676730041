/** Guards of single accounts: lamports above rent, untouched accounts, SOL without a guard. */
import { describe, expect, it } from 'vitest';
import { boundsOf, enforcedAssets } from '../../src/guards/bounds.ts';
import { guardsFor } from '../../src/guards/guards.ts';
import { decideStaged } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { Act } from '../../src/programs/acts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import type { Line } from '../../src/statement/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import type { AccountUse } from '../../src/transaction/types.ts';
import { tokenAccount } from './accountFacts.ts';
import {
  ATTACKER,
  accountsOf,
  changed,
  closable,
  decided,
  delegated,
  enforced,
  linesOf,
  mustGuard,
  policyOf,
  SWAP,
  wireOf,
} from './guarded.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { rewritten, stage, WALLET } from './recorded/stages.ts';

/** Lamports of a token account without deposits. */
const RENT = 2_039_280n;

describe('guards of single accounts', () => {
  it('prove no balance of an account outside the associated address of its mint', () => {
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
        isAgreed: true,
      };
      return enforcedAssets(boundsOf(promised), promised, new Map([[address, 1n << 63n]])).includes(mint);
    };
    expect([provenAt(fact.address), provenAt(keyNamed('elsewhere').address)]).toEqual([true, false]);
  });

  /** The stage with another destination for the withdrawals of its last instructions. */
  const elsewhere = (inputs: DecisionInputs, to: string): DecisionInputs =>
    rewritten(inputs, (list) =>
      list.map((one) =>
        one.data[0] === 38
          ? { ...one, accounts: one.accounts.map((each, i) => (i === 1 ? { ...each, address: to } : each)) }
          : one,
      ),
    );

  describe('lamports above rent in a token account', () => {
    const [sold] = accountsOf(stage(SWAP));
    const account = sold?.account ?? '';
    const richer = (lamports: bigint): DecisionInputs => ({
      ...stage(SWAP),
      accounts: stage(SWAP).accounts.map((fact) =>
        fact.address === account ? { ...fact, lamports: `${BigInt(fact.lamports) + lamports}` } : fact,
      ),
    });
    const guardsOf = (inputs: DecisionInputs) => {
      const read = wireOf(inputs);
      return read.instructions.slice(-(inputs.guards?.count ?? 0)).map(({ accountIndexes, data }) => ({
        accounts: accountIndexes.map((each) => read.staticAccounts[each]),
        data: Buffer.from(data),
      }));
    };
    const solOf = (inputs: DecisionInputs) => guardsOf(inputs).at(-1)?.data.readBigUInt64LE(4) ?? 0n;
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
      'are not guarded, and the transaction is refused, if they %s',
      (_, [inputs, { stage: swept, guards }]) => {
        expect(decided({ ...inputs, stage: swept, guards }, SWAP).reasonCodes).toContain(
          'UNEXPECTED_INSTRUCTION',
        );
      },
    );
  });

  /** The guards of a wallet's account in a transaction with these acts, and whether its asset and SOL are enforced. */
  const guardsIn = (acts: readonly Act[], exists?: boolean, of = stage(SWAP), excess = 0n) => {
    const [sold] = accountsOf(stage(SWAP));
    const { account = '', mint = '' } = sold ?? {};
    const facts = of.accounts.filter(({ address }) => address === account || address === WALLET);
    const lamports = BigInt(facts.find(({ address }) => address === account)?.lamports ?? 0);
    const promised = {
      ...{ wallet: WALLET, acts, rent: () => lamports - excess, isAgreed: true },
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
  const unsupported: Act = { act: 'unsupported', program: ATTACKER, reason: '', accounts: [account] };
  const close: Act = {
    ...{ act: 'closeAccount', refundTo: WALLET, authority: WALLET },
    account: { account, owner: WALLET },
  };
  const open: Act = { act: 'openAccount', kind: 'token', account, owner: WALLET, mint: sold?.mint };

  it.each([
    ['that another key may spend from', delegated],
    ['that another key may close', closable],
    ['that is frozen', (data: Buffer) => data.writeUInt8(2, 108)],
  ])('stay in an account %s, which is not enforced, nor the SOL above its rent', (_, change) => {
    const inputs = changed(stage(SWAP), account, change);
    expect(guardsIn([], true, inputs)).toMatchObject({ guards: 0, buckets: [false], enforced: ['SOL'] });
    expect(guardsIn([], true, inputs, 1n)).toMatchObject({ guards: 0, enforced: [] });
    expect(guardsIn([], true, stage(SWAP), 1n)).toMatchObject({ guards: 4, enforced: ['SOL', sold?.mint] });
  });

  it('stay in an account that an unsupported instruction closes in the simulation; neither it nor SOL is enforced', () => {
    expect(guardsIn([unsupported], true)).toMatchObject({ guards: 3, enforced: ['SOL', sold?.mint] });
    // Without a simulation the guards remain, and the transaction fails if the account is closed.
    expect(guardsIn([unsupported])).toMatchObject({ guards: 3 });
    expect(guardsIn([unsupported], false)).toMatchObject({ guards: 0, enforced: [] });
    // If every instruction is supported, the acts determine which accounts stay open.
    expect(guardsIn([], false)).toMatchObject({ guards: 3 });
  });

  it('stay in an account that is closed and reopened', () => {
    expect(guardsIn([open, close]).buckets).toEqual([]);
    expect(guardsIn([close, open])).toMatchObject({ guards: 0, buckets: [false], enforced: [] });
  });

  it('are wrapped and proven for a wrapped SOL account', () => {
    const account = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const bucket = {
      ...{ account, mint: WSOL_MINT, program: TOKEN_PROGRAM, opening: 5n, excess: 7n },
      ...{ isFree: true, isAssociated: true, canTransfer: true, isNative: true },
    };
    const guards = guardsFor({ buckets: [bucket], least: new Map([[account, 12n]]), sol: 0n }, WALLET);
    expect(guards.map(({ data }) => [...data])).toEqual([[5], [6, 3, 0], [17], [3, 12, 0, 0, 0, 0, 0, 0, 0]]);
    const closed = guardsFor({ buckets: [{ ...bucket, isFree: false }], least: new Map(), sol: 0n }, WALLET);
    expect(closed).toEqual([]);
  });

  it('use the higher of two sums if a stranger synced wrapped SOL meanwhile', () => {
    const account = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const held = (amount: bigint): AccountFact => {
      const fact = tokenAccount(account, { mint: WSOL_MINT, owner: WALLET, amount });
      const data = Buffer.from(fact.data, 'base64');
      data.writeUInt32LE(1, 109);
      data.writeBigUInt64LE(RENT, 113);
      return { ...fact, data: data.toString('base64'), lamports: `${RENT + 10n}` };
    };
    const at = (...amounts: bigint[]) =>
      boundsOf({
        ...{ wallet: WALLET, acts: [], lines: [], rent: () => RENT, isAgreed: true },
        loaded: [{ address: account, signer: false, writable: true }],
        views: amounts.map((amount) => new Map([[account, held(amount)]])),
      }).least.get(account);
    expect([at(5n), at(10n), at(5n, 10n)]).toEqual([10n, 10n, 10n]);
  });

  it('leave native mints of both programs to a sync', () => {
    const bucket = {
      ...{ account: ATTACKER, mint: ATTACKER, program: TOKEN_2022_PROGRAM, opening: 0n, excess: 1n },
      ...{ isFree: true, isAssociated: true, canTransfer: false, isNative: true },
    };
    const guards = guardsFor({ buckets: [bucket], least: new Map(), sol: 0n }, WALLET);
    expect(guards.map(({ data }) => data[0])).toEqual([5, 5, 6, 17]);
  });

  it('enforce no SOL while an unsupported instruction may close an account without a guard', () => {
    const inputs = changed(stage(SWAP), account, delegated);
    expect(guardsIn([unsupported], true, inputs).enforced).toEqual([]);
    expect(guardsIn([], true, inputs).enforced).toEqual(['SOL']);
  });

  it("are withdrawn by the account's token program", () => {
    const bucket = (program: string) => ({
      ...{ account: ATTACKER, mint: ATTACKER, program, opening: 0n, excess: 1n },
      ...{ isFree: true, isAssociated: true, canTransfer: false, isNative: false },
    });
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM])
      expect(
        guardsFor({ buckets: [bucket(program)], least: new Map(), sol: 0n }, WALLET).find(
          ({ data }) => data[0] === 38,
        ),
      ).toMatchObject({
        programAddress: program,
        accounts: [{ address: ATTACKER }, { address: WALLET }, { address: WALLET }],
      });
  });
});

describe("the wallet's SOL", () => {
  const name = 'payment of USDC';
  const endOf = (inputs: DecisionInputs) => {
    const read = wireOf(inputs);
    return read.staticAccounts[read.instructions.at(-1)?.programIndex ?? 0];
  };

  it('needs no guard if the System program is absent, since nothing else can take SOL', () => {
    const seen = mustGuard(stage(name), name);
    expect(wireOf(seen).staticAccounts).not.toContain(SYSTEM_PROGRAM);
    expect(enforced(decided(seen, name))).toContain('SOL');
    expect(endOf(mustGuard(stage(SWAP), SWAP))).toBe(SYSTEM_PROGRAM);
  });

  it('needs a guard if the System program is present or SOL must arrive', () => {
    const inputs = stage(name);
    const fee = linesOf(decided(inputs, name)).filter(
      (line) => line.id === 'pays' && line.why === 'networkFee',
    );
    const arrives: Line = {
      ...{ id: 'receives', source: 'transaction', asset: 'SOL', atLeast: 1n },
      ...{ from: 'market', into: WALLET, enforcedBy: 'program' },
    };
    const wallet = { address: WALLET, signer: true, writable: true };
    const system = { address: SYSTEM_PROGRAM, signer: false, writable: false };
    const at = (lines: readonly Line[], loaded: readonly AccountUse[], isAgreed = true) => {
      const views = [new Map(inputs.accounts.map((fact) => [fact.address, fact]))];
      const promised = { wallet: WALLET, acts: [], rent: () => 0n, lines, loaded, views, isAgreed };
      const bounds = boundsOf(promised);
      return [
        guardsFor(bounds, WALLET).length,
        enforcedAssets(bounds, promised, new Map([[WALLET, 0n]])).includes('SOL'),
      ];
    };
    expect(fee.length).toBe(1);
    expect(at(fee, [wallet])).toEqual([0, true]);
    expect(at(fee, [wallet, system])).toEqual([1, false]);
    expect(at([...fee, arrives], [wallet])).toEqual([1, false]);
    // A lookup table entry may be the System program if two sources disagree on the table.
    const looked = { ...system, address: ATTACKER, table: keyNamed('table').address };
    expect(at(fee, [wallet, looked])).toEqual([0, true]);
    expect(at(fee, [wallet, looked], false)).toEqual([1, false]);
  });
});

describe('a second RPC', () => {
  const inputs = stage(SWAP);
  const codes = (
    second: DecisionInputs['accounts'] | undefined,
    failed: (count: number, all: number) => number,
  ) => {
    const seen = mustGuard(inputs, SWAP, second);
    const at = failed(seen.guards.count, wireOf(seen).instructions.length);
    const error = JSON.stringify({ InstructionError: [at, { Custom: 1 }] });
    const simulation = { ...inputs.simulation, error } as DecisionInputs['simulation'];
    return decideStaged({ ...seen, simulation }, policyOf(SWAP), NOTHING_USED).decision.reasonCodes;
  };
  const more = (field: 'lamports' | 'data') =>
    inputs.accounts.map((fact) => {
      if (fact.address === WALLET && field === 'lamports')
        return { ...fact, lamports: `${BigInt(fact.lamports) + 1_000n}` };
      const data = Buffer.from(fact.data, 'base64');
      if (fact.address !== accountsOf(inputs)[0]?.account || field === 'lamports') return fact;
      data.writeBigUInt64LE(data.readBigUInt64LE(64) + 1n, 64);
      return { ...fact, data: data.toString('base64') };
    });

  it('is named as the cause if a guard fails because of its view of the wallet only', () => {
    const [first, last] = [(count: number, all: number) => all - count, (_: number, all: number) => all - 1];
    for (const each of [first, last]) {
      expect(codes(more('lamports'), each)).toEqual(['RPC_DISAGREE']);
      expect(codes(more('data'), each)).toEqual(['RPC_DISAGREE']);
      expect(codes(inputs.accounts, each)).toEqual(['SIMULATION_FAILED']);
      expect(codes(undefined, each)).toEqual(['SIMULATION_FAILED']);
    }
  });

  it('is not named if the transaction fails before its guards', () => {
    expect(codes(more('lamports'), (count, all) => all - count - 1)).toEqual(['SIMULATION_FAILED']);
  });
});
