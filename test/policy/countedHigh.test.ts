/** Upper bounds of spending beyond the recorded stages: own liquidity, and pool costs set by a curve's settings. */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { Writer } from '../../src/transaction/bytes.ts';
import { finds } from './recorded/attacking.ts';
import { changedOperands } from './recorded/operands.ts';
import { decide, policyAskingFor, policyFor, stage } from './recorded/stages.ts';

/** The inputs with one operand changed, by the label of the change. */
function changed(inputs: DecisionInputs, label: string): DecisionInputs {
  const found = changedOperands(inputs).find((each) => each.label.endsWith(label));
  if (found === undefined) throw new Error(`no change ${label}`);
  return found.inputs();
}
const solOf = (inputs: DecisionInputs): bigint =>
  BigInt(decide(inputs, policyFor('')).limits.find(({ asset }) => asset === 'SOL')?.amount ?? '0');

describe('liquidity', () => {
  const direct = stage('direct launch');
  const add = 'dammV2.addLiquidity, ';
  const most = changed(direct, `${add}tokenBAmountThreshold is "1"`);

  it('counts as spent if the wallet signs for an unknown account, and not if another key does', () => {
    const fromUnknown = changed(most, `${add}tokenBAccount is ATTACKER`);
    const signed = changed(fromUnknown, `${add}signer is WALLET`);
    const none = changed(
      changed(changed(direct, `${add}tokenBAccount is ATTACKER`), `${add}signer is WALLET`),
      `${add}tokenAAmountThreshold is "999999999999999"`,
    );
    expect(solOf(fromUnknown)).toBe(solOf(most));
    expect(solOf(signed) - solOf(none)).toBe(1n);
  });
});

describe("a curve's pool creation fee", () => {
  const launch = stage('bare curve launch');
  const key = String(launch.plan.request.configKey);
  const asking = (lamports: bigint): DecisionInputs => ({
    ...launch,
    accounts: launch.accounts.map((each) => {
      if (each.address !== key) return each;
      const fields = readAs(poolConfig, { owner: each.owner, data: Buffer.from(each.data, 'base64') });
      if (typeof fields === 'string') throw new Error(fields);
      const writer = new Writer();
      writer.push(poolConfig.discriminator);
      poolConfig.codec.write(writer, { ...fields, poolCreationFee: lamports });
      return { ...each, data: Buffer.from(writer.finish()).toString('base64') };
    }),
  });

  it('counts as spent and as not returned', () => {
    expect(solOf(asking(0n))).toBe(solOf(launch));
    expect(solOf(asking(1_234n)) - solOf(launch)).toBe(1_234n);
    const [before, after] = [launch, asking(1_234n)].map((inputs) =>
      BigInt(decide(inputs, policyAskingFor('')).expectedOutcome?.surcharges ?? '0'),
    );
    expect((after ?? 0n) - (before ?? 0n)).toBe(1_234n);
    finds(asking(1_234n), 'poolCost (0.000001234 SOL', policyAskingFor(''));
  });
});
