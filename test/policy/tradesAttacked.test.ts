/**
 * Swaps and sales in the real programs' encodings, each with one fault, and honest ones in other compositions.
 * Titan's layout is inferred: its minimum counts after every fee, and the simulated accounts must confirm it.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { DBC_PROGRAM, ROUTER_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { inSol, quoteOf } from '../../sandbox/programs/feeShare.ts';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import {
  ata,
  closeAccount,
  createAta,
  createTokenAccount,
  systemTransfer,
} from '../../sandbox/service/build/tokens.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { derivedAddress } from '../../src/programs/derived.ts';
import { writeLayout } from '../../src/programs/layout.ts';
import { TITAN_PROGRAM, titanLayouts } from '../../src/programs/routers/titan.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { AMOUNT, LEAST } from './oneThingWrong.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import {
  ALLOWED,
  appended,
  attacker,
  type Change,
  edited,
  RealWorld,
  short,
  u64,
  withBytes,
} from './realOperations.ts';

let real: RealWorld;
/** A token on the curve, launched by the wallet, and a second one. */
let mint: string;
let second: string;
beforeAll(async () => {
  real = await RealWorld.start('trades attacked');
  mint = (await real.launched()).mint;
  second = (await real.launched()).mint;
  await real.play('tradeSwap', (await real.buy(mint, '5000000000')).fields);
});
afterAll(() => real.close());
beforeEach(() => {
  real.world.sandbox.service.state.swapsThrough = 'venue';
});

const sol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };
const base = () => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
const treasury = () => real.world.sandbox.service.keys.treasury.address;
const SOL_IN = 50_000_000n;

/** A route step that pays the attacker; the router's own accounts still name the wallet. */
const stepPays =
  (beside?: 'beside') =>
  <E extends { accounts: readonly { address: string; signer: boolean; writable: boolean }[] }>(
    each: E,
  ): E => {
    const [own, other] = [ata(real.wallet, base()), ata(attacker.address, base())];
    const paid = each.accounts.map((account, i) =>
      i > 7 && account.address === own ? { ...account, address: other } : account,
    );
    const unused = beside === undefined ? [] : [{ address: own, signer: false, writable: true }];
    return { ...each, accounts: [...paid, ...unused] };
  };

describe('through the router', () => {
  const ROUTES: Readonly<Record<string, [() => Change, RegExp]>> = {
    'T187 a step that pays a stranger': [
      () => edited(ROUTER_PROGRAM, 0, stepPays()),
      /REQUEST_MISMATCH matchesRequest routePays/,
    ],
    'T187 a step that pays a stranger, beside an account of the wallet that no step uses': [
      () => edited(ROUTER_PROGRAM, 0, stepPays('beside')),
      /REQUEST_MISMATCH matchesRequest routePays/,
    ],
    'another account of the wallet in its steps': [
      () =>
        edited(ROUTER_PROGRAM, 0, (each) => ({
          ...each,
          accounts: [
            ...each.accounts,
            {
              address: ata(real.wallet, { mint: second, tokenProgram: TOKEN_PROGRAM }),
              signer: false,
              writable: true,
            },
          ],
        })),
      /REQUEST_MISMATCH matchesRequest routeAccounts/,
    ],
    'T139 another account of the wallet where its own would stand': [
      () =>
        edited(ROUTER_PROGRAM, 0, (each) => ({
          ...each,
          accounts: each.accounts.map((account, i) => {
            const address = i === 2 ? ata(real.wallet, { mint: second, tokenProgram: TOKEN_PROGRAM }) : '';
            if (i === 7) return { address: each.accounts[2]?.address ?? '', signer: false, writable: true };
            return i === 2 ? { ...account, address } : account;
          }),
        })),
      /REQUEST_MISMATCH matchesRequest routeAccounts/,
    ],
  };

  test.each(Object.entries(ROUTES))('a swap is refused with %s', async (_, [change, why]) => {
    real.world.sandbox.service.state.swapsThrough = 'router';
    await real.refuses(await real.buy(mint, `${SOL_IN}`), change(), why);
  });
});

