/** The transfer fee of a bought token, and the service fee beside the stored quote. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, Facts } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { extendedMint, transferFee } from './accountFacts.ts';
import { NOTHING_USED } from './people.ts';
import { answered, quoted, withArgs } from './recorded/edits.ts';
import { policyFor, policyWith, stage } from './recorded/stages.ts';

const swap = stage('swap of SOL');
const sale = stage('swap for SOL');
const bought = String(swap.quote?.quote.outputMint);
const usual = policyFor('');

const tokens = (change: PolicyFile['tokens']): LoadedPolicy =>
  policyWith((file) => ({ tokens: { ...file.tokens, ...change } }));
const decide = (facts: Facts, policy: LoadedPolicy = usual): Decision =>
  evaluate(facts, policy, NOTHING_USED);
const failed = ({ checks }: Decision) => checks.filter(({ ok }) => !ok).map(({ check }) => check);
const withAccount = (facts: Facts, changed: AccountFact): Facts => ({
  ...facts,
  accounts: [...facts.accounts.filter(({ address }) => address !== changed.address), changed],
});
const issuedBy = (changed: AccountFact): Facts => withAccount(swap, changed);

describe('the transfer fee of a bought token', () => {
  const taxed = (older: number, newer: number) =>
    issuedBy(extendedMint(bought, [1, transferFee(undefined, older, newer)]));
  const listed = tokens({ mints: [bought, 'SOL'] });

  it.each([
    [5_000, 0],
    [0, 5_000],
    [0, 10_000],
  ])(
    'T164 is refused from one half on, in either schedule and for a listed token: %i, %i',
    (older, newer) => {
      for (const policy of [usual, listed]) {
        const decision = decide(taxed(older, newer), policy);
        expect(decision.effect).toBe('deny');
        expect(decision.reasonCodes).toContain('TOKEN_EXTENSION_DENIED');
      }
    },
  );

  it('may be less than one half, and is no obstacle to selling', () => {
    expect(decide(taxed(4_999, 4_999)).effect).toBe('allow');
    const sold = String(sale.quote?.quote.inputMint);
    const selling = withAccount(sale, extendedMint(sold, [1, transferFee(undefined, 0, 10_000)]));
    expect(decide(selling).reasonCodes).not.toContain('TOKEN_EXTENSION_DENIED');
  });
});

describe('the service fee', () => {
  const CHECK = 'service fee is within the quoted one';
  const lamports = 5_000_000n;

  it('T25 is at most that of the stored quote, whatever the answer says', () => {
    const fee = String(swap.quote?.quote.feeLamports);
    expect(BigInt(fee)).toBe(lamports);
    expect(failed(decide(quoted(swap, { feeLamports: `${lamports - 1n}` })))).toContain(CHECK);
    expect(failed(decide(quoted(swap, { feeLamports: `${lamports / 10n}` })))).toContain(CHECK);
    const taken = answered(withArgs(swap, 'system.transfer', { lamports: lamports * 2n }, 1), {
      feeLamports: `${lamports * 2n}`,
    });
    expect(failed(decide(taken))).toContain(CHECK);
  });

  it('is taken from the side the quote names', () => {
    expect(failed(decide(quoted(swap, { feeSide: 'output' })))).toContain(CHECK);
    expect(failed(decide(quoted(sale, { feeSide: 'input' })))).toContain(CHECK);
  });

  it('may be the quoted one or less, and any stated one where the quote names none', () => {
    for (const facts of [swap, sale, quoted(swap, { feeLamports: `${lamports + 1n}` })])
      expect(failed(decide(facts))).toEqual([]);
    expect(failed(decide(quoted(swap, { feeLamports: undefined })))).toEqual([]);
  });
});
