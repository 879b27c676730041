/**
 * Swap transactions compared with their quote, one change at a time, and acts beside a trade (T15, T24, T25, T29).
 */

import { describe, expect, it } from 'vitest';
import { closeAccount, createAta, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { amountOfAsset } from '../../src/base/format.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { remedyOf } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { mintOf } from '../../src/programs/token/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import {
  answered,
  instructionOf,
  plus,
  quoted,
  simulationOf,
  withAccounts,
  withArgs,
  withFacts,
  without,
} from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import {
  ATTACKER,
  decide,
  encoded,
  instructionsOf,
  policyFor,
  policyWith,
  rewritten,
  stage,
  WALLET,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const ofSol = stage('swap of SOL');
const forSol = stage('swap for SOL');
const ofUsdc = stage('swap of USDC');
const taxed = stage('swap for a taxed token');
const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
const pay = (to: string, lamports: bigint) => systemTransfer(WALLET, to, lamports);

/** Formats an amount of a mint as in a check, with the decimals in the inputs. */
const inWords = (inputs: DecisionInputs, mint: unknown, units: bigint): string => {
  const account = inputs.accounts.find(({ address }) => address === mint);
  const asset = mint === WSOL_MINT ? 'SOL' : `${String(mint).slice(0, 6)}…`;
  return amountOfAsset(units, asset, account && mintOf(account)?.decimals);
};

/** Returns the effect on the first line, then the failed checks. */

const allowed = (inputs: DecisionInputs, policy?: LoadedPolicy) =>
  expect(decide(inputs, policy).checks.filter(({ ok }) => !ok)).toEqual([]);

describe('proceeds', () => {
  it.each([
    ['a fee in what is sold', ofSol],
    ['a fee in what is bought', forSol],
    ['a fee of the token itself (T29)', taxed, policyFor('swap for a taxed token')],
  ])(
    'may be exactly the quoted minimum and not one unit less, beside %s',
    (_, swap, policy?: LoadedPolicy) => {
      const least = BigInt(String(swap.quote?.quote.minOutAmount));
      const out = (units: bigint) => inWords(swap, swap.quote?.quote.outputMint, units);
      allowed(swap, policy);
      finds(
        quoted(swap, { minOutAmount: `${least + 1n}` }),
        `quotedMinimum (${out(least)}; allowed ${out(least + 1n)})`,
      );
    },
  );
});

describe('the input', () => {
  it.each([
    'swap of SOL',
    'swap for SOL',
    'swap of USDC',
    'swap in a pool',
    'swap with an unsupported program',
  ])('T131 leaves once per quote, whatever the plan or an earlier build states: %s', (name) => {
    const one = stage(name);
    const decided = (inputs: DecisionInputs) => summaryOf(decide(inputs, policyFor(name)));
    const siblingWith = (status: StageStatus): DecisionInputs => ({
      ...one,
      siblings: [...one.siblings, { stage: { ...one.stage, id: 'again' }, status }],
    });
    const twice = 'REQUEST_MISMATCH: quoteOnce (1 swaps before; allowed none)';
    for (const status of ['signed', 'sent', 'unknown', 'confirmed', 'finalized'] as const)
      expect(decided(siblingWith(status))).toContain(twice);
    expect(decided({ ...one, earlierStages: [one.stage.transaction] })).toContain(twice);
    for (const status of ['waiting', 'ready', 'failed', 'expired', 'skipped'] as const) {
      expect(decided(siblingWith(status))).not.toContain(twice);
      expect(decide(siblingWith(status), policyFor(name)).reasonCodes).toContain('RUN_OVER_BUDGET');
    }
    expect(decide(one, policyFor(name)).reasonCodes).not.toContain('RUN_OVER_BUDGET');
  });

  it('is at most the quoted amount, including a fee taken from the input', () => {
    finds(
      quoted(ofSol, { inAmount: '499999999' }, { amount: '499999999' }),
      'quotedInput (0.5 SOL; allowed 0.499999999 SOL)',
    );
    const inDollars = (units: bigint) => inWords(ofUsdc, ofUsdc.quote?.quote.inputMint, units);
    finds(
      quoted(ofUsdc, { inAmount: '999999' }, { amount: '999999' }),
      `quotedInput (${inDollars(1_000_000n)}; allowed ${inDollars(999_999n)})`,
    );
  });
});

describe('SOL beside a trade in tokens', () => {
  it('is not wrapped, counted or unwrapped', () => {
    const close = closeAccount(TOKEN_PROGRAM, wrapped, WALLET, WALLET);
    const sync = encodeInstruction('token.syncNative', { accounts: { account: wrapped } });
    for (const extra of [close, sync]) finds(plus(ofUsdc, extra), 'UNEXPECTED_INSTRUCTION');
    finds(plus(ofUsdc, pay(wrapped, 900_000n)), 'trackingTransfer (0.0009 SOL');
  });

  it('is not a fee if the fee is in the token, even with the same number', () => {
    finds(plus(ofUsdc, pay(ATTACKER, 900_000n)), 'trackingTransfer (0.0009 SOL');
    findsNot(plus(ofUsdc, pay(ATTACKER, 900_000n)), 'who gets the service fee');
  });

  it('pays for no account of another wallet if the fee is in SOL (T15)', () => {
    const opens = createAta(WALLET, ATTACKER, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
    finds(plus(ofSol, opens), 'UNEXPECTED_INSTRUCTION');
  });
});

describe('a service fee in SOL', () => {
  const treasury = instructionOf(ofSol, 'system.transfer', 1).accounts.to.address;
  const known = (address: string, label = 'treasury', inputs = ofSol) => ({
    ...inputs,
    serviceAddresses: [
      { label: 'another', address: keyNamed('another').address },
      { label, address },
    ],
  });

  it('goes to the treasury if that is known', () => {
    allowed(known(treasury));
    const other = keyNamed('not the treasury').address;
    finds(known(other), 'matchesRequest trackingTransfer (0.005 SOL');
    allowed(known(other, 'a lookup program'));
  });

  it('is at most the stated one', () => {
    const more = withArgs(ofSol, 'system.transfer', { lamports: 5_000_001n }, 1);
    finds(known(treasury, 'treasury', more), 'statedFee (0.005000001 SOL; allowed 0.005 SOL)');
  });

  it('goes to no wallet of ours', () => {
    const second = {
      ...withAccounts(ofSol, 'system.transfer', { to: ATTACKER }, 1),
      ourWallets: [WALLET, ATTACKER],
    };
    finds(second, 'UNEXPECTED_INSTRUCTION: instructionBelongs');
  });
});

describe('the stored quote', () => {
  it('keeps a manual slippage, to the unit', () => {
    const out = BigInt(String(ofSol.quote?.quote.outAmount));
    const manual = (minimum: bigint, slippageMode = 'manual') =>
      quoted(ofSol, { minOutAmount: `${minimum}` }, { slippageMode, slippageBps: 100 });
    const least = (out * 9_900n) / 10_000n;
    const inToken = (units: bigint) => inWords(ofSol, ofSol.quote?.quote.outputMint, units);
    allowed(manual(least));
    finds(manual(least - 1n), `quoteSlippage (${inToken(least - 1n)}; allowed ${inToken(least)})`);
    allowed(manual(least - 1n, 'auto'));
    findsNot(
      quoted(ofSol, { minOutAmount: '5' }, { slippageMode: 'manual', slippageBps: '100' }),
      'slippage',
    );
  });

  it('may omit slippage only for a fee taken from the proceeds', () => {
    const out = BigInt(String(ofSol.quote?.quote.outAmount));
    const manual = (minOutAmount: bigint) =>
      decisionText(
        quoted(
          ofSol,
          { minOutAmount: `${minOutAmount}`, feeSide: 'output' },
          { slippageMode: 'manual', slippageBps: 100 },
        ),
      );
    // The fee is 1 % of the gross output; the 1 % slippage applies to the gross output and not to the fee.
    const fee = out / 99n + 1n;
    const least = ((out + fee) * 9_900n) / 10_000n - fee;
    expect(least).toBeLessThan((out * 9_900n) / 10_000n);
    expect(manual(least)).not.toContain('slippage');
    expect(manual(least - 1n)).toContain('quoteSlippage');
  });

  it('is valid until it expires, then a new one is required', () => {
    const until = (expiresAt: number): DecisionInputs => ({
      ...ofSol,
      ...(ofSol.quote === undefined ? {} : { quote: { ...ofSol.quote, expiresAt } }),
    });
    allowed(until(ofSol.time + 1));
    const late = decide(until(ofSol.time));
    expect(late).toMatchObject({ effect: 'deny', reasonCodes: ['LIFETIME_MISMATCH'], class: 'availability' });
    expect(remedyOf(late)).toBe('Ask for it again.');
  });

  it('is for a swap of one token into another', () => {
    const same = quoted(ofSol, { outputMint: WSOL_MINT }, { outputMint: WSOL_MINT });
    finds(same, 'quoteMints (So1111…)');
    finds(quoted(ofSol, { inAmount: '0' }), 'quoteAmount (0 SOL;');
  });

  it('belongs to this home and this wallet', () => {
    const { quote: _gone, ...none } = ofSol;
    finds(none, 'quoteFetched');
    allowed(quoted(ofSol, {}, { taker: undefined }));
    finds(quoted(ofSol, {}, { taker: ATTACKER }), 'quoteWallet (ATTACKER; allowed WALLET)');
  });
});

describe('the fee stated in the answer', () => {
  it.each(['SOL', WSOL_MINT, SYSTEM_PROGRAM])('may name native SOL as %s', (feeMint) => {
    allowed(answered(ofSol, { feeMint }));
  });

  it('is taken from the stated side', () => {
    finds(answered(ofSol, { feeSide: 'output' }), 'feeSide (So1111…)');
    finds(answered(ofSol, { feeMint: undefined }), 'feeSide (a text of 0');
    finds(answered(forSol, { feeSide: 'input' }), 'feeSide');
  });
});

const unsupported = stage('swap with an unsupported program');
const usdc = String(ofUsdc.quote?.quote.inputMint);

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
    const call = {
      programAddress: String(instructionsOf(unsupported).at(-1)?.program),
      accounts: [],
      data: Uint8Array.of(1),
    };
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
    const inputs = (seen: DecisionInputs) => withFacts(seen, ...known);
    const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';
    finds(inputs(plus(without(ofSol, 'system.transfer', 1), third)), UNEXPECTED);
    findsNot(inputs(without(ofSol, 'system.transfer', 1)), UNEXPECTED);
  });
});

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
    const step = (inputs: DecisionInputs) =>
      instructionsOf(inputs)
        .slice(at, at + 1)
        .map(encoded);
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
    const simulation = simulationOf(ofSol);
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
