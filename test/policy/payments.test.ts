/** Payments, payments to unnamed receivers, and deposits (T15, T66, T111, T112, T152). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { account, missing, tokenAccount } from './accountFacts.ts';
import { expectDenied } from './deciding.ts';
import { keyNamed, load } from './people.ts';
import {
  answered,
  instructionOf,
  plus,
  quoted,
  simulationOf,
  withAccounts,
  withArgs,
  withFacts,
  withLamports,
  without,
  withRequest,
} from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  policyFor,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withoutTrade,
  withVenue,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const ofSol = stage('payment of SOL');
const ofUsdc = stage('payment of USDC');
const opening = stage('payment of USDC, new account');
const ofTaxed = stage('payment of a taxed token');
const policy = policyFor('payment');
const decisionText = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policy));
const to = String(ofSol.plan.request.to);
const usdc = String(ofUsdc.plan.request.tokenMint);
const lacks = (label: string) => `REQUEST_MISMATCH: partThere ${label} (0 times; allowed 1 times)`;
const differs = (label: string) => `REQUEST_MISMATCH: matchesRequest ${label}`;

describe('a payment', () => {
  it.each([ofSol, ofUsdc, opening, ofTaxed])('needs approval and nothing else: %#', (inputs) => {
    expect(decisionText(inputs)).toMatch(/^require_approval/);
    expect(decide(inputs, policy).reasonCodes).toEqual(['APPROVAL_REQUIRED']);
  });

  it('is exactly the requested amount, in units of its asset', () => {
    expect(decisionText(withRequest(ofSol, { amountRaw: '5000001' }))).toContain(
      differs('amount (0.005 SOL; allowed 0.005000001 SOL)'),
    );
    expect(decisionText(withRequest(ofUsdc, { amountRaw: '99999' }))).toMatch(
      /matchesRequest amount \(0\.1 of 8mCPVE…; allowed 0\.099999 of 8mCPVE…\)/,
    );
  });

  it('is requested in full: to an address, of a positive amount, of SOL or a token other than wrapped SOL', () => {
    const none = `${differs('askedPayment')}\n`;
    for (const request of [
      { to: undefined },
      { to: 'no address' },
      { amountRaw: '0' },
      { amountRaw: undefined },
      { tokenMint: WSOL_MINT },
    ])
      for (const inputs of [ofSol, ofUsdc]) {
        expect(decisionText(withRequest(inputs, request))).toContain(none);
        expect(decide(withRequest(inputs, request), policy).recipients).toEqual([]);
      }
  });

  it('occurs once, with the requested memo', () => {
    expect(decisionText(without(ofSol, 'system.transfer'))).toContain(lacks('payment'));
    expect(decisionText(without(opening, 'memo.memo'))).toContain(lacks('memo'));
    expect(decisionText(withArgs(opening, 'memo.memo', { text: 'other words' }))).toContain(
      differs('memo (a text of 11 characters; allowed a text of 6 characters)'),
    );
    expect(decisionText(withRequest(opening, { memo: undefined }))).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('is of the requested asset: SOL is not a token, and a token is not SOL', () => {
    expect(decisionText(withRequest(ofSol, { tokenMint: usdc }))).toContain(
      differs('token (a text of 3 characters; allowed 8mCPVE…)'),
    );
    expect(decisionText(withRequest(ofUsdc, { tokenMint: undefined }))).toContain('UNEXPECTED_INSTRUCTION');
  });
});

describe('the recipient of a payment', () => {
  const refused = 'REQUEST_MISMATCH: recipientIsWallet';

  it('is a wallet other than the payer', () => {
    expect(decisionText(withRequest(ofSol, { to: WALLET }))).toContain(
      `${refused} (WALLET, an account of ${SYSTEM_PROGRAM})`,
    );
    const derived = associatedTokenAddress(to, usdc, TOKEN_PROGRAM);
    expect(decisionText(withRequest(ofSol, { to: derived }))).toContain(`${refused} (`);
  });

  it.each([
    ['a program', { executable: true }],
    ['an account that holds data', { data: 'AAAA' }],
    ['an account of another program', { owner: LOOKUP_TABLE_PROGRAM }],
  ])('is not %s', (_, change) => {
    for (const inputs of [ofSol, ofUsdc]) {
      expect(decisionText(withFacts(inputs, account(to)))).not.toContain(refused);
      const owner = 'owner' in change ? change.owner : SYSTEM_PROGRAM;
      const shown = summaryOf(decide(withFacts(inputs, account(to, change)), policy));
      expect(shown).toContain(refused);
      expect(shown).toMatch(new RegExp(`\\(${to.slice(0, 6)}…, an account of ${owner.slice(0, 6)}`));
    }
  });

  it('may be an unknown wallet', () => {
    const unknown = { ...ofSol, accounts: ofSol.accounts.filter(({ address }) => address !== to) };
    expect(decisionText(unknown)).not.toContain(refused);
  });
});

describe('the accounts of a token payment', () => {
  const theirs = associatedTokenAddress(to, usdc, TOKEN_PROGRAM);
  const { source } = instructionOf(ofUsdc, 'token.transferChecked').accounts;

  it("are the wallet's, moved by its own key, and the recipient's", () => {
    expect(source.address).toBe(associatedTokenAddress(WALLET, usdc, TOKEN_PROGRAM));
    expect(decisionText(withAccounts(ofUsdc, 'token.transferChecked', { authority: ATTACKER }))).toContain(
      differs('payer'),
    );
    expect(decisionText(withAccounts(ofUsdc, 'token.transferChecked', { destination: ATTACKER }))).toContain(
      differs(`payee (ATTACKER; allowed ${theirs.slice(0, 6)}…)`),
    );
  });

  it('are of the token and the recipient as on chain, and not frozen', () => {
    const shown = (change: object) =>
      decisionText(withFacts(ofUsdc, tokenAccount(theirs, { mint: usdc, owner: to, ...change })));
    const wrong = (owner: string) => differs(`payeeAccount (${owner}; allowed ${to.slice(0, 6)}…)`);
    expect(shown({})).not.toContain('payeeAccount');
    expect(shown({ owner: ATTACKER })).toContain(wrong('ATTACKER'));
    expect(shown({ mint: ATTACKER })).toContain(wrong(`${to.slice(0, 6)}…`));
    expect(shown({ frozen: true })).toContain(wrong(`${to.slice(0, 6)}…`));
  });

  it('are created for the recipient and the token only, paid by the wallet', () => {
    const made = (roles: Record<string, string>) =>
      decisionText(withAccounts(opening, 'associatedToken.createIdempotent', roles));
    expect(made({ owner: ATTACKER })).toContain(differs('newAccountOwner (ATTACKER; allowed '));
    expect(made({ mint: ATTACKER })).toContain(differs('newAccountToken (ATTACKER; allowed '));
    expect(made({ associatedToken: ATTACKER })).toMatch(/UNEXPECTED_INSTRUCTION|newAccount \(ATTACKER/);
    expect(made({ payer: ATTACKER })).toContain('UNEXPECTED_INSTRUCTION');
  });
});

const network = GENESIS['mainnet-beta'] ?? '';
const sandboxPolicy = load(policyTemplate('sandbox', { wallet: WALLET, network }));
const live = (
  inputs: DecisionInputs,
  serviceAddresses: DecisionInputs['serviceAddresses'],
): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  network,
  serviceAddresses,
  plan: { ...inputs.plan, mode: 'live', network },
  // The first purchase of a token asks by itself.
  held: true,
});

const swap = stage('swap of SOL');
const fee =
  decide(swap, policyFor('swap of SOL')).recipients.find(({ role }) => role === 'payment')?.address ?? '';
const profile = [{ label: 'treasury', address: fee }];

describe('a service fee', () => {
  it('asks if no treasury is known, and names the payee', () => {
    const decision = decide(live(swap, []), sandboxPolicy);
    expect(decision.effect).toBe('require_approval');
    expect(explain(decision)).toContain(fee);
  });

  it("asks nothing if it goes to the profile's treasury", () => {
    expect(decide(live(swap, profile), sandboxPolicy).effect).toBe('allow');
  });

  it.each([
    [0n, 'require_approval'],
    [1n, 'allow'],
  ])("of %i lamports to the profile's treasury: %s", (lamports, effect) => {
    const paid = answered(withArgs(swap, 'system.transfer', { lamports }, 1), { feeLamports: `${lamports}` });
    if (paid.simulation.status !== 'done') throw new Error('not simulated');
    const less = 5_000_000n - lamports;
    const after = paid.simulation.after.map(withLamports(less));
    const simulation = { ...paid.simulation, after };
    const decision = decide(live({ ...paid, simulation }, profile), sandboxPolicy);
    expect(decision.effect).toBe(effect);
    // A transfer of zero does not explain the rent of its recipient's account.
    if (effect !== 'allow') expect(decision.reasonCodes).toContain('PAYEE_UNKNOWN');
  });
});

it('a tracking transfer to a stranger names the stranger', () => {
  const paid = systemTransfer(WALLET, ATTACKER, 5_000n);
  const tracked = decide(live(plus(swap, paid), profile), sandboxPolicy);
  const trackingCheck = tracked.checks.find(({ id }) => id === 'unnamedTracking');
  expect(trackingCheck?.params?.payee).toBe(ATTACKER);
});

it('a network fee of many times the usual one asks', () => {
  const priced = (microLamports: bigint) =>
    decide(
      rewritten(stage('payment of SOL'), (list) => list, {
        budget: [
          encodeInstruction('computeBudget.setComputeUnitLimit', {
            accounts: {},
            args: { units: 1_000_000 },
          }),
          encodeInstruction('computeBudget.setComputeUnitPrice', { accounts: {}, args: { microLamports } }),
        ],
      }),
      policyFor('payment of SOL'),
    ).reasonCodes;
  expect(priced(1_900_000n)).toContain('NETWORK_FEE_HIGH');
  expect(priced(28_000n)).not.toContain('NETWORK_FEE_HIGH');
});

const unsupported = policyWith(withVenue);
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const place = keyNamed('an account of the attacker').address;
/** Bytes and lamports of a small per-trader account of a program. */
const SMALL = 165;
const rent = (bytes: number) => 6_960n * BigInt(128 + bytes);

