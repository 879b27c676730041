/** Deposits to our accounts that a stranger can empty count as lost, however old the stranger's right is (T65, T67). */

import { describe, expect, it } from 'vitest';
import { simulatedEffects } from '../../src/policy/decide/checks/effects.ts';
import { OwnKeys } from '../../src/policy/decide/ownKeys.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, mint as mintAccount, type TokenAccountFields, tokenAccount } from './accountFacts.ts';
import { expectDenied } from './deciding.ts';
import { keyNamed } from './people.ts';
import { plus, simulationOf, withLamports } from './recorded/edits.ts';
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

const unsupported = policyWith(withVenue);
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const token = keyNamed('a token').address;
const place = keyNamed('a prepared account').address;
const friend = keyNamed('second wallet').address;
const own = new OwnKeys([WALLET, friend]);

/** Rights by which a stranger can empty an account, and the same rights held by us. */
const FOREIGN: readonly [string, Partial<TokenAccountFields>][] = [
  ['can close', { closeAuthority: ATTACKER }],
  ['can spend from', { delegate: ATTACKER, delegatedAmount: 2n ** 63n }],
  ['has frozen', { frozen: true }],
];
const OURS: readonly [string, Partial<TokenAccountFields>][] = [
  ['that no other key controls', {}],
  ['a second wallet of ours can close', { closeAuthority: friend }],
  ['a second wallet of ours can spend from', { delegate: friend, delegatedAmount: 5n }],
  ['had a delegate whose allowance is used up', { delegate: ATTACKER, delegatedAmount: 0n }],
  ['has the allowance of a delegate that is gone', { delegatedAmount: 5n }],
];

const held = (fields: Partial<TokenAccountFields>) =>
  tokenAccount(place, { mint: token, owner: WALLET, ...fields });
const sums = (...pairs: readonly (readonly [AccountFact, AccountFact])[]) => {
  const found = simulatedEffects(
    own,
    pairs.map(([was]) => was),
    pairs.map(([, is]) => is),
  );
  return { out: Object.fromEntries(found.out), in: Object.fromEntries(found.in) };
};

describe("value sent to the wallet's own account", () => {
  const paid = [account(WALLET, { lamports: '100' }), account(WALLET, { lamports: '40' })] as const;

  it.each(FOREIGN)(
    'counts as an outflow if a stranger %s, although the account does not change',
    (_, powers) => {
      const [was, is] = [held({ ...powers, lamports: '2039280' }), held({ ...powers, lamports: '2039340' })];
      expect(sums(paid, [was, is])).toEqual({ out: { SOL: 60n }, in: {} });
      expect(sums([held({ ...powers, amount: 1n }), held({ ...powers, amount: 9n })])).toEqual({
        out: {},
        in: {},
      });
      const wrapped = (lamports: string) => held({ ...powers, mint: WSOL_MINT, lamports });
      expect(sums(paid, [wrapped('2039280'), wrapped('2039340')])).toEqual({ out: { SOL: 60n }, in: {} });
    },
  );

  it.each(FOREIGN)('can still be lost if a stranger %s', (_, powers) => {
    expect(sums([held({ ...powers, amount: 9n }), held({ ...powers, amount: 2n })])).toEqual({
      out: { [token]: 7n },
      in: {},
    });
    expect(sums([held({ ...powers, amount: 9n }), account(place, { exists: false, lamports: '0' })])).toEqual(
      { out: { [token]: 9n, SOL: 2_039_280n }, in: {} },
    );
  });

  it.each(OURS)("is still the wallet's if it %s", (_, powers) => {
    const [was, is] = [held({ ...powers, lamports: '2039280' }), held({ ...powers, lamports: '2039340' })];
    expect(sums(paid, [was, is])).toEqual({ out: {}, in: {} });
    expect(sums([held({ ...powers, amount: 1n }), held({ ...powers, amount: 9n })])).toEqual({
      out: {},
      in: { [token]: 8n },
    });
  });
});

/** The stage with this many of the wallet's lamports moved to an account with these rights. */
function moved(
  inputs: DecisionInputs,
  lamports: bigint,
  powers: Partial<TokenAccountFields>,
): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map(withLamports(-lamports));
  return {
    ...inputs,
    simulation: {
      ...simulation,
      before: [...simulation.before, held({ ...powers, lamports: '2039280' })],
      after: [...after, held({ ...powers, lamports: `${2_039_280n + lamports}` })],
    },
  };
}

