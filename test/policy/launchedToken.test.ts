/**
 * Rights over a launched token, tokens that existed before, and locks before the first buy (T4, T29, T67, T138,
 * T141).
 */

import { describe, expect, it } from 'vitest';
import type { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { Check, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, mint, tokenAccount } from './accountFacts.ts';
import { labelOf } from './label.ts';
import { findsNot } from './recorded/attacking.ts';
import { instructionOf, plus, simulationOf, withRequest } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import {
  ATTACKER,
  decide,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const MINTS = 'noStrangerMints';
const POWER = 'launchedTokenPowers';
const unsupported = policyWith(withVenue);
const checks = (inputs: DecisionInputs, name: string): readonly Check[] =>
  decide(inputs, unsupported).checks.filter(({ id }) => id === name);

/** The launch with this token account after the simulation. */
function left(inputs: DecisionInputs, token: AccountFact): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map((each) => (each.address === token.address ? token : each));
  expect(after).toContain(token);
  return { ...inputs, simulation: { ...simulation, after } };
}

/** A Token-2022 mint with one extension, empty by default. */
function extended(address: string, type: number, held: Uint8Array = Uint8Array.of()): AccountFact {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(held.length, 2);
  const base = Buffer.from(mint(address, {}).data, 'base64');
  const data = Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.of(1), head, held]);
  return account(address, { owner: TOKEN_2022_PROGRAM, data: data.toString('base64') });
}

describe('additional supply of a launched token', () => {
  const curve = stage('bare curve launch');
  const token = String(curve.plan.request.tokenMint);
  const strange = mint(token, { mintAuthority: ATTACKER });
  const refused = [{ id: MINTS, ok: false, code: 'REQUEST_MISMATCH', simulated: true, observed: ATTACKER }];
  const hidden = rewritten(
    plus(curve, { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) }),
    (list) => list.filter(({ programAddress }) => programAddress === VENUE),
  );

  it('can be minted by no stranger once its pool is open', () => {
    expect(checks(left(curve, strange), MINTS)).toEqual(refused);
    // Control cases: no key has the right, or only the wallet.
    expect(checks(curve, MINTS)).toEqual([{ id: MINTS, ok: true, simulated: true }]);
    expect(checks(left(curve, mint(token, { mintAuthority: WALLET })), MINTS)).toMatchObject([{ ok: true }]);
  });

  it('can be minted by no stranger after an unsupported launch', () => {
    expect(checks(left(hidden, strange), MINTS)).toEqual(refused);
    expect(checks(hidden, MINTS)).toMatchObject([{ ok: true }]);
  });

  it('may still be minted after a step that only creates the token, or opens a pool for an existing one', () => {
    for (const name of ['direct launch, token', 'direct launch', 'custody token'])
      expect(checks(stage(name), MINTS), name).toEqual([]);
    const made: DecisionInputs = {
      ...left(hidden, strange),
      stage: { ...hidden.stage, kind: 'create_token' },
    };
    expect(checks(made, MINTS)).toEqual([]);
  });

  it('is checked only with a simulation', () => {
    const preview: DecisionInputs = { ...curve, purpose: 'preview', simulation: { status: 'not_yet' } };
    expect(checks(preview, MINTS)).toEqual([{ id: MINTS, ok: true, simulated: true }]);
    expect(decide(preview, unsupported).effect).toBe('allow');
  });
});

describe('a right over a launched token', () => {
  const launch = stage('direct launch');
  const token = String(launch.plan.request.tokenMint);
  const shown = (mintFact: AccountFact): DecisionInputs => ({
    ...launch,
    accounts: launch.accounts.map((each) => (each.address === token ? mintFact : each)),
  });
  const fees = (setter: string) =>
    Buffer.concat([addressBytes(setter), Buffer.alloc(32), Buffer.alloc(8 + 2 * 18)]);
  const failed = (mintFact: AccountFact) => checks(shown(mintFact), POWER).filter(({ ok }) => !ok);

  it('is named in the record, with none reported as none', () => {
    const refused = (observed: string) => [
      { id: POWER, ok: false, code: 'TOKEN_EXTENSION_DENIED', observed },
    ];
    expect(failed(extended(token, 999))).toEqual(refused('unknown999'));
    expect(failed(extended(token, 1, fees(ATTACKER)))).toEqual(refused('transferFeeConfig'));
    expect(failed(extended(token, 1, fees(WALLET)))).toEqual([]);
    const honest = checks(launch, POWER);
    expect(honest.length).toBeGreaterThan(0);
    for (const each of honest) expect(each).toEqual({ id: POWER, ok: true, observed: 'none' });
  });
});