/** The sale with this promised by the quote and paid by the pool on top of the recorded amount. */
const promised = 157_000_000n;
const sale = plus(quoted(paid(stage('swap for SOL'), promised), { minOutAmount: `${promised}` }), call);
/** The sale with its transfers inside the program. */
const hiddenSale = withoutTrade(sale);
const hiddenBuy = withoutTrade(stage('swap with an unsupported program'));

const holds = (bytes: number, lamports: bigint, owner = VENUE): AccountFact =>
  account(place, { owner, lamports: `${lamports}`, data: Buffer.alloc(bytes).toString('base64') });

/** The stage with this many lamports more for the wallet. */
function paid(inputs: DecisionInputs, lamports: bigint): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map(withLamports(lamports));
  return { ...inputs, simulation: { ...simulation, after } };
}

/** The stage with this many of the wallet's lamports in an account of the attacker. */
function lost(
  inputs: DecisionInputs,
  lamports: bigint,
  [was, is]: readonly [AccountFact, AccountFact],
): DecisionInputs {
  const simulation = simulationOf(paid(inputs, -lamports));
  const { before, after } = simulation;
  return { ...inputs, simulation: { ...simulation, before: [...before, was], after: [...after, is] } };
}
const made = (bytes: number, owner = VENUE) => [missing(place), holds(bytes, rent(bytes), owner)] as const;
const grown = (bytes: number) => [holds(10, rent(10)), holds(bytes, rent(bytes))] as const;