describe('a claim beside an unsupported program', () => {
  const claim = plus(stage('deployer claim'), call);

  it.each(FOREIGN)("that sends the wallet's SOL to its account that a stranger %s is denied", (_, powers) => {
    // Below every limit, so that no other check fails.
    expectDenied(decide(moved(claim, 900_000_000n, powers), unsupported), 'UNDECLARED_LOSS', 'security');
  });

  it('that moves it to an account only the wallet controls is allowed', () => {
    expect(decide(moved(claim, 99_000_000_000n, { mint: WSOL_MINT }), unsupported).effect).toBe('allow');
  });

  it('that moves it into another token account of the wallet, which the issuer may freeze, is denied', () => {
    expectDenied(decide(moved(claim, 900_000_000n, {}), unsupported), 'UNDECLARED_LOSS', 'security');
    // Rent of our account is ours, whether the account is created or topped up.
    const rent = (lamports: string, exists = true) => ({ ...held({ lamports }), exists });
    const effects = (was: AccountFact, is: AccountFact) =>
      simulatedEffects(own, [was], [is], { rent: () => 2_039_280n }).in.get('SOL');
    expect(effects(rent('0', false), rent('2039280'))).toBe(2_039_280n);
    expect(effects(rent('0', false), rent('9000000000'))).toBe(2_039_280n);
    expect(effects(rent('2000000'), rent('9000000000'))).toBe(39_280n);
    expect(effects(rent('9000000000'), rent('9000000001'))).toBeUndefined();
    // A decrease above the rent counts as leaving; an increase does not.
    const leaves = (was: string, is: string) =>
      simulatedEffects(own, [rent(was)], [rent(is)], { rent: () => 2_039_280n }).out.get('SOL');
    expect(leaves('9000000000', '8000000000')).toBe(1_000_000_000n);
    expect(leaves('9000000000', '9000000001')).toBeUndefined();
  });
});

/** The stage with an account on the chain that has these rights. */
function prepared(
  inputs: DecisionInputs,
  address: string,
  mint: string,
  powers: Partial<TokenAccountFields>,
): DecisionInputs {
  const tokenProgram = inputs.accounts.find((each) => each.address === mint)?.owner ?? TOKEN_PROGRAM;
  const there = { ...tokenAccount(address, { mint, owner: WALLET, ...powers }), owner: tokenProgram };
  return { ...inputs, accounts: [...inputs.accounts.filter((each) => each.address !== address), there] };
}

describe("a transaction that pays the wallet's own account", () => {
  const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
  const sale = stage('swap for SOL');
  const buy = stage('swap of SOL');
  const claim = stage('position claim');
  const launch = stage('direct launch');
  const bought = String(buy.quote?.quote.outputMint);
  const received = [associatedTokenAddress(WALLET, bought, TOKEN_PROGRAM), bought] as const;
  const cases: readonly [string, DecisionInputs, readonly [string, string]][] = [
    ['the proceeds of a sale', sale, [wrapped, WSOL_MINT]],
    ['the wrapped input of a buy', buy, [wrapped, WSOL_MINT]],
    ['the tokens of a buy', buy, received],
    ['a claim', claim, [wrapped, WSOL_MINT]],
    ['the wrapped first buy of a launch', launch, [wrapped, WSOL_MINT]],
  ];

  it.each(cases)('%s: is denied if a stranger can take it out again', (_, inputs, [address, mint]) => {
    for (const [, powers] of FOREIGN) {
      const decision = decide(prepared(inputs, address, mint, powers));
      expect([decision.effect, decision.reasonCodes]).toEqual([
        'deny',
        expect.arrayContaining(['UNDECLARED_LOSS']),
      ]);
      expect(decision.checks.find(({ ok }) => !ok)?.params).toEqual({ part: 'ownControl' });
    }
  });

  it('loses SOL that is wrapped into an account which a stranger can close', () => {
    const both = { ...buy, ourWallets: [...buy.ourWallets, friend] };
    const leaves = (powers: Partial<TokenAccountFields>) =>
      BigInt(
        decide(prepared(both, wrapped, WSOL_MINT, powers)).changes.find(({ asset }) => asset === 'SOL')
          ?.out ?? '0',
      );
    for (const [, powers] of FOREIGN) expect(leaves(powers)).toBeGreaterThan(leaves({}));
    for (const [, powers] of OURS) expect(leaves(powers)).toBe(leaves({}));
  });

  it.each(cases)(
    '%s: is allowed if the account exists and only the wallet controls it',
    (_, inputs, [address, mint]) => {
      expect(decide(prepared(inputs, address, mint, {})).checks.filter(({ ok }) => !ok)).toEqual([]);
    },
  );
});