describe('transfer fee limits', () => {
  const check = 'askedTransferFee';
  const swap = stage('swap of a taxed token');
  const taxed = String(swap.quote?.quote.inputMint);
  const limited = (limit: unknown) => checks(withRequest(swap, { feeLimits: [limit] }), check);
  const asset = { mint: taxed };

  it('are complete ones only: a mint, basis points and base units', () => {
    expect(limited({ asset, basisPoints: 10_000, maximumFeeRaw: '18446744073709551615' })).toHaveLength(2);
    expect(limited({ asset, basisPoints: 0, maximumFeeRaw: '0' }).map(({ ok }) => ok)).toEqual([
      false,
      false,
    ]);
    for (const none of [
      { asset, basisPoints: '0', maximumFeeRaw: '0' },
      { asset, basisPoints: 0, maximumFeeRaw: 0 },
      { asset, basisPoints: 0, maximumFeeRaw: 'x0' },
      { asset, basisPoints: 0, maximumFeeRaw: '0x' },
      { asset, basisPoints: 0, maximumFeeRaw: '' },
      { asset, basisPoints: 0, maximumFeeRaw: '9'.repeat(21) },
      { asset, basisPoints: 0 },
      { asset, maximumFeeRaw: '0' },
      { asset: {}, basisPoints: 0, maximumFeeRaw: '0' },
      { asset: { mint: 5 }, basisPoints: 0, maximumFeeRaw: '0' },
      { basisPoints: 0, maximumFeeRaw: '0' },
    ])
      expect(limited(none), JSON.stringify(none)).toEqual([]);
  });
});

const launch = stage('direct launch');
const MINT = String(launch.plan.request.tokenMint);
const [OPENS, ADDS, LOCKS] = ['dammV2.createPosition', 'dammV2.addLiquidity', 'dammV2.permanentLockPosition'];
const ours = associatedTokenAddress(WALLET, MINT, TOKEN_PROGRAM);
const holding = (amount: bigint): AccountFact => tokenAccount(ours, { mint: MINT, owner: WALLET, amount });

/** A plan of one stage that opens, fills from `from` and locks a position: no token, no pool, no buy. */
function leftover(pool: string, holder: string, from: string, amount: bigint): DecisionInputs {
  let one = withRequest(launch, {
    initialBuyQuoteRaw: undefined,
    tipWallet: undefined,
    tipLamports: undefined,
  });
  one = withRead(one, OPENS, { accounts: { owner: holder, pool } });
  one = withRead(one, ADDS, {
    accounts: {
      signer: holder,
      tokenAAccount: from,
      tokenBAccount: associatedTokenAddress(holder, WSOL_MINT, TOKEN_PROGRAM),
      pool,
    },
    args: { tokenAAmountThreshold: amount },
  });
  one = withRead(one, LOCKS, { accounts: { signer: holder, pool } }, 1);
  const kept = [readOf(one, OPENS).at, readOf(one, ADDS).at, readOf(one, LOCKS, 1).at];
  one = rewritten(one, (list) => list.filter((_, i) => kept.includes(i)));
  const simulation = simulationOf(one);
  const used = one.stage.transaction.read().staticAccounts;
  const watched = new Set([...used, ...one.tables.flatMap(({ addresses }) => addresses), WALLET]);
  const before = [...watched].map((address) =>
    address === ours
      ? holding(amount)
      : (simulation.before.find((each) => each.address === address) ?? account(address)),
  );
  const fee = BigInt(decide(one).feeLamports);
  const after = before.map((each) => {
    if (each.address === WALLET) return { ...each, lamports: `${BigInt(each.lamports) - fee}` };
    return each.address === ours && from === ours ? holding(0n) : each;
  });
  const alone = { ...one.stage, dependsOn: [] };
  return {
    ...one,
    stage: alone,
    siblings: [{ stage: alone, status: 'ready' }],
    accounts: [...one.accounts.filter(({ address }) => address !== ours), holding(amount)],
    simulation: { ...simulation, before, after },
  };
}

