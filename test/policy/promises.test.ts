/** Required receipts and effects in a simulation, signers, and transaction lifetimes: each check by its message. */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { amountOfAsset, SOL_DECIMALS } from '../../src/base/format.ts';
import { LAUNCH_DECIMALS } from '../../src/contract/constants.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import { encodeTransaction } from '../../src/transaction/read.ts';
import { decide as decidePlain, inputs as plain, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { plus, quoted, simulationOf, withAfter, withLamports } from './recorded/edits.ts';
import { ATTACKER, decide, policyWith, rewritten, signedByUs, stage, WALLET } from './recorded/stages.ts';

const swap = stage('swap of SOL');
const claim = stage('position claim');
const check = (inputs: DecisionInputs, name: string) =>
  decide(inputs).checks.filter((each) => each.id === name);
const one = (inputs: DecisionInputs, name: string) => {
  const [found] = check(inputs, name);
  return [found?.ok, found?.code, found?.observed, found?.allowed];
};

const tokens = (mint: string, amount: bigint) => (account: AccountFact) => {
  if (!account.exists || !TOKEN_PROGRAMS.includes(account.owner)) return account;
  const data = Buffer.from(account.data, 'base64');
  if (data.length < 165 || data.length > 200) return account;
  const state = readTokenAccount(data);
  if (state.mint !== mint || state.owner !== WALLET) return account;
  data.writeBigUInt64LE(amount, 64);
  return { ...account, data: data.toString('base64') };
};

/** Returns the wallet's balance of a token before the trade. */
function heldBefore(mint: string): bigint {
  const simulation = simulationOf(swap);
  return simulation.before.reduce((sum, { exists, owner, data }) => {
    if (!exists || !TOKEN_PROGRAMS.includes(owner) || Buffer.from(data, 'base64').length !== 165) return sum;
    const state = readTokenAccount(Buffer.from(data, 'base64'));
    return state.mint === mint && state.owner === WALLET ? sum + state.amount : sum;
  }, 0n);
}

/** Formats an amount of a launched token as in a check, and parses the base units of a check. */
const whole = (units: bigint, mint: string) => amountOfAsset(units, mint, LAUNCH_DECIMALS);
const unitsOf = (stated: unknown, decimals = SOL_DECIMALS): bigint => {
  const [digits = '', fraction = ''] = (String(stated).split(' ')[0] ?? '').replaceAll(',', '').split('.');
  return BigInt(`${digits}${fraction.padEnd(decimals, '0')}`);
};

describe('promised amounts arrive in the simulation', () => {
  const name = 'promisedArrives';
  const mint = String(swap.quote?.quote.outputMint);
  const least = BigInt(String(swap.quote?.quote.minOutAmount));

  it('to the base unit for a token', () => {
    const before = decide(swap).checks.find((each) => each.id === name);
    expect(before).toMatchObject({ ok: true, allowed: whole(least, mint) });
    const held = (amount: bigint) => withAfter(swap, tokens(mint, amount));
    const was = heldBefore(mint);
    expect(one(held(was + least), name)).toEqual([true, undefined, whole(least, mint), whole(least, mint)]);
    expect(one(held(was + least - 1n), name)).toEqual([
      false,
      'UNDECLARED_LOSS',
      whole(least - 1n, mint),
      whole(least, mint),
    ]);
    expect(one(held(0n), name)).toEqual([false, 'UNDECLARED_LOSS', whole(-was, mint), whole(least, mint)]);
  });

  it('for SOL, apart from fee and rent', () => {
    const sale = stage('swap for SOL');
    const [ok, , observed, allowed] = one(sale, name);
    expect(ok).toBe(true);
    const arrives = unitsOf(observed);
    const spare = arrives - unitsOf(allowed);
    expect(spare).toBeGreaterThanOrEqual(0n);
    expect(one(withAfter(sale, withLamports(-spare)), name)[0]).toBe(true);
    expect(one(withAfter(sale, withLamports(-spare - 1n)), name)).toEqual([
      false,
      'UNDECLARED_LOSS',
      amountOfAsset(arrives - spare - 1n, 'SOL'),
      allowed,
    ]);
  });

  it('and nothing is checked without a promise', () => {
    expect(check(stage('plain config'), name)).toEqual([]);
    expect(one(quoted(swap, { minOutAmount: '1' }), name)[3]).toBe(whole(1n, mint));
  });
});

describe('simulated outflows are explained', () => {
  it.each(['leavesByBytes', 'leavesAsAsked'])('%s', (name) => {
    const honest = check(swap, name).find(({ observed }) => observed?.endsWith(' SOL'));
    expect(honest?.ok).toBe(true);
    const spare = unitsOf(honest?.allowed) - unitsOf(honest?.observed);
    const sol = (by: bigint) =>
      check(withAfter(swap, withLamports(by)), name).find(({ observed }) => observed?.endsWith(' SOL'));
    expect(sol(-spare)).toMatchObject({ ok: true, observed: honest?.allowed });
    expect(sol(-spare - 1n)).toMatchObject({ ok: false, code: 'UNDECLARED_LOSS', allowed: honest?.allowed });
  });

  it('and not by a token outside the trade', () => {
    const mint = String(swap.quote?.quote.outputMint);
    const lost = withAfter(swap, tokens(mint, 5n));
    const found = check(lost, 'leavesByBytes').find(({ ok }) => !ok);
    expect(found).toMatchObject({
      code: 'UNDECLARED_LOSS',
      allowed: whole(0n, mint),
      observed: whole(heldBefore(mint) - 5n, mint),
    });
  });
});

describe('a simulation', () => {
  it('is SIMULATION_UNAVAILABLE with its cause if missing', () => {
    const last = (inputs: Partial<DecisionInputs>) =>
      decidePlain(inputs).checks.find((each) => each.id === 'simulation');
    expect(last({ simulation: { status: 'not_yet' } })).toEqual({
      id: 'simulation',
      ok: false,
      code: 'SIMULATION_UNAVAILABLE',
      observed: 'an earlier stage has not landed',
    });
    expect(last({ simulation: { status: 'not_yet' }, purpose: 'preview' })).toEqual({
      id: 'simulation',
      ok: true,
      observed: 'not yet: an earlier stage has not landed',
    });
    expect(last({ simulation: { status: 'unavailable', reason: 'x' } })).toEqual({
      id: 'simulation',
      ok: false,
      code: 'SIMULATION_UNAVAILABLE',
      observed: 'our RPC could not simulate',
    });
    const optional = under((file) => ({ ...file, simulation: { required: false } }), NOTHING_USED, {
      simulation: { status: 'unavailable', reason: 'x' },
    });
    expect(optional.checks.find((each) => each.id === 'simulation')).toMatchObject({ ok: true });
  });

  it('shows who would control our assets', () => {
    const name = 'nothingGranted';
    const simulated = (inputs: DecisionInputs) => check(inputs, name).filter((each) => each.simulated);
    expect(simulated(plain)).toEqual([{ id: name, ok: true, simulated: true }]);
    const lost = withAfter(plain, (each) => (each.address === WALLET ? { ...each, executable: true } : each));
    expect(simulated(lost)).toEqual([
      {
        id: name,
        ok: false,
        code: 'AUTHORITY_CHANGE',
        simulated: true,
        observed: `the wallet ${WALLET} would belong to another program`,
      },
    ]);
  });

  it('must cover the wallet and every writable account, the same set before and after', () => {
    const simulation = simulationOf(plain);
    const name = 'accountsWatched';
    const watching = (before: readonly AccountFact[], now: readonly AccountFact[]) =>
      check({ ...plain, simulation: { ...simulation, before, after: now } }, name)[0]?.ok;
    const { before, after: now } = simulation;
    expect(watching(before, now)).toBe(true);
    expect(watching(before, now.slice(0, -1))).toBe(false);
    const writable = [WALLET, String(plain.plan.answer.feeShareConfig)];
    for (const address of writable) {
      const [b, a] = [before, now].map((list) => list.filter((each) => each.address !== address));
      expect(watching(b ?? [], a ?? []), address).toBe(false);
    }
    const extra = {
      address: ATTACKER,
      exists: false,
      lamports: '0',
      owner: ATTACKER,
      executable: false,
      data: '',
    };
    expect(watching([...before, extra], [...now, extra])).toBe(true);
    expect(watching([...before, extra], [...now, { ...extra, address: WALLET }])).toBe(false);
  });
});

describe('signers', () => {
  const second = keyNamed('second wallet').address;
  const pay = systemTransfer(second, ATTACKER, 1n);

  it('include the wallet as the only one of ours', () => {
    expect(one(plain, 'onlySigner')).toEqual([true, undefined, WALLET, WALLET]);
    const both = { ...plus(plain, pay), ourWallets: [WALLET, second] };
    expect(one(both, 'onlySigner')).toEqual([false, 'SIGNERS_MISMATCH', `${WALLET}, ${second}`, WALLET]);
    const sponsored = rewritten(claim, (list) =>
      list.filter((each) => each.accounts.every(({ address, signer }) => !signer || address !== WALLET)),
    );
    expect(one(sponsored, 'onlySigner')).toEqual([false, 'SIGNERS_MISMATCH', 'none', WALLET]);
  });

  it('exclude one that no instruction uses', () => {
    const name = 'signersNeeded';
    expect(one(plain, name)).toEqual([true, undefined, undefined, undefined]);
    const was = plain.stage.transaction.read();
    const at = was.numRequiredSignatures - was.numReadonlySigned;
    const moved = (index: number) => (index >= at ? index + 1 : index);
    const idle = encodeTransaction({
      ...was,
      numRequiredSignatures: was.numRequiredSignatures + 1,
      staticAccounts: [...was.staticAccounts.slice(0, at), second, ...was.staticAccounts.slice(at)],
      signatures: [...was.signatures.slice(0, at), null, ...was.signatures.slice(at)],
      instructions: was.instructions.map(({ programIndex, accountIndexes, data }) => ({
        programIndex: moved(programIndex),
        accountIndexes: accountIndexes.map(moved),
        data,
      })),
    });
    const stageOf = { ...plain.stage, transaction: DecodedStage.ofBytes(idle) };
    expect(one({ ...plain, stage: stageOf }, name)).toEqual([false, 'SIGNERS_MISMATCH', second, undefined]);
  });

  it('have the wallet pay the fee, or the service if the operation says so', () => {
    expect(one(plain, 'walletPaysFee')).toEqual([true, undefined, WALLET, WALLET]);
    const other = rewritten(plain, (list) => list, { feePayer: ATTACKER });
    expect(one(other, 'walletPaysFee')).toEqual([true, undefined, ATTACKER, WALLET]);
    const unsigned = keyNamed('a key that does not sign').address;
    const unsignedPayer = rewritten(plain, (list) => list, { feePayer: unsigned });
    expect(one(unsignedPayer, 'walletPaysFee')).toEqual([false, 'FEE_PAYER_MISMATCH', unsigned, WALLET]);
    const payment = rewritten(stage('payment of SOL'), (list) => list, { feePayer: ATTACKER });
    expect(one(payment, 'walletPaysFee')).toEqual([false, 'FEE_PAYER_MISMATCH', ATTACKER, WALLET]);
    expect(one(claim, 'servicePaysFee')[0]).toBe(true);
    const ours = rewritten(claim, (list) => list, { feePayer: WALLET });
    expect(one(ours, 'servicePaysFee')).toEqual([false, 'FEE_PAYER_MISMATCH', WALLET, undefined]);
  });

  it('have signed if foreign, and not if ours', () => {
    const bytes = (change: (all: Buffer) => void) => {
      const all = Buffer.from(plain.stage.transaction.text, 'base64');
      change(all);
      return { ...plain, stage: { ...plain.stage, transaction: DecodedStage.ofBytes(all) } };
    };
    const [mine, theirs, ...more] = plain.stage.declared.requiredSigners ?? [];
    expect(mine).toBe(WALLET);
    const withheld = bytes((all) => all.fill(0, 1 + 64, 1 + 64 * (2 + more.length)));
    expect(one(withheld, 'otherSignatures')).toEqual([
      false,
      'SIGNER_UNAVAILABLE',
      [theirs, ...more].join(', '),
      undefined,
    ]);
    expect(one(plain, 'otherSignatures')).toEqual([true, undefined, undefined, undefined]);
    expect(one(plain, 'signaturesValid')[2]).toBe(`${1 + more.length} valid`);
    const broken = bytes((all) => all.fill(7, 1 + 64, 1 + 128));
    expect(one(broken, 'signaturesValid')).toEqual([false, 'COSIGNATURE_INVALID', theirs, undefined]);
    expect(one({ ...plain, ourWallets: [] }, 'walletCanSign')).toEqual([
      false,
      'SIGNER_UNAVAILABLE',
      WALLET,
      undefined,
    ]);
    expect(one(plain, 'walletUnsigned')[0]).toBe(true);
    expect(one(signedByUs(plain), 'walletUnsigned').slice(0, 2)).toEqual([false, 'REPLAY']);
  });
});

describe('the blockhash', () => {
  const alive = (changed: Partial<DecisionInputs>) =>
    decidePlain(changed).checks.find((each) => each.id === 'blockhashAlive');
  const refreshed = (purpose: DecisionInputs['purpose'], refresh: 'never' | 'blockhash') =>
    alive({ purpose, blockhashValid: false, stage: { ...plain.stage, refresh } });

  it('is valid or reported as expired', () => {
    expect(alive({})).toEqual({ id: 'blockhashAlive', ok: true });
    expect(alive({ blockhashValid: false })).toMatchObject({
      ok: false,
      code: 'LIFETIME_MISMATCH',
      observed: 'expired or unknown',
      class: 'availability',
    });
    expect(alive({ blockhashValid: null })).toMatchObject({ ok: false, observed: 'our RPC gave no answer' });
    expect(alive({ blockhashValid: null, purpose: 'preview' })).toMatchObject({
      ok: true,
      observed: 'not asked',
    });
  });

  it('of a preview is replaced before signing if no other key has signed', () => {
    expect(refreshed('preview', 'blockhash')).toMatchObject({ ok: true, observed: 'not asked' });
    expect(refreshed('preview', 'never')?.ok).toBe(false);
    expect(refreshed('sign', 'blockhash')?.ok).toBe(false);
  });

  it.each([
    ['0', true],
    ['1', true],
    ['12345678901234567890', true],
    ['123456789012345678901', false],
    ['01', false],
    ['', false],
    ['5x', false],
    ['x5', false],
    ['-1', false],
  ])('is declared with a numeric height: %j is %s', (lastValidBlockHeight, ok) => {
    const { declared } = plain.stage;
    const decision = decidePlain({
      stage: { ...plain.stage, declared: { ...declared, lastValidBlockHeight } },
    });
    expect(decision.checks.some((each) => each.id === 'declaredHeight')).toBe(!ok);
    expect(decision.effect).toBe(ok ? 'allow' : 'deny');
  });
});

it('fee and compute units are checked against the policy, to the unit', () => {
  const fee = BigInt(decide(plain).feeLamports);
  const units = Number(check(plain, 'computeWithinPolicy')[0]?.observed?.split(' ')[0]);
  const within = (maxFeeLamports: bigint, maxComputeUnits: number) =>
    decidePlain(
      {},
      NOTHING_USED,
      policyWith((file) => ({
        transaction: { ...file.transaction, maxFeeLamports: `${maxFeeLamports}`, maxComputeUnits },
      })),
    ).checks.filter((each) => each.id.endsWith('WithinPolicy'));
  expect(within(fee, units).map(({ ok }) => ok)).toEqual([true, true]);
  expect(within(fee - 1n, units - 1)).toEqual([
    {
      id: 'feeWithinPolicy',
      ok: false,
      code: 'FEE_OVER',
      observed: amountOfAsset(fee, 'SOL'),
      allowed: amountOfAsset(fee - 1n, 'SOL'),
    },
    {
      id: 'computeWithinPolicy',
      ok: false,
      code: 'FEE_OVER',
      observed: `${units} units`,
      allowed: `${units - 1} units`,
    },
  ]);
});

it('a fee above the policy is also reported if the lookup tables are unknown', () => {
  const launch = stage('custody launch');
  const policy = policyWith((file) => ({ transaction: { ...file.transaction, maxFeeLamports: '1' } }));
  const codes = (inputs: DecisionInputs) => decide(inputs, policy).reasonCodes;
  expect(codes(launch)).toContain('FEE_OVER');
  expect(codes({ ...launch, tables: [] })).toEqual(
    expect.arrayContaining(['FEE_OVER', 'LOOKUP_TABLE_UNRESOLVED']),
  );
});
