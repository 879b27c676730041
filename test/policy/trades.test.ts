/** Swap transactions compared with their quote, one change at a time (T15, T24, T25, T29). */

import { describe, expect, it } from 'vitest';
import { amountOfAsset } from '../../src/base/format.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { remedyOf } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { mintOf } from '../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { answered, instructionOf, plus, quoted, withAccounts, withArgs } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, stage, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const ofSol = stage('swap of SOL');
const forSol = stage('swap for SOL');
const ofUsdc = stage('swap of USDC');
const taxed = stage('swap for a taxed token');
const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
const pay = (to: string, lamports: bigint) =>
  encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });

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
    const close = encodeInstruction('token.closeAccount', {
      accounts: { account: wrapped, destination: WALLET, owner: WALLET },
    });
    const sync = encodeInstruction('token.syncNative', { accounts: { account: wrapped } });
    for (const extra of [close, sync]) finds(plus(ofUsdc, extra), 'UNEXPECTED_INSTRUCTION');
    finds(plus(ofUsdc, pay(wrapped, 900_000n)), 'trackingTransfer (0.0009 SOL');
  });

  it('is not a fee if the fee is in the token, even with the same number', () => {
    finds(plus(ofUsdc, pay(ATTACKER, 900_000n)), 'trackingTransfer (0.0009 SOL');
    findsNot(plus(ofUsdc, pay(ATTACKER, 900_000n)), 'who gets the service fee');
  });

  it('pays for no account of another wallet if the fee is in SOL (T15)', () => {
    const opens = encodeInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer: WALLET,
        associatedToken: associatedTokenAddress(ATTACKER, WSOL_MINT, TOKEN_PROGRAM),
        owner: ATTACKER,
        mint: WSOL_MINT,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram: TOKEN_PROGRAM,
      },
    });
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
