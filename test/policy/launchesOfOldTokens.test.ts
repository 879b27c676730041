/**
 * A pool launch of an existing token: the wallet's balance of it is at risk, so that no stage may deposit it into a
 * pool as the remainder of a launch (T138).
 */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, tokenAccount } from './accountFacts.ts';
import { labelOf } from './label.ts';
import { instructionOf, withRequest } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import { ATTACKER, decide, rewritten, stage, WALLET } from './recorded/stages.ts';

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
  const { simulation } = one;
  if (simulation.status !== 'done') throw new Error(simulation.status);
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