test('honest swaps in other arrangements stay allowed', async () => {
  const { state } = real.world.sandbox.service;
  const rentOf = (bytes: number) => real.world.sandbox.service.onchain.rent(bytes);
  const seeded = keyNamed('wrapped for a moment');
  /** Wraps SOL in an account with its own key instead of the associated one. */
  const temporary: Change = (draft) => {
    const own = ata(real.wallet, sol);
    const [, fund] = draft.instructions.filter(
      ({ programAddress }) => programAddress !== ASSOCIATED_TOKEN_PROGRAM,
    );
    const made = createTokenAccount(
      real.wallet,
      seeded.address,
      { ...sol, decimals: 9 },
      real.wallet,
      (bytes) => rentOf(bytes) + SOL_IN,
    );
    expect(fund).toBeDefined();
    const rest = draft.instructions.filter(
      ({ programAddress, accounts }) =>
        !(
          (programAddress === ASSOCIATED_TOKEN_PROGRAM && accounts[1]?.address === own) ||
          (programAddress === SYSTEM_PROGRAM && accounts[1]?.address === own) ||
          (programAddress === TOKEN_PROGRAM && accounts[0]?.address === own && accounts.length === 1)
        ),
    );
    return {
      ...draft,
      instructions: [
        ...made,
        ...rest.map((each) => ({
          ...each,
          accounts: each.accounts.map((account) =>
            account.address === own ? { ...account, address: seeded.address } : account,
          ),
        })),
      ],
      signers: [...draft.signers, seeded],
    };
  };
  const tracked = appended(systemTransfer(real.wallet, attacker.address, 5_000n));
  const dearer: Change = (draft) => ({ ...draft, budget: { ...draft.budget, computeUnits: 1_000_000 } });
  const exactOut: Change = (draft, stage) =>
    edited(DBC_PROGRAM, 0, (each) => {
      const data = Buffer.from(each.data);
      const [most, least] = [data.readBigUInt64LE(AMOUNT), data.readBigUInt64LE(LEAST)];
      return withBytes(AMOUNT, Buffer.concat([u64(least), u64(most), Uint8Array.of(2)]))(each);
    })(draft, stage);
  for (const [through, change] of [
    ['venue', tracked],
    ['venue', dearer],
    ['venue', temporary],
    ['router', dearer],
  ] as const) {
    state.swapsThrough = through;
    const { endpoint, fields } = await real.buy(mint, `${SOL_IN}`);
    const plan = await real.world.plan(endpoint, fields, change);
    expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
  }
  // The curve's stand-in has no exact output: the only finding is its failed simulation.
  state.swapsThrough = 'venue';
  const { endpoint, fields } = await real.buy(mint, `${SOL_IN}`);
  const plan = await real.world.plan(endpoint, fields, exactOut);
  expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toMatch(
    /^(allow; exact|deny; exact; SIMULATION_FAILED [^;]*)$/,
  );
});

test('a claim stays allowed if the wallet opens its account first and unwraps the proceeds', async () => {
  const { endpoint, fields } = real.claim(mint);
  const account = quoteOf(real.wallet, inSol(mint));
  const change: Change = (draft) => ({
    ...draft,
    instructions: [
      createAta(real.wallet, real.wallet, sol),
      ...draft.instructions,
      closeAccount(TOKEN_PROGRAM, account, real.wallet, real.wallet),
    ],
  });
  const plan = await real.world.plan(endpoint, fields, change);
  expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
});

