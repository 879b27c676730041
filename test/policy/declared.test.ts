/** The service's declarations, the bytes themselves, and their lifetime. */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { keyNamed } from './people.ts';
import { WALLET } from './recorded/stages.ts';

describe('declared values', () => {
  const declared = (change: Partial<DecisionInputs['stage']['declared']>) =>
    decide({ stage: { ...inputs.stage, declared: { ...inputs.stage.declared, ...change } } });

  it('must match the transaction (T33, T42, T46, B64, B65, B67)', () => {
    expectDenied(declared({ messageSha256: '00'.repeat(32) }), 'HASH_MISMATCH', 'security');
    expectDenied(declared({ messageSha256: decide().messageSha256.slice(1) }), 'HASH_MISMATCH');
    expect(declared({ messageSha256: decide().messageSha256.toUpperCase() }).effect).toBe('allow');
    expectDenied(declared({ requiredSigners: [WALLET] }), 'SIGNERS_MISMATCH');
    expectDenied(
      declared({
        requiredSigners: [...(inputs.stage.declared.requiredSigners ?? []), keyNamed('x').address],
      }),
      'SIGNERS_MISMATCH',
    );
    const twice = inputs.stage.declared.requiredSigners ?? [];
    expectDenied(declared({ requiredSigners: [...twice, ...twice] }), 'SIGNERS_MISMATCH');
    expectDenied(declared({ blockhash: keyNamed('x').address }), 'LIFETIME_MISMATCH', 'security');
    expectDenied(declared({ lastValidBlockHeight: '1e9' }), 'LIFETIME_MISMATCH', 'security');
    expectDenied(declared({ lastValidBlockHeight: '-5' }), 'LIFETIME_MISMATCH');
  });

  it('are recorded as undeclared if the service omits them, and the profile decides', () => {
    const decision = decide({ stage: { ...inputs.stage, declared: {} } });
    expect(decision.effect).toBe('allow');
    const undeclared = decision.checks.filter((check) => check.observed === 'undeclared');
    expect(undeclared.map(({ id }) => id)).toEqual(['declaredHash', 'declaredSigners', 'declaredBlockhash']);
  });

  it('of another kind, format or operation are refused (B66, B69)', () => {
    expectDenied(decide({ stage: { ...inputs.stage, format: 'v1' } }), 'FORMAT_MISMATCH');
    expectDenied(decide({ stage: { ...inputs.stage, kind: 'swap' } }), 'REQUEST_MISMATCH');
    expect(decide({ plan: { ...inputs.plan, operation: 'launch' } }).effect).toBe('deny');
    expectDenied(
      under((file) => ({ ...file, transaction: { ...file.transaction, formats: ['v1'] } })),
      'FORMAT_MISMATCH',
    );
  });
});

describe('transaction bytes', () => {
  const bytes = (change: (bytes: Uint8Array) => Uint8Array | string) => {
    const changed = change(new Uint8Array(Buffer.from(inputs.stage.transaction.text, 'base64')));
    const transaction = typeof changed === 'string' ? changed : Buffer.from(changed).toString('base64');
    return decide({ stage: { ...inputs.stage, transaction: new DecodedStage(transaction), declared: {} } });
  };

  it('with several decodings are refused before any other check (T43, B63)', () => {
    for (const decision of [
      bytes((all) => Uint8Array.of(...all, 0)),
      bytes((all) => all.slice(0, -1)),
      bytes(() => ` ${inputs.stage.transaction}`),
      bytes(() => ''),
      bytes(() => 'AAAA'),
    ]) {
      expectDenied(decision, 'NONCANONICAL_BYTES', 'security');
      expect(decision.checks.length).toBeLessThan(6);
      expect(decision.messageSha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('with an invalid or changed co-signature are refused (T44, T45)', () => {
    const flipped = bytes((all) => all.with(1 + 64 + 3, (all[1 + 64 + 3] ?? 0) ^ 1));
    expectDenied(flipped, 'COSIGNATURE_INVALID', 'security');
    const garbage = bytes((all) => {
      all.fill(7, 1 + 64, 1 + 128);
      return all;
    });
    expectDenied(garbage, 'COSIGNATURE_INVALID');
    const withheld = bytes((all) => {
      all.fill(0, 1 + 64, 1 + 128);
      return all;
    });
    expectDenied(withheld, 'SIGNER_UNAVAILABLE', 'availability');
  });

  it('of a wallet of another home wait for its signature (B41)', () => {
    const decision = decide({ ourWallets: [] });
    expectDenied(decision, 'SIGNER_UNAVAILABLE', 'availability');
    expect(explain(decision)).toContain(WALLET);
  });
});

describe('the blockhash', () => {
  it("must be valid in our own RPC's view when a signature is made", () => {
    expectDenied(decide({ blockhashValid: false }), 'LIFETIME_MISMATCH', 'availability');
    expectDenied(decide({ blockhashValid: null }), 'LIFETIME_MISMATCH', 'availability');
    expect(decide({ blockhashValid: null, purpose: 'preview' }).effect).toBe('allow');
    expectDenied(decide({ blockhashValid: false, purpose: 'preview' }), 'LIFETIME_MISMATCH', 'availability');
  });
});
