/** Acts beside a trade: tracking transfers, fees of the service and of routers, a referral, accounts of others. */

import { describe, expect, it } from 'vitest';
import { amountOfAsset } from '../../src/base/format.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { account, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { finds, findsNot } from './recorded/attacking.ts';
import { answered, instructionOf, plus, without } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import { ATTACKER, decide, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const ofSol = stage('swap of SOL');
const forSol = stage('swap for SOL');
const ofUsdc = stage('swap of USDC');
const unsupported = stage('swap with an unsupported program');
const usdc = String(ofUsdc.quote?.quote.inputMint);

const pay = (to: string, lamports: bigint) =>
  encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });
/** The rent of an empty account. */
const RENT = BigInt(ofSol.rent.lamportsPerByteYearTimesExemption) * BigInt(ofSol.rent.overheadBytes);
const outOf = (inputs: DecisionInputs, asset: string): bigint =>
  BigInt(decide(inputs).changes.find((each) => each.asset === asset)?.out ?? '0');

describe('a tracking transfer', () => {
  const place = keyNamed('where trades are counted').address;
  const TOO_MUCH = 'matchesRequest trackingTransfer';
  const at = (inputs: DecisionInputs, label: string, there?: AccountFact): DecisionInputs => ({
    ...inputs,
    serviceAddresses: [
      { label: 'tracking', address: keyNamed('another place').address },
      { label, address: place },
    ],
    accounts: [...inputs.accounts, there ?? missing(place)],
  });
  const marked = (lamports: bigint) => plus(ofUsdc, pay(place, lamports));

  it("pays exactly the rent of the service's missing account", () => {
    expect(RENT).toBeGreaterThan(5_000n);
    findsNot(at(marked(RENT), 'tracking'), TOO_MUCH);
    finds(at(marked(RENT + 1n), 'tracking'), TOO_MUCH);
  });

  it('is 5,000 lamports at most if that account exists, and asks if the account is unknown', () => {
    const there = account(place);
    findsNot(at(marked(5_000n), 'tracking', there), TOO_MUCH);
    finds(at(marked(5_001n), 'tracking', there), TOO_MUCH);
    for (const lamports of [5_000n, 5_001n]) {
      findsNot(at(marked(lamports), 'treasury'), TOO_MUCH);
      finds(at(marked(lamports), 'treasury'), 'PAYEE_UNKNOWN');
    }
  });

  it('is at most one', () => {
    findsNot(plus(ofUsdc, pay(place, 4_000n)), 'UNEXPECTED_INSTRUCTION');
    finds(plus(ofUsdc, pay(place, 4_000n), pay(place, 4_001n)), 'UNEXPECTED_INSTRUCTION');
  });

  it('counts as SOL outflow, also when a token is sold', () => {
    expect(outOf(marked(5_000n), 'SOL') - outOf(ofUsdc, 'SOL')).toBe(5_000n);
  });
});

describe('the service fee of a trade', () => {
  const STATED = 'statedFee';

  it('is the whole stated one beside an unsupported program, on either side', () => {
    const name = 'swap with an unsupported program';
    const stated = BigInt(String(unsupported.plan.answer.feeLamports));
    findsNot(unsupported, STATED, name);
    for (const feeLamports of [stated - 1n, stated + 1n])
      finds(answered(unsupported, { feeLamports: `${feeLamports}` }), STATED, name);
    const call = { programAddress: String(readProgram(unsupported)), accounts: [], data: Uint8Array.of(1) };
    const fee = BigInt(String(forSol.plan.answer.feeLamports));
    const beside = plus(forSol, call);
    findsNot(beside, STATED, name);
    finds(answered(beside, { feeLamports: `${fee + 1n}` }), STATED, name);
  });

  it('is stated in the token it is taken from', () => {
    const paid = instructionOf(forSol, 'system.transfer').args.lamports;
    const less = answered(forSol, { feeLamports: `${paid - 1n}` });
    const [was, stated] = [paid, paid - 1n].map((units) => amountOfAsset(units, 'SOL'));
    finds(less, `${STATED} (${was}; allowed ${stated})`);
  });

  it('is a share of the proceeds if taken from them', () => {
    const rule = (maxServiceFeeBps: number) =>
      policyWith(() => ({
        rules: [{ id: 'trade', operation: 'swap', effect: 'allow', why: 'test', maxServiceFeeBps }],
      }));
    const paid = instructionOf(forSol, 'system.transfer').args.lamports;
    const whole = BigInt(String(forSol.quote?.quote.outAmount)) + paid;
    // Rounded up to whole basis points: this many suffice, one fewer does not.
    const enough = Number((paid * 10_000n + whole - 1n) / whole);
    const TERM = 'ruleServiceFee';
    findsNot(forSol, TERM, rule(enough));
    finds(forSol, TERM, rule(enough - 1));
  });

  it('is in one of the two tokens only', () => {
    const treasury = instructionOf(ofSol, 'system.transfer', 1).accounts.to.address;
    const [source, destination] = [WALLET, treasury].map((owner) =>
      associatedTokenAddress(owner, usdc, TOKEN_PROGRAM),
    );
    const third = encodeInstruction('token.transferChecked', {
      accounts: { source: source ?? '', mint: usdc, destination: destination ?? '', authority: WALLET },
      args: { amount: 1n, decimals: 6 },
    });
    const known = [
      tokenAccount(source ?? '', { mint: usdc, owner: WALLET, amount: 9n }),
      tokenAccount(destination ?? '', { mint: usdc, owner: treasury }),
    ];
    const inputs = (seen: DecisionInputs): DecisionInputs => ({
      ...seen,
      accounts: [
        ...seen.accounts.filter(({ address }) => !known.some((each) => each.address === address)),
        ...known,
      ],
    });
    const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';
    finds(inputs(plus(without(ofSol, 'system.transfer', 1), third)), UNEXPECTED);
    findsNot(inputs(without(ofSol, 'system.transfer', 1)), UNEXPECTED);
  });
});

