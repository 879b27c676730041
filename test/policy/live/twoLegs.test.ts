/** A trade of one token for another in two swaps through wrapped SOL, in an account opened and closed for it. */

import { describe, expect, it } from 'vitest';
import type { CurvePool } from '../../../sandbox/programs/dbc.ts';
import { closeAccount, createAta, systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { AccountFact } from '../../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { curveSwap } from '../../sandbox/programs/instructions.ts';
import { missing, tokenAccount } from '../accountFacts.ts';
import { keyNamed } from '../people.ts';
import { simulationOf } from '../recorded/edits.ts';
import { ATTACKER, decide, policyFor, rewritten, stage, WALLET } from '../recorded/stages.ts';
import { summaryOf } from '../recorded/sweep.ts';

const NAME = 'swap of USDC';
const recorded = stage(NAME);
const quote = Object(recorded.quote?.quote);
const [SOLD, BOUGHT] = [String(quote.inputMint), String(quote.outputMint)];
const FEE = 10_000n;
const [IN, LEAST] = [BigInt(quote.inAmount) - FEE, BigInt(quote.minOutAmount)];
const BETWEEN = 40_000_000n;
const ours = (mint: string, owner = WALLET) => associatedTokenAddress(owner, mint, TOKEN_PROGRAM);
const WRAPPED = ours(WSOL_MINT);

const pool = (baseMint: string): CurvePool => ({
  config: keyNamed('curve config').address,
  baseMint,
  quoteMint: WSOL_MINT,
  quoteProgram: TOKEN_PROGRAM,
});
interface Legs {
  readonly sold: bigint;
  readonly brings: bigint;
  readonly spent: bigint;
  readonly least: bigint;
  readonly to: string;
  readonly refund: string;
  readonly opens: boolean;
  readonly first: readonly EncodedInstruction[];
}
const HONEST: Legs = {
  ...{ sold: IN, brings: BETWEEN, spent: BETWEEN, least: LEAST },
  ...{ to: ours(BOUGHT), refund: WALLET, opens: true, first: [] },
};

/** The recorded trade with these two swaps instead of its router's. */
function by(change: Partial<Legs> = {}, held: readonly AccountFact[] = [missing(WRAPPED)]): DecisionInputs {
  const legs = { ...HONEST, ...change };
  const place = (input: string, output: string) => ({ input, output, payer: WALLET });
  const made = [
    ...(legs.opens ? [createAta(WALLET, WALLET, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM })] : []),
    ...legs.first,
    curveSwap(pool(SOLD), place(ours(SOLD), WRAPPED), legs.sold, legs.brings),
    curveSwap(pool(BOUGHT), place(WRAPPED, legs.to), legs.spent, legs.least),
    closeAccount(TOKEN_PROGRAM, WRAPPED, legs.refund, WALLET),
  ];
  const inputs = rewritten(recorded, ([opens, , ...fee]) => [...(opens ? [opens] : []), ...made, ...fee]);
  const simulation = simulationOf(inputs);
  const named = [...new Set(made.flatMap((each) => each.accounts.map(({ address }) => address)))];
  const beside = (known: DecisionInputs['accounts']) => {
    const seen = [...known, ...held];
    const unseen = named.filter((address) => seen.every((each) => each.address !== address));
    return [...seen, ...unseen.map((address) => missing(address))];
  };
  return {
    ...inputs,
    accounts: beside(inputs.accounts),
    simulation: { ...simulation, before: beside(simulation.before), after: beside(simulation.after) },
  };
}
const decisionText = (change?: Partial<Legs>, held?: readonly AccountFact[]) =>
  summaryOf(decide(by(change, held), policyFor(NAME)));
const balance = tokenAccount(WRAPPED, { mint: WSOL_MINT, owner: WALLET, amount: 10n ** 12n });

describe('a trade of two tokens in two swaps', () => {
  it('is allowed if the intermediate account is created for it and closed to the wallet', () => {
    expect(decisionText()).toMatch(/^allow: .*exact/);
    // SOL left over by the second leg returns to the wallet.
    expect(decisionText({ spent: BETWEEN / 2n })).toMatch(/^allow: .*exact/);
    expect(decisionText({ spent: BETWEEN + 1n })).toMatch(/^allow: .*exact/);
  });

  it('sells no more and pays out no less than quoted', () => {
    expect(decisionText({ sold: IN + 1n })).toContain('REQUEST_MISMATCH: quotedInput');
    expect(decisionText({ least: LEAST - 1n })).toContain('REQUEST_MISMATCH: quotedMinimum');
  });

  it('pays out to the wallet and closes to no stranger', () => {
    expect(decisionText({ to: ours(BOUGHT, ATTACKER) })).toContain(
      'REQUEST_MISMATCH: matchesRequest destination',
    );
    const away = decisionText({ refund: ATTACKER });
    expect(away).toContain('UNEXPECTED_INSTRUCTION');
    expect(away).toContain('UNDECLARED_LOSS');
  });

  it('spends no existing wrapped SOL and closes no existing account', () => {
    const spends = (spent: bigint) => decisionText({ opens: false, spent }, [balance]);
    const more = 'REQUEST_MISMATCH: secondLeg';
    expect(spends(BETWEEN + 1n)).toContain(more);
    expect(spends(BETWEEN)).not.toContain(more);
    expect(spends(BETWEEN)).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('wraps no SOL of the wallet between them', () => {
    const wraps = { first: [systemTransfer(WALLET, WRAPPED, 10n ** 7n)], spent: BETWEEN + 10n ** 7n };
    expect(decisionText(wraps)).toMatch(/^deny/);
    expect(decisionText(wraps)).toContain('REQUEST_MISMATCH: matchesRequest trackingTransfer');
  });
});