const SOLD = '100000000000';
/** The venue's trade instruction, and its two numbers. */
const trade = (draft: Draft) => {
  const found = draft.instructions.find(({ programAddress }) => programAddress === DBC_PROGRAM);
  const data = Buffer.from(found?.data ?? []);
  return { amount: data.readBigUInt64LE(AMOUNT), least: data.readBigUInt64LE(LEAST) };
};
const feeOf = (draft: Draft): bigint => {
  const paid = draft.instructions.findLast(({ programAddress }) => programAddress === SYSTEM_PROGRAM);
  return Buffer.from(paid?.data ?? []).readBigUInt64LE(4);
};
const least =
  (of: (draft: Draft) => bigint): Change =>
  (draft, stage) =>
    edited(DBC_PROGRAM, 0, withBytes(LEAST, u64(of(draft))))(draft, stage);
const pays =
  (to: () => string, of: (fee: bigint) => bigint): Change =>
  (draft, stage) =>
    edited(SYSTEM_PROGRAM, -1, () => systemTransfer(real.wallet, to(), of(feeOf(draft))))(draft, stage);

const SALES: Readonly<Record<string, [Change, RegExp]>> = {
  'a minimum that forgets the fee taken from it': [
    least((draft) => trade(draft).least - feeOf(draft)),
    /REQUEST_MISMATCH quotedMinimum/,
  ],
  'a minimum one unit too low': [least((draft) => trade(draft).least - 1n), /REQUEST_MISMATCH quotedMinimum/],
  'one lamport more of a fee': [
    pays(treasury, (fee) => fee + 1n),
    /REQUEST_MISMATCH (statedFee|quotedMinimum)/,
  ],
  'the fee paid twice': [
    (draft, stage) => appended(systemTransfer(real.wallet, treasury(), feeOf(draft)))(draft, stage),
    /UNEXPECTED_INSTRUCTION|REQUEST_MISMATCH/,
  ],
  'the fee paid to another key': [
    pays(
      () => attacker.address,
      (fee) => fee,
    ),
    /REQUEST_MISMATCH matchesRequest trackingTransfer/,
  ],
};

test.each(Object.entries(SALES))('T25 a sale is refused with %s', async (_, [change, why]) => {
  await real.refuses(await real.sell(mint, SOLD), change, why);
});

