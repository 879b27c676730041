/** Rights of strangers over a token at each step of its launch, and ineffective limits of its fee (T4, T29, T67). */
import { describe, expect, it } from 'vitest';
import type { Check, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../src/transaction/programs.ts';
import { account, mint } from './accountFacts.ts';
import { plus, withRequest } from './recorded/edits.ts';
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

const MINTS = 'noStrangerMints';
const POWER = 'launchedTokenPowers';
const unsupported = policyWith(withVenue);
const checks = (inputs: DecisionInputs, name: string): readonly Check[] =>
  decide(inputs, unsupported).checks.filter(({ id }) => id === name);

/** The launch with this token account after the simulation. */
function left(inputs: DecisionInputs, token: AccountFact): DecisionInputs {
  const { simulation } = inputs;
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const after = simulation.after.map((each) => (each.address === token.address ? token : each));
  expect(after).toContain(token);
  return { ...inputs, simulation: { ...simulation, after } };
}

/** A Token-2022 mint with one extension, empty by default. */
function extended(address: string, type: number, held: Uint8Array = Uint8Array.of()): AccountFact {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(held.length, 2);
  const base = Buffer.from(mint(address, {}).data, 'base64');
  const data = Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.of(1), head, held]);
  return account(address, { owner: TOKEN_2022_PROGRAM, data: data.toString('base64') });
}

describe('additional supply of a launched token', () => {
  const curve = stage('bare curve launch');
  const token = String(curve.plan.request.tokenMint);
  const strange = mint(token, { mintAuthority: ATTACKER });
  const refused = [{ id: MINTS, ok: false, code: 'REQUEST_MISMATCH', simulated: true, observed: ATTACKER }];
  const hidden = rewritten(
    plus(curve, { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) }),
    (list) => list.filter(({ programAddress }) => programAddress === VENUE),
  );

  it('can be minted by no stranger once its pool is open', () => {
    expect(checks(left(curve, strange), MINTS)).toEqual(refused);
    // Control cases: no key has the right, or only the wallet.
    expect(checks(curve, MINTS)).toEqual([{ id: MINTS, ok: true, simulated: true }]);
    expect(checks(left(curve, mint(token, { mintAuthority: WALLET })), MINTS)).toMatchObject([{ ok: true }]);
  });

  it('can be minted by no stranger after an unsupported launch', () => {
    expect(checks(left(hidden, strange), MINTS)).toEqual(refused);
    expect(checks(hidden, MINTS)).toMatchObject([{ ok: true }]);
  });

  it('may still be minted after a step that only creates the token, or opens a pool for an existing one', () => {
    for (const name of ['direct launch, token', 'direct launch', 'custody token'])
      expect(checks(stage(name), MINTS), name).toEqual([]);
    const made: DecisionInputs = {
      ...left(hidden, strange),
      stage: { ...hidden.stage, kind: 'create_token' },
    };
    expect(checks(made, MINTS)).toEqual([]);
  });

  it('is checked only with a simulation', () => {
    const preview: DecisionInputs = { ...curve, purpose: 'preview', simulation: { status: 'not_yet' } };
    expect(checks(preview, MINTS)).toEqual([{ id: MINTS, ok: true, simulated: true }]);
    expect(decide(preview, unsupported).effect).toBe('allow');
  });
});

describe('a right over a launched token', () => {
  const launch = stage('direct launch');
  const token = String(launch.plan.request.tokenMint);
  const shown = (mintFact: AccountFact): DecisionInputs => ({
    ...launch,
    accounts: launch.accounts.map((each) => (each.address === token ? mintFact : each)),
  });
  const fees = (setter: string) =>
    Buffer.concat([addressBytes(setter), Buffer.alloc(32), Buffer.alloc(8 + 2 * 18)]);
  const failed = (mintFact: AccountFact) => checks(shown(mintFact), POWER).filter(({ ok }) => !ok);

  it('is named in the record, with none reported as none', () => {
    const refused = (observed: string) => [
      { id: POWER, ok: false, code: 'TOKEN_EXTENSION_DENIED', observed },
    ];
    expect(failed(extended(token, 999))).toEqual(refused('unknown999'));
    expect(failed(extended(token, 1, fees(ATTACKER)))).toEqual(refused('transferFeeConfig'));
    expect(failed(extended(token, 1, fees(WALLET)))).toEqual([]);
    const honest = checks(launch, POWER);
    expect(honest.length).toBeGreaterThan(0);
    for (const each of honest) expect(each).toEqual({ id: POWER, ok: true, observed: 'none' });
  });
});

describe('transfer fee limits', () => {
  const check = 'askedTransferFee';
  const swap = stage('swap of a taxed token');
  const taxed = String(swap.quote?.quote.inputMint);
  const limited = (limit: unknown) => checks(withRequest(swap, { feeLimits: [limit] }), check);
  const asset = { mint: taxed };

  it('are complete ones only: a mint, basis points and base units', () => {
    expect(limited({ asset, basisPoints: 10_000, maximumFeeRaw: '18446744073709551615' })).toHaveLength(2);
    expect(limited({ asset, basisPoints: 0, maximumFeeRaw: '0' }).map(({ ok }) => ok)).toEqual([
      false,
      false,
    ]);
    for (const none of [
      { asset, basisPoints: '0', maximumFeeRaw: '0' },
      { asset, basisPoints: 0, maximumFeeRaw: 0 },
      { asset, basisPoints: 0, maximumFeeRaw: 'x0' },
      { asset, basisPoints: 0, maximumFeeRaw: '0x' },
      { asset, basisPoints: 0, maximumFeeRaw: '' },
      { asset, basisPoints: 0, maximumFeeRaw: '9'.repeat(21) },
      { asset, basisPoints: 0 },
      { asset, maximumFeeRaw: '0' },
      { asset: {}, basisPoints: 0, maximumFeeRaw: '0' },
      { asset: { mint: 5 }, basisPoints: 0, maximumFeeRaw: '0' },
      { basisPoints: 0, maximumFeeRaw: '0' },
    ])
      expect(limited(none), JSON.stringify(none)).toEqual([]);
  });
});
