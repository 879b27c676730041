/**
 * Acts that belong to a launch, by other stages, beside unsupported instructions, or on a curve (T12, T13, T48,
 * T94, T138).
 */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { amountOfAsset } from '../../src/base/format.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { anchorNames } from '../../src/programs/anchor.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { writeLayout } from '../../src/programs/layout.ts';
import { METADATA_FEE } from '../../src/programs/tokenMetadata/addresses.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, mint, tokenAccount } from './accountFacts.ts';
import {
  ADD,
  alone,
  beside,
  creator,
  end,
  LOCK,
  MATCHES,
  MINT,
  mayLeave,
  OPEN,
  POSITION,
  pool,
  sol,
  token,
  UNEXPECTED,
  withoutFirstBuy,
} from './directLaunch.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { plus, simulationOf, withAccounts, withRequest } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import {
  ATTACKER,
  decide,
  instructionsOf,
  policyFor,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';

const curve = stage('bare curve launch');
const unsupported = policyWith(withVenue);

const pays = (from: string, to: string, lamports = 5n) => systemTransfer(from, to, lamports);
const call = (program = VENUE, data: Uint8Array = Uint8Array.of(1), accounts: readonly string[] = []) => ({
  programAddress: program,
  accounts: accounts.map((address) => ({ address, signer: false, writable: true })),
  data,
});
describe('an act that does not belong to an operation', () => {
  it('is named with its position', () => {
    const last = instructionsOf(end).length;
    const at = instructionsOf(plus(end, pays(WALLET, ATTACKER)))[last]?.index;
    finds(plus(end, pays(WALLET, ATTACKER)), `${UNEXPECTED} (#${at} transfer)`);
  });

  it('is named by its own name if nothing else is known of it', () => {
    const [badge] = anchorNames('create_token_badge');
    const named = call(DBC_PROGRAM, badge?.discriminator);
    expect(decisionText(plus(end, named))).toMatch(/instructionBelongs \(.*create_token_badge/);
  });

  it('is refused beside an accepted unsupported instruction too', () => {
    findsNot(plus(end, call()), UNEXPECTED, unsupported);
    finds(plus(end, call(), call(keyNamed('another program').address)), UNEXPECTED, unsupported);
  });
});

describe('acts of other stages', () => {
  it('count only as their own kind: a supply that does not match counts as none', () => {
    const ours = withAccounts(token, 'token.mintTo', { mintAuthority: WALLET });
    findsNot(pool, 'supply (0 times');
    finds(beside(pool, 'launch-1', ours), `REQUEST_MISMATCH: partThere supply (0 times; allowed 1 times)`);
  });

  it('use up the allowance of their kind and no other', () => {
    const { tipWallet, tipLamports } = pool.plan.request;
    const tip = pays(WALLET, String(tipWallet), BigInt(String(tipLamports)));
    const landed = (more: typeof tip) =>
      decisionText(beside(pool, 'launch-1', plus(token, more), 'finalized'));
    expect(landed(pays(WALLET, ATTACKER))).not.toContain(UNEXPECTED);
    expect(landed(pays(creatorOf(token), ATTACKER))).not.toContain(UNEXPECTED);
    expect(landed(tip)).toContain(UNEXPECTED);
  });
});

/** The mint's creator key. */
function creatorOf(inputs: DecisionInputs): string {
  const found = instructionsOf(inputs).find(({ kind }) => kind === 'token.mintTo');
  if (found?.kind !== 'token.mintTo') throw new Error('no token.mintTo');
  return found.accounts.mintAuthority.address;
}

describe('a curve launch, in stages or in another quote', () => {
  const bought = withRequest(curve, { initialBuyLamports: 70_000_000 });

  it('lets its first buy leave with the stage that opens the pool, without an unsupported instruction beside it', () => {
    const hidden = rewritten(plus(bought, call()), (list) => list.slice(-1));
    const simulation = simulationOf(hidden);
    const open = { stage: { ...bought.stage, id: 'opens' }, status: 'waiting' as const };
    const seen: DecisionInputs = {
      ...hidden,
      simulation: { ...simulation, after: simulation.before },
      siblings: [{ stage: hidden.stage, status: 'ready' }, open],
    };
    const { checks, feeLamports } = decide(seen, unsupported);
    const leaves = checks.filter(({ id }) => id === 'leavesAsAsked');
    expect(leaves.map(({ allowed }) => allowed)).toContain(amountOfAsset(BigInt(feeLamports), 'SOL'));
    expect(checks.map(({ id }) => id).join()).not.toContain('first buy brings');
  });

  it('passes the accounts of its token and quote to an unsupported instruction, and no other of ours', () => {
    const REACH = 'reach';
    const handed = (of: string): string => {
      const at = associatedTokenAddress(WALLET, of, TOKEN_PROGRAM);
      const seen: DecisionInputs = {
        ...curve,
        accounts: [
          ...curve.accounts.filter(({ address }) => address !== at),
          tokenAccount(at, { mint: of, owner: WALLET, amount: 5n }),
        ],
      };
      const hidden = rewritten(seen, () => [call(VENUE, Uint8Array.of(1), [at])]);
      return decisionText(hidden, unsupported);
    };
    expect(handed(WSOL_MINT)).not.toContain(REACH);
    expect(handed(String(curve.plan.request.tokenMint))).not.toContain(REACH);
    expect(handed(keyNamed('another token').address)).toContain(REACH);
  });

  it('wraps no SOL if its quote is another token', () => {
    const NAME = 'curve launch v1';
    const launch = stage(NAME);
    const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const count = encodeInstruction('token.syncNative', { accounts: { account: wrapped }, args: {} });
    findsNot(launch, UNEXPECTED, policyFor(NAME));
    finds(plus(launch, count), UNEXPECTED, policyFor(NAME));
  });
});

describe('a launch in a quote whose fees another program shares', () => {
  const SHARED = 'the claimers are unknown: an unsupported program writes them';
  const usdc = keyNamed('quote').address;
  const share = keyNamed('share').address;
  const unsupported = policyWith(withVenue);
  const kept = [
    ...[readOf(pool, OPEN), readOf(pool, POSITION), readOf(pool, ADD)],
    ...[readOf(pool, LOCK), readOf(pool, LOCK, 1)],
  ].map(({ at }) => at);
  /** The pool in this quote, with one position opened for an account of that program. */
  function inQuote(owner: string, program: string): DecisionInputs {
    let one = rewritten(
      withRequest(withoutFirstBuy(pool), { quoteMint: usdc, feeShareConfig: undefined }),
      (list) => list.filter((_, i) => kept.includes(i)),
    );
    const theirs = associatedTokenAddress(creator, usdc, TOKEN_PROGRAM);
    one = withRead(one, OPEN, { accounts: { tokenBMint: usdc, payerTokenB: theirs } });
    const at = readOf(one, OPEN).named.accounts.pool?.address ?? '';
    one = withRead(one, POSITION, { accounts: { owner, pool: at } });
    one = withRead(one, ADD, { accounts: { tokenBMint: usdc, tokenBAccount: theirs, pool: at } });
    for (const nth of [0, 1]) one = withRead(one, LOCK, { accounts: { pool: at } }, nth);
    const changed = beside(one, pool.stage.id, one);
    return {
      ...changed,
      siblings: changed.siblings.filter(({ stage: { id } }) => id !== 'launch-3'),
      accounts: [...changed.accounts, account(share, { owner: program })],
    };
  }
  const HALF = 'feeShareHalf';

  it("reports the claimers as unknown and accepts that account's position as the fee share's", () => {
    const launch = inQuote(share, VENUE);
    findsNot(launch, HALF, unsupported);
    findsNot(launch, 'fee share', unsupported);
    findsNot(launch, MATCHES, unsupported);
    finds(launch, `UNSUPPORTED_INSTRUCTION: unsupported (${SHARED})`, unsupported);
  });

  it('pays that program and no stranger', () => {
    for (const other of [inQuote(ATTACKER, VENUE), inQuote(share, ATTACKER)]) {
      finds(other, HALF, unsupported);
      findsNot(other, SHARED, unsupported);
    }
  });

  it('does not wrap SOL for it', () => {
    const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const wraps = systemTransfer(WALLET, wrapped, 1n);
    findsNot(inQuote(share, VENUE), UNEXPECTED, unsupported);
    const counts = encodeInstruction('token.syncNative', { accounts: { account: wrapped }, args: {} });
    for (const each of [wraps, counts]) finds(plus(inQuote(share, VENUE), each), UNEXPECTED, unsupported);
  });

  it('may open the position account for it in the last stage', () => {
    const launch = inQuote(creator, VENUE);
    const nft = readOf(pool, POSITION).named.accounts.positionNftMint?.address ?? '';
    const to = associatedTokenAddress(share, nft, TOKEN_2022_PROGRAM);
    const moved = withAccounts(
      withAccounts(end, 'associatedToken.createIdempotent', { owner: share, associatedToken: to }),
      'token.transferChecked',
      { destination: to },
    );
    const last = { ...moved.stage, id: 'launch-3' };
    const planned: DecisionInputs = {
      ...launch,
      siblings: [...launch.siblings, { stage: last, status: 'waiting' }],
    };
    findsNot(planned, HALF, unsupported);
  });
});

describe('outflows beside an unsupported instruction', () => {
  const unsupported = policyWith(withVenue);
  const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
  /** The stage with a simulation in which only the fee leaves. */
  function quiet(inputs: DecisionInputs): DecisionInputs {
    const simulation = simulationOf(inputs);
    return { ...inputs, simulation: { ...simulation, after: simulation.before } };
  }
  const most = (inputs: DecisionInputs) => mayLeave(quiet(inputs), unsupported)?.allowed;
  const fee = (inputs: DecisionInputs) => BigInt(decide(inputs, unsupported).feeLamports);
  const onlyCall = (inputs: DecisionInputs) => rewritten(plus(inputs, call), (list) => list.slice(-1));

  it('include the registration fee once if the transaction names the token', () => {
    const named = plus(token, call);
    expect(most(named)).toBe(sol(fee(named) + 1_000n + METADATA_FEE));
    // The name of an existing token costs the same.
    const there = { ...named, accounts: [...named.accounts, mint(MINT, {})] };
    expect(most(there)).toBe(sol(fee(there) + 1_000n + METADATA_FEE));
  });

  it('include no registration fee if another stage names the token', () => {
    const without = plus(end, call);
    expect(most(without)).toBe(sol(fee(without) + 1_000n));
  });

  it('are the same for a token missing on chain and in every transaction, and zero if it exists', () => {
    const hidden = alone(onlyCall(withoutFirstBuy(token)));
    expect(most(hidden)).toBe(sol(fee(hidden) + 1_000n + METADATA_FEE));
    const there = { ...hidden, accounts: [...hidden.accounts, mint(MINT, {})] };
    expect(most(there)).toBe(sol(fee(there) + 1_000n));
  });

  it('may involve our accounts of the token and its quote, and no others', () => {
    const handed = (of: string) => {
      const at = associatedTokenAddress(WALLET, of, TOKEN_PROGRAM);
      const seen: DecisionInputs = {
        ...end,
        accounts: [
          ...end.accounts.filter(({ address }) => address !== at),
          tokenAccount(at, { mint: of, owner: WALLET, amount: 5n }),
        ],
      };
      return decisionText(
        plus(seen, { ...call, accounts: [{ address: at, signer: false, writable: true }] }),
        unsupported,
      );
    };
    const REACH = 'reach';
    expect(handed(MINT)).not.toContain(REACH);
    expect(handed(WSOL_MINT)).not.toContain(REACH);
    expect(handed(keyNamed('another token').address)).toContain(REACH);
  });
});

describe('a launch on a curve', () => {
  it('opens the pool of its curve, and none of another venue', () => {
    const curve = stage('bare curve launch');
    const { program, layout, named } = readOf(pool, OPEN);
    const other = writeLayout(layout, { program, ...named });
    const swapped = rewritten(curve, () => [other]);
    for (const known of [undefined, { name: 'Token', symbol: 'TKN' }]) {
      const seen = { ...swapped, ...(known === undefined ? {} : { named: known }) };
      finds(seen, `${MATCHES} launchedToken`);
      finds(withRequest(seen, { tokenMint: MINT }), `${MATCHES} curveConfig`);
    }
  });

  it('is not allowed if a pool was requested: its terms say nothing about who trades first', () => {
    const opened = readOf(stage('bare curve launch'), 'dbc.initializeVirtualPoolWithSplToken');
    const other = writeLayout(opened.layout, { program: opened.program, ...opened.named });
    finds(
      rewritten(alone(withoutFirstBuy(pool)), () => [other]),
      `${MATCHES} launchedToken`,
    );
    const { baseMint, creator: by } = opened.named.accounts;
    if (by === undefined) throw new Error('no creator');
    const accounts = { ...opened.named.accounts, creator: { ...by, address: ATTACKER } };
    const strange = writeLayout(opened.layout, { program: opened.program, ...opened.named, accounts });
    const seen = withRequest(alone(withoutFirstBuy(pool)), { tokenMint: baseMint?.address });
    expect(decisionText(rewritten(seen, () => [strange]))).toContain(`${MATCHES} firstTrader`);
  });
});