describe('the token of a launch', () => {
  const launch = stage('direct launch');
  const minted = String(launch.plan.request.tokenMint);
  const shown = (inputs: DecisionInputs, change: (account: AccountFact) => AccountFact): DecisionInputs => ({
    ...inputs,
    accounts: inputs.accounts.map((each) => (each.address === minted && each.exists ? change(each) : each)),
  });

  /** The mint under Token-2022 with one more extension. */
  const extended = (each: AccountFact, entry: Uint8Array): AccountFact => {
    const padding = Buffer.alloc(165 - 82);
    const data = Buffer.concat([Buffer.from(each.data, 'base64'), padding, Uint8Array.of(1), entry]);
    return { ...each, owner: TOKEN_2022_PROGRAM, data: data.toString('base64') };
  };

  it('is refused with a foreign freeze authority, even on an existing mint', () => {
    const frozen = mintAccount(minted, { mintAuthority: ATTACKER, freezeAuthority: ATTACKER });
    const bad = decide(shown(launch, () => frozen));
    expectDenied(bad, 'REQUEST_MISMATCH');
    expect(bad.checks).toContainEqual(
      expect.objectContaining({ id: 'noStrangerFreezes', ok: false, observed: ATTACKER }),
    );
  });

  it('is refused with a permanent delegate, whatever the policy allows for bought tokens', () => {
    const lax = policyWith((file) => ({ ...file, tokens: { extensions: { deny: [] } } }));
    const PERMANENT_DELEGATE = 12;
    const delegated = shown(launch, (each) => {
      const entry = Buffer.alloc(36);
      entry.writeUInt16LE(PERMANENT_DELEGATE, 0);
      entry.writeUInt16LE(32, 2);
      return extended(each, entry);
    });
    const bad = decide(delegated, lax);
    expect(bad.effect).toBe('deny');
    expect(bad.checks).toContainEqual(expect.objectContaining({ id: 'launchedTokenPowers', ok: false }));
    expect(decide(launch, lax).effect).toBe('allow');
  });

  it('is refused if a stranger may raise its transfer fee', () => {
    const TRANSFER_FEE_CONFIG = 1;
    const taxed = (authority: string) =>
      shown(launch, (each) => {
        const entry = Buffer.alloc(112);
        entry.writeUInt16LE(TRANSFER_FEE_CONFIG, 0);
        entry.writeUInt16LE(108, 2);
        entry.set(addressBytes(authority), 4);
        return extended(each, entry);
      });
    const found = (inputs: DecisionInputs) =>
      decide(inputs).checks.find(({ id }) => id === 'launchedTokenPowers');
    expect(found(taxed(ATTACKER))).toMatchObject({ ok: false, observed: 'transferFeeConfig' });
    expect(found(taxed(WALLET))).toMatchObject({ ok: true });
  });

  it('is refused if an unsupported program gives a stranger its mint authority', () => {
    const hidden = plus(stage('bare curve launch'), call);
    const made = String(hidden.plan.request.tokenMint);
    const left = (mintAuthority?: string) => {
      const simulation = simulationOf(hidden);
      const token = mintAccount(made, mintAuthority === undefined ? {} : { mintAuthority });
      const after = simulation.after.map((each) => (each.address === made ? token : each));
      const { checks } = decide({ ...hidden, simulation: { ...simulation, after } }, unsupported);
      return checks.find(({ id }) => id === 'noStrangerMints');
    };
    expect(left(ATTACKER)).toMatchObject({ ok: false, code: 'REQUEST_MISMATCH', observed: ATTACKER });
    expect(left(WALLET)).toMatchObject({ ok: true });
    expect(left()).toMatchObject({ ok: true });
  });

  it('is checked as left by an unsupported program', () => {
    const hidden = plus(stage('bare curve launch'), call);
    const simulation = simulationOf(hidden);
    const made = String(hidden.plan.request.tokenMint);
    const frozen = mintAccount(made, { freezeAuthority: ATTACKER });
    const after = simulation.after.map((each) => (each.address === made ? frozen : each));
    const bad = decide({ ...hidden, simulation: { ...simulation, after } }, unsupported);
    expect(bad.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(
      decide(
        rewritten(hidden, (list) => list),
        unsupported,
      ).effect,
    ).toBe('require_approval');
  });
});