/** The program of the last instruction, which is unsupported. */
const readProgram = (inputs: DecisionInputs) => {
  const programs: string[] = [];
  rewritten(inputs, (list) => {
    programs.push(...list.map(({ programAddress }) => programAddress));
    return list;
  });
  return programs.at(-1);
};

describe('the fees of a router or pool', () => {
  it.each([
    ['swap in a pool', 'dammV2.swap2'],
    ['swap on a curve', 'dbc.swap2'],
  ] as const)('go to no referral account: %s', (name, kind) => {
    const referred = withRead(stage(name), kind, { accounts: { referralTokenAccount: ATTACKER } });
    finds(referred, 'matchesRequest referralAccount (ATTACKER; allowed no account)', name);
    findsNot(stage(name), 'referral', name);
  });

  it('count as the highest share of any step, in any order', () => {
    const { at, named } = readOf(ofSol, 'jupiter.routeV2');
    const { inAmount, quotedOutAmount } = named.args as { inAmount: bigint; quotedOutAmount: bigint };
    const half = (positiveSlippageBps: number) =>
      withRead(ofSol, 'jupiter.routeV2', {
        args: { inAmount: inAmount / 2n, quotedOutAmount: quotedOutAmount / 2n, positiveSlippageBps },
      });
    const step = (inputs: DecisionInputs) => {
      const all: Parameters<Parameters<typeof rewritten>[1]>[0][number][] = [];
      rewritten(inputs, (list) => {
        all.push(...list);
        return list;
      });
      return all.slice(at, at + 1);
    };
    const [dear, free] = [step(half(500)), step(half(0))];
    const both = (first: typeof dear, second: typeof dear) =>
      summaryOf(
        decide(
          rewritten(ofSol, (list) => [...list.slice(0, at), ...first, ...second, ...list.slice(at + 1)]),
        ),
      );
    const TERM = 'ruleServiceFee (0.03 SOL; allowed 0.005 SOL)';
    expect(both(dear, free)).toContain(TERM);
    expect(both(free, dear)).toContain(TERM);
    expect(both(free, free)).not.toContain('ruleServiceFee');
  });
});

describe("another owner's account", () => {
  it('is not paid for by a trade whose fee is in SOL, however small', () => {
    const { simulation } = ofSol;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const place = keyNamed("another owner's account").address;
    const rent = `${RENT + 165n * BigInt(ofSol.rent.lamportsPerByteYearTimesExemption)}`;
    const after = simulation.after.map((each) =>
      each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) - BigInt(rent)}` } : each,
    );
    const data = Buffer.alloc(165).toString('base64');
    const made = account(place, { owner: ATTACKER, lamports: rent, data });
    const shown = {
      ...ofSol,
      simulation: { ...simulation, before: [...simulation.before, missing(place)], after: [...after, made] },
    };
    expect(decide(shown)).toMatchObject({ effect: 'deny', reasonCodes: ['UNDECLARED_LOSS'] });
    expect(decide(ofSol).effect).toBe('allow');
  });
});