describe('a sale beside an unsupported program', () => {
  it('with the promised proceeds is allowed', () => {
    expect(decide(hiddenSale, unsupported).effect).toBe('allow');
  });

  it('pays out its promise whatever accounts its money creates', () => {
    const bytes = Number(promised / 6_960n) - 128;
    for (const pair of [made(bytes), grown(bytes)]) {
      const gone = BigInt(pair[1].lamports) - BigInt(pair[0].lamports);
      const bad = decide(lost(hiddenSale, gone, pair), unsupported);
      expectDenied(bad, 'UNDECLARED_LOSS', 'security');
      expect(bad.checks).toContainEqual(expect.objectContaining({ id: 'promisedArrives', ok: false }));
    }
  });

  it('pays out the exact promise: no small account offsets it', () => {
    const [check] = decide(hiddenSale, unsupported).checks.filter(({ id }) => id === 'promisedArrives');
    const lamports = (text = '') => BigInt(Math.round(Number(/^([\d.]+) SOL$/.exec(text)?.[1]) * 1e9));
    const above = lamports(check?.observed) - lamports(check?.allowed);
    expect(above).toBeGreaterThan(0n);
    const empty = made(SMALL);
    expect(decide(lost(hiddenSale, above, empty), unsupported).checks).toContainEqual(
      expect.objectContaining({ id: 'promisedArrives', ok: true }),
    );
    expectDenied(decide(lost(hiddenSale, above + 1n, empty), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a buy beside an unsupported program', () => {
  it('costs the requested amount and one small account, whatever accounts are created or grown', () => {
    expect(decide(lost(hiddenBuy, rent(SMALL), made(SMALL)), unsupported).effect).toBe('allow');
    for (const bytes of [1_000, 31_000]) {
      expectDenied(
        decide(lost(hiddenBuy, rent(bytes), made(bytes)), unsupported),
        'UNDECLARED_LOSS',
        'security',
      );
    }
    const growth = rent(SMALL) - rent(10);
    expectDenied(decide(lost(hiddenBuy, growth, grown(SMALL)), unsupported), 'UNDECLARED_LOSS');
    expectDenied(decide(lost(hiddenBuy, rent(0), made(0, SYSTEM_PROGRAM)), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a claim beside an unsupported program', () => {
  const claims = ['position claim', 'holding claim', 'deployer claim', 'vault claim'] as const;

  it.each(claims)('pays for no account of others (%s)', (name) => {
    const claim = plus(stage(name), call);
    expect(decide(claim, unsupported).effect).toBe('allow');
    // Supported instructions do not state the claim's amount, so only a loss is refused.
    expectDenied(decide(lost(claim, rent(31_000), made(31_000)), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a config and a launch beside an unsupported program', () => {
  const config = stage('config with an unsupported program');
  const launch = plus(stage('bare curve launch'), call);

  it.each([
    ['config', config, 1_000],
    ['launch', launch, SMALL],
  ] as const)('%s deposits no more than its new accounts need', (_, inputs, bytes) => {
    expect(decide(lost(inputs, rent(bytes), made(bytes)), unsupported).effect).toBe('require_approval');
    for (const [gone, pair] of [
      [rent(31_000), made(31_000)],
      [rent(1_000) - rent(10), grown(1_000)],
    ] as const) {
      const bad = decide(lost(inputs, gone, pair), unsupported);
      // The fault comes first: no approval would help.
      expectDenied(bad, 'UNDECLARED_LOSS', 'security');
    }
  });
});
