/**
 * Acts that belong to an operation: relevant acts of other stages, findings about acts that do not belong, and acts
 * allowed beside an unsupported instruction (T12, T13, T48).
 */

import { describe, expect, it } from 'vitest';
import { amountOfAsset } from '../../src/base/format.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { anchorNames } from '../../src/programs/anchor.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { plus, withAccounts, withArgs, withRequest } from './recorded/edits.ts';
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

const token = stage('direct launch, token');
const pool = stage('direct launch');
const end = stage('direct launch, end');
const curve = stage('bare curve launch');
const unsupported = policyWith(withVenue);
const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';
const MATCHES = 'REQUEST_MISMATCH: matchesRequest';

const pays = (from: string, to: string, lamports = 5n) =>
  encodeInstruction('system.transfer', { accounts: { from, to }, args: { lamports } });
const call = (program = VENUE, data: Uint8Array = Uint8Array.of(1), accounts: readonly string[] = []) => ({
  programAddress: program,
  accounts: accounts.map((address) => ({ address, signer: false, writable: true })),
  data,
});
type Status = DecisionInputs['siblings'][number]['status'];
const beside = (
  inputs: DecisionInputs,
  id: string,
  other: DecisionInputs,
  status?: Status,
): DecisionInputs => ({
  ...inputs,
  siblings: inputs.siblings.map((each) =>
    each.stage.id === id ? { status: status ?? each.status, stage: { ...other.stage, id } } : each,
  ),
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

  it('is reported with both amounts if only its amount is too large', () => {
    const rent = (bytes: number) =>
      BigInt(token.rent.lamportsPerByteYearTimesExemption) * BigInt(token.rent.overheadBytes + bytes);
    const sol = (units: bigint) => amountOfAsset(units, 'SOL');
    finds(
      withArgs(token, 'system.createAccount', { lamports: rent(600) }),
      `${MATCHES} tokenRent (${sol(rent(600))}; allowed ${sol(rent(512))})`,
    );
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
    const { simulation } = hidden;
    if (simulation.status !== 'done') throw new Error(simulation.status);
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
