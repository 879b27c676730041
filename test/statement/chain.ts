/** A chain view and an in-memory ledger for runs of artificial plans. */

import { createHash } from 'node:crypto';
import type { Act, Asset } from '../../src/programs/acts.ts';
import type { PoolTerms } from '../../src/programs/poolTerms/terms.ts';
import { approvalFrom, approvalOf, approvalText, drawsOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import { linesOf } from '../../src/statement/lines.ts';
import type { Approval, ApprovalScope, Line, Pin, Run, RunStage, Why } from '../../src/statement/types.ts';
import type { ChainView, StageActs } from '../../src/statement/view.ts';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';

/** Returns the address derived from a name. */
export const at = (name: string): string => addressFromBytes(createHash('sha256').update(name).digest());

let serial = 0;
/** Returns an unused address. */
export const fresh = (): string => {
  serial += 1;
  return at(`fresh ${serial}`);
};

export const [WALLET, STRANGER, PAYEE, FEE_SHARE, SERVICE] = [
  at('wallet'),
  at('stranger'),
  at('payee'),
  at('fee share'),
  at('service'),
];
export const [TOKEN, BASE, OTHER] = [at('token'), at('base'), at('other token')];
export const [ROUTER, VENUE, SHARES, QUIET, UNKNOWN] = [
  at('router'),
  at('venue'),
  at('shares program'),
  at('quiet program'),
  at('unknown program'),
];
export const ownAccount = (mint: string): string => associatedTokenAddress(WALLET, mint, TOKEN_PROGRAM);

/** A stage built by a service. */
export interface Built {
  readonly calls: StageActs['calls'];
  readonly arrivals?: ReadonlyMap<Asset, bigint>;
  readonly leaves?: ReadonlyMap<Asset, bigint>;
  readonly pin?: Pin;
  readonly sponsor?: string;
  /** Receipts when it lands, if above the simulation. */
  readonly brings?: bigint;
}

export const stage = (
  calls: readonly (readonly [string, ...Act[]])[],
  more: Omit<Built, 'calls'> = {},
): Built => ({
  calls: calls.map(([program, ...acts]) => ({ program, acts })),
  ...more,
});

/** The current chain state. */
export class FakeChain implements ChainView {
  readonly there = new Set<string>();
  readonly slots = new Map<string, number>();
  readonly feeBps = new Map<string, number>();
  readonly held = new Set<string>();

  tokenOwner(): string | undefined {
    return undefined;
  }
  exists(account: string): boolean {
    return this.there.has(account);
  }
  deposit(act: Act): bigint {
    return act.act === 'openAccount' && typeof act.deposit === 'bigint' ? act.deposit : 2_039_280n;
  }
  withheld(mint: string, amount: bigint): bigint {
    return (amount * BigInt(this.feeBps.get(mint) ?? 0)) / 10_000n;
  }
  issuerPowers(mint: string) {
    const maxBps = this.feeBps.get(mint);
    return maxBps === undefined ? [] : [{ power: 'transferFee', holder: at('issuer'), maxBps }];
  }
  code(program: string) {
    return { deployedSlot: `${this.slots.get(program) ?? 1}`, upgradeableBy: null };
  }
  poolSetting(): undefined {
    return undefined;
  }
  holds(_what: string, of: string): boolean {
    return this.held.has(of);
  }
}

interface Row {
  readonly stage: RunStage;
  draws: ReadonlyMap<string, bigint>;
  state: 'inFlight' | 'landed' | 'failed' | 'released';
  realised?: ReadonlyMap<Asset, bigint>;
}

export const SCOPE: ApprovalScope = {
  network: 'net',
  mode: 'live',
  wallet: WALLET,
  policyHash: 'policy',
  intentKey: 'intent',
  operation: 'swap',
  endpoint: '/swap',
  requestDigest: 'request',
};

/** The parts of a run other than its stages. */
export interface Wish {
  readonly request: readonly Line[];
  readonly fixed: readonly string[];
  readonly payees?: ReadonlyMap<string, Why>;
}

/** An in-memory ledger of one home, with the reservations and approvals of a run. */
export class Home {
  readonly chain: FakeChain;
  readonly wish: Wish;
  readonly rows: Row[] = [];
  approvals: Approval[] = [];
  askLimit = 0;
  refusal = '';
  later: string | undefined;

  constructor(chain: FakeChain, wish: Wish) {
    this.chain = chain;
    this.wish = wish;
  }

  /** Returns the run in which the first of these stages is signed next. */
  run(built: readonly Built[]): Run {
    const signed = this.rows.filter(({ state }) => state === 'landed' || state === 'inFlight');
    const draws = new Map<string, bigint>();
    for (const row of this.rows) {
      if (row.state === 'released') continue;
      for (const [key, amount] of row.draws) {
        const isDrawn = row.state !== 'failed' || key.includes('networkFee');
        if (isDrawn) draws.set(key, (draws.get(key) ?? 0n) + amount);
      }
    }
    return {
      scope: SCOPE,
      time: 1_000,
      stages: [
        ...signed.map(
          ({ stage: before, state, realised }): RunStage => ({
            ...before,
            state: state === 'landed' ? 'landed' : 'inFlight',
            ...(realised === undefined ? {} : { realised }),
          }),
        ),
        ...built.map((each, i): RunStage => this.decoded(each, i === 0 ? 'this' : 'announced')),
      ],
      draws,
      spentPins: signed.flatMap(({ stage: { pin } }) => (pin === undefined ? [] : [pin.digest])),
      request: this.wish.request,
      ...(this.later === undefined ? {} : { later: this.later }),
    };
  }

  private decoded({ calls, arrivals, leaves, pin, sponsor }: Built, state: 'this' | 'announced'): RunStage {
    const acts: StageActs = {
      wallet: WALLET,
      feePayer: sponsor ?? WALLET,
      fee: 5_000n,
      calls,
      payees: this.wish.payees ?? new Map(),
      otherwise: 'payment',
      fixed: new Set(this.wish.fixed),
      ...(arrivals === undefined ? {} : { arrivals }),
      ...(leaves === undefined ? {} : { leaves }),
    };
    return { ...linesOf(acts, this.chain), state, ...(pin === undefined ? {} : { pin }) };
  }

  /** Reserves the first stage if an approval covers it. */
  reserve(built: readonly Built[]): Row | undefined {
    const run = this.run(built);
    const verdicts = this.approvals.map((approval) => covers(approval, run));
    if (!verdicts.some(({ covered }) => covered)) {
      const last = verdicts.at(-1);
      this.refusal = last === undefined || last.covered ? '' : `${last.line} ${last.key}`;
      return undefined;
    }
    const mine = run.stages.find(({ state }) => state === 'this');
    if (mine === undefined) throw new Error('no stage');
    const row: Row = { stage: mine, draws: drawsOf(run), state: 'inFlight' };
    this.rows.push(row);
    return row;
  }

  /** Records the owner's approval of the run in its current form. */
  approve(built: readonly Built[]): void {
    this.askLimit += 1;
    const approval = approvalOf(this.run(built), 2_000, []);
    this.approvals = [...this.approvals, approvalFrom(approvalText(approval))];
  }

  /** Reserves, after an approval if one is needed. */
  sign(built: readonly Built[]): Row {
    const row = this.reserve(built);
    if (row !== undefined) return row;
    this.approve(built);
    const again = this.reserve(built);
    if (again === undefined) throw new Error(`what was just approved is not covered: ${this.refusal}`);
    return again;
  }

  /** Lands a signed stage. */
  land(row: Row, { brings, calls }: Built): void {
    row.state = 'landed';
    const receipts = row.stage.lines.filter((line) => line.id === 'receives');
    row.realised = new Map(receipts.map((line) => [line.asset, brings ?? line.atLeast]));
    for (const act of calls.flatMap(({ acts }) => acts)) {
      if (act.act === 'openAccount') this.chain.there.add(act.account);
      if (act.act === 'closeAccount') this.chain.there.delete(act.account.account);
      if (act.act === 'lockLiquidity') this.chain.held.add(act.position);
    }
  }
}

export const paysLine = (
  asset: string,
  atMost: bigint,
  to: string,
  why: Why,
  more: { readonly owner?: string } = {},
): Line => ({
  ...{ id: 'pays', source: 'request', asset, atMost, to, owner: to },
  ...{ why, returns: 'never', ...more },
});
export const feeBound = paysLine('SOL', 40_000n, 'validators', 'networkFee');

export { SYSTEM_PROGRAM, TOKEN_PROGRAM };

/** Terms of a pool with a constant fee. */
export const flatTerms = (fee: bigint): PoolTerms => ({
  digest: `${fee}`,
  fee: { course: 'flat', first: fee, highest: fee, lowest: fee, endsAfter: 0n, isDynamic: false },
  side: 'quote',
  compoundingBps: 0,
  openingRoot: 1n << 64n,
  activationPoint: null,
  isOpenToAll: true,
  creationFee: 0n,
  unknown: [],
});