describe('a launch of a token the wallet already holds', () => {
  const AMOUNT = 400_000_000_000_000n;

  it("does not put the wallet's tokens into another's pool", () => {
    const decision = decide(leftover(ATTACKER, WALLET, ours, AMOUNT));
    expect(decision.effect).toBe('deny');
    expect(explain(decision)).toContain('pool deposit');
  });

  it('does not put the proceeds of the first buy into the pool, wherever the plan lists that stage', () => {
    const first = { ...launch.stage, id: 'launch-of-now' };
    const made = stage('direct launch, token').stage;
    const pool = readOf(launch, 'dammV2.initializeCustomizablePool').named.accounts.pool?.address ?? '';
    const added = leftover(pool, WALLET, ours, AMOUNT);
    const decision = decide({
      ...added,
      plan: { ...added.plan, request: launch.plan.request },
      siblings: [
        { stage: { ...made, id: 'token-of-now' }, status: 'finalized' },
        ...added.siblings,
        { stage: first, status: 'finalized' },
      ],
    });
    expect(decision.effect).toBe('deny');
    const failed = decision.checks.filter(({ ok }) => !ok).map(labelOf);
    expect(failed).toContain('matchesRequest poolDeposit');
  });

  it('lets other keys deposit and lock their own tokens', () => {
    const creator = instructionOf(stage('direct launch, token'), 'token.mintTo').accounts.mintAuthority
      .address;
    const theirs = associatedTokenAddress(creator, MINT, TOKEN_PROGRAM);
    // The owner does not know its holder, so the stage asks.
    expect(decide(leftover(ATTACKER, creator, theirs, AMOUNT)).reasonCodes).toEqual([
      'APPROVAL_REQUIRED',
      'PARTY_UNKNOWN',
    ]);
  });
});

type Sibling = DecisionInputs['siblings'][number];

const UNLOCKED = 'REQUEST_MISMATCH: liquidityLocked (0% locked; allowed';
const { at } = readOf(launch, 'dammV2.permanentLockPosition', 1);
const buys = rewritten(launch, (list) => list.filter((_, i) => i !== at));
const { transaction } = rewritten(launch, (list) => list.slice(at, at + 1)).stage;
const [token] = launch.siblings;
if (token === undefined) throw new Error('no stage before');

/** A separate stage with the lock, or with other bytes. */
const apart = (
  status: StageStatus,
  {
    id = 'lock',
    waitsFor = [],
    bytes = transaction,
  }: { id?: string; waitsFor?: string[]; bytes?: DecodedStage } = {},
): Sibling => ({ stage: { ...launch.stage, id, dependsOn: waitsFor, transaction: bytes }, status });
/** The launch without its lock, in a plan with these stages before and after it, and with these dependencies. */
const planned = (
  before: readonly Sibling[],
  waitsFor: readonly string[] = [],
  after: readonly Sibling[] = [],
): string => {
  const own = { ...buys.stage, dependsOn: [token.stage.id, ...waitsFor] };
  const siblings = [token, ...before, { stage: own, status: 'ready' as const }, ...after];
  return summaryOf(decide({ ...buys, stage: own, siblings }));
};

describe('a first buy is refused if the liquidity is locked', () => {
  it('nowhere', () => {
    expect(summaryOf(decide(launch))).toMatch(/^allow/);
    expect(planned([])).toContain(UNLOCKED);
  });

  it.each(['waiting', 'ready', 'signed', 'sent', 'unknown', 'failed', 'expired', 'skipped'] as const)(
    'by a stage that it does not depend on and that has not landed: %s',
    (status) => {
      expect(planned([apart(status)])).toContain(UNLOCKED);
      expect(planned([], [], [apart(status, { waitsFor: [launch.stage.id] })])).toContain(UNLOCKED);
    },
  );

  it('by a stage that only another depends on', () => {
    const other = apart('ready', { id: 'other', waitsFor: ['lock'], bytes: token.stage.transaction });
    expect(planned([apart('ready'), other])).toContain(UNLOCKED);
  });
});

describe('a first buy may rely on a lock', () => {
  it.each(['confirmed', 'finalized'] as const)('that has landed, as a dependency or not: %s', (status) => {
    expect(planned([apart(status)])).not.toContain(UNLOCKED);
    expect(planned([apart(status)], ['lock'])).not.toContain(UNLOCKED);
  });

  it('that it depends on, directly or through another stage', () => {
    expect(planned([apart('ready')], ['lock'])).not.toContain(UNLOCKED);
    const other = apart('ready', { id: 'other', waitsFor: ['lock'], bytes: token.stage.transaction });
    expect(planned([apart('ready'), other], ['other'])).not.toContain(UNLOCKED);
  });

  it('that landed in an earlier build of the plan', () => {
    const own = { ...buys.stage, dependsOn: [token.stage.id] };
    const siblings = [token, { stage: own, status: 'ready' as const }];
    const after: DecisionInputs = { ...buys, stage: own, siblings, earlierStages: [transaction] };
    findsNot(after, UNLOCKED);
  });
});