describe('a sale through Titan in live mode', () => {
  const mainnet = GENESIS['mainnet-beta'] ?? '';
  const policy = (required = true) =>
    real.world.policyWith((file) => ({
      ...file,
      network: 'mainnet-beta',
      simulation: { ...file.simulation, required },
      rules: file.rules.map((rule) => ('unsupported' in rule ? { ...rule, unsupported: undefined } : rule)),
    }));

  /** The honest sale with Titan's instruction instead of the venue's, and the venue's effects as its simulation. */
  async function sale(
    of: (least: bigint, fee: bigint) => bigint = (least) => least,
  ): Promise<DecisionInputs> {
    const drafts: Draft[] = [];
    const subject = await real.sell(mint, SOLD);
    const plan = await real.plan(subject, (draft) => {
      drafts.push(draft);
      return draft;
    });
    const [draft] = drafts;
    if (draft === undefined) throw new Error('nothing was built');
    const inputs = await real.world.inputs(plan, plan.stages[0]?.id ?? '');
    const { amount, least } = trade(draft);
    const [layout] = titanLayouts;
    if (layout === undefined) throw new Error('Titan is not read');
    const titan = writeLayout(layout, {
      accounts: {
        payer: real.wallet,
        atlas: derivedAddress(TITAN_PROGRAM, [{ text: 'atlas' }]),
        inputMint: mint,
        inputTokenAccount: ata(real.wallet, { mint, tokenProgram: TOKEN_PROGRAM }),
        outputMint: WSOL_MINT,
        outputTokenAccount: ata(real.wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
        inputTokenProgram: TOKEN_PROGRAM,
        outputTokenProgram: TOKEN_PROGRAM,
      },
      args: {
        amount,
        minimumAmountOut: of(least, feeOf(draft)),
        mints: 2,
        providerFeeBps: 0,
        serviceFeeBps: 0,
        swaps: Uint8Array.of(0),
      },
    });
    const made = edited(DBC_PROGRAM, 0, () => titan)(draft, inputs.stage.id);
    const { bytes } = compileDraft(made, real.world.sandbox.service.onchain.lifetime());
    const transaction = Buffer.from(bytes).toString('base64');
    return {
      ...inputs,
      ...{ mode: 'live', network: mainnet, blockhashValid: true },
      plan: { ...inputs.plan, mode: 'live', network: mainnet },
      stage: { ...inputs.stage, transaction: new DecodedStage(transaction) },
      serviceAddresses: [{ address: treasury(), label: 'treasury' }],
    };
  }
  const verdict = (inputs: DecisionInputs, required?: boolean) =>
    short(evaluate(inputs, policy(required), NOTHING_USED));

  it('is allowed if the simulated accounts match the decoded instruction', async () => {
    expect(verdict(await sale())).toBe(ALLOWED);
  });

  it('T24 is refused if its minimum ignores the fee deducted afterwards', async () => {
    expect(verdict(await sale((minimum, fee) => minimum - fee))).toMatch(/^deny;.*quotedMinimum/);
  });

  it('T95 is refused if the simulated accounts show less than quoted', async () => {
    const inputs = await sale();
    if (inputs.simulation.status !== 'done') throw new Error('not simulated');
    const quoted = BigInt(String(inputs.quote?.quote.minOutAmount));
    const { before, after } = inputs.simulation;
    const lamports = (accounts: typeof before) =>
      BigInt(accounts.find(({ address }) => address === real.wallet)?.lamports ?? '0');
    const missing = lamports(after) - lamports(before) - quoted + 20_000n;
    const lower = after.map((each) =>
      each.address === real.wallet ? { ...each, lamports: `${BigInt(each.lamports) - missing}` } : each,
    );
    expect(missing).toBeGreaterThan(0n);
    expect(verdict({ ...inputs, simulation: { ...inputs.simulation, after: lower } })).toMatch(
      /^deny;.*UNDECLARED_LOSS/,
    );
  });

  it('T95 is refused if the simulated accounts show a larger sale than the transaction states', async () => {
    const inputs = await sale();
    if (inputs.simulation.status !== 'done') throw new Error('not simulated');
    const own = ata(real.wallet, { mint, tokenProgram: TOKEN_PROGRAM });
    const after = inputs.simulation.after.map((each) => {
      if (each.address !== own) return each;
      const data = Buffer.from(each.data, 'base64');
      data.writeBigUInt64LE(readTokenAccount(data).amount - 1n, 64);
      return { ...each, data: data.toString('base64') };
    });
    expect(verdict({ ...inputs, simulation: { ...inputs.simulation, after } })).toMatch(
      /^deny;.*UNDECLARED_LOSS/,
    );
  });

  it('T95 is not confirmed by a simulation of other accounts', async () => {
    const inputs = await sale();
    if (inputs.simulation.status !== 'done') throw new Error('not simulated');
    const own = ata(real.wallet, { mint, tokenProgram: TOKEN_PROGRAM });
    const [before, after] = [inputs.simulation.before, inputs.simulation.after].map((accounts) =>
      accounts.filter(({ address }) => address !== own),
    );
    const shown = { ...inputs.simulation, before: before ?? [], after: after ?? [] };
    expect(verdict({ ...inputs, simulation: shown })).toMatch(/READING_INFERRED/);
    expect(verdict(inputs)).toBe(ALLOWED);
  });

  it('T95 asks the owner, with the reason, if nothing could be simulated', async () => {
    const inputs: DecisionInputs = {
      ...(await sale()),
      simulation: { status: 'unavailable', reason: 'down' },
    };
    expect(verdict(inputs)).toMatch(/^deny;.*SIMULATION_UNAVAILABLE/);
    expect(verdict(inputs, false)).toMatch(/^require_approval; exact; READING_INFERRED/);
  });
});
