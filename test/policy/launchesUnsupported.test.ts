/** Launches with claimers in an unsupported program, beside unsupported instructions, on a curve (T94, T138). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
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
import { plus, withAccounts, withRequest } from './recorded/edits.ts';
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
    const wraps = encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: wrapped },
      args: { lamports: 1n },
    });
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
    const { simulation } = inputs;
    if (simulation.status !== 'done') throw new Error(simulation.status);
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
    finds(
      rewritten(seen, () => [strange]),
      `${MATCHES} firstTrader`,
    );
  });
});
