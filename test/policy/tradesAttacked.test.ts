/** Swaps and claims in the real programs' encodings: each with one fault, and honest ones in other compositions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DBC_PROGRAM, ROUTER_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { inSol, quoteOf } from '../../sandbox/programs/feeShare.ts';
import { ata, createAta, createTokenAccount, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
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
}, 240_000);
afterAll(() => real.close());

const sol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };
const base = () => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
const treasury = () => real.world.sandbox.service.keys.treasury.address;
const SOL_IN = 50_000_000n;
/** Offsets of the numbers in the curve's and the router's trades. */
const [AMOUNT, LEAST, _SLIPPAGE, _PLATFORM, _SURPLUS] = [8, 16, 24, 26, 28];

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

test("T23 only the service's known tracking account receives its minimum balance unrequested, and only while empty", async () => {
  real.world.sandbox.service.state.swapsThrough = 'venue';
  const tracking = keyNamed('tracking account of the service').address;
  const pays = (lamports: bigint) => appended(systemTransfer(real.wallet, tracking, lamports));
  const decided = async (lamports: bigint, known: { label: string; address: string }[], exists = false) => {
    const { endpoint, fields } = await real.buy(mint, `${SOL_IN}`);
    const plan = await real.world.plan(endpoint, fields, pays(lamports));
    const inputs = await real.world.inputs(plan, plan.stages[0]?.id ?? '');
    const accounts = exists
      ? inputs.accounts.map((each) => (each.address === tracking ? { ...each, exists } : each))
      : inputs.accounts;
    return real.world.decided({ ...inputs, serviceAddresses: known, accounts });
  };
  const known = [{ label: 'tracking', address: tracking }];
  expect(short(await decided(890_880n, known))).toBe(ALLOWED);
  const refused = /^deny; exact; REQUEST_MISMATCH matchesRequest trackingTransfer/;
  expect(short(await decided(890_881n, known))).toMatch(refused);
  expect(short(await decided(890_880n, known, true))).toMatch(refused);
  const expectedAsk = /^require_approval; exact; PAYEE_UNKNOWN unnamedTracking/;
  expect(short(await decided(890_880n, [{ label: 'treasury', address: treasury() }]))).toMatch(expectedAsk);
  expect(short(await decided(890_880n, [{ label: 'tracking', address: attacker.address }]))).toMatch(
    expectedAsk,
  );
});

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
      encodeInstruction('token.closeAccount', {
        program: TOKEN_PROGRAM,
        accounts: { account, destination: real.wallet, owner: real.wallet },
      }),
    ],
  });
  const plan = await real.world.plan(endpoint, fields, change);
  expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
});
