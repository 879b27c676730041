/** Launches on the curve in the encodings of the real programs, each with one fault. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DBC_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { createCurveConfig } from '../../sandbox/programs/dbc.ts';
import { feeShareAuthority, inSol } from '../../sandbox/programs/feeShare.ts';
import { curveTerms } from '../../sandbox/service/build/curveTerms.ts';
import { ata, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { AMOUNT, dropped, LEAST, launchedBy, replacedAt, retext } from './oneThingWrong.ts';
import { keyNamed } from './people.ts';
import {
  ALLOWED,
  appended,
  attacker,
  type Change,
  edited,
  RealWorld,
  type Subject,
  short,
  u64,
  withAccount,
  withBytes,
} from './realOperations.ts';

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('curve launches attacked');
}, 240_000);
afterAll(() => real.close());

const sol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };
describe('curve launch attacks', () => {
  let launch: Subject;
  let otherKey: string;
  beforeAll(async () => {
    const token = await real.onCurve();
    launch = real.curveLaunch(token);
    otherKey = (await real.onCurve()).configKey;
  }, 120_000);

  const CURVE: Readonly<Record<string, [() => Change, RegExp, boolean?]>> = {
    'another creator': [
      () =>
        edited(DBC_PROGRAM, 0, (each) => ({
          ...each,
          accounts: replacedAt(each.accounts, 2, attacker.address),
        })),
      /PARTY_UNKNOWN|SIGNERS_MISMATCH/,
    ],
    'other terms': [
      () => edited(DBC_PROGRAM, 0, withAccount(String(launch.fields.configKey), otherKey)),
      /REQUEST_MISMATCH|INSTRUCTION_UNKNOWN/,
    ],
    'another link': [
      () => edited(DBC_PROGRAM, 0, retext(String(launch.fields.ipfs), 'https://example.org/other')),
      /REQUEST_MISMATCH matchesRequest metadataLink/,
    ],
    'a first buy for less': [
      () => edited(DBC_PROGRAM, 1, withBytes(AMOUNT, u64(50_000_000n))),
      /REQUEST_MISMATCH matchesRequest initialBuy/,
    ],
    'a first buy for more': [
      () => edited(DBC_PROGRAM, 1, withBytes(AMOUNT, u64(200_000_000n))),
      /REQUEST_MISMATCH matchesRequest initialBuy/,
    ],
    'a first buy without a minimum': [
      () => edited(DBC_PROGRAM, 1, withBytes(LEAST, u64(0n))),
      /LIMIT_EXCEEDED firstBuyShare/,
    ],
    'a first buy for a stranger': [
      () =>
        edited(
          DBC_PROGRAM,
          1,
          withAccount(ata(real.wallet, launchedBy(launch)), ata(attacker.address, launchedBy(launch))),
        ),
      /REQUEST_MISMATCH matchesRequest destination/,
    ],
    'no first buy': [() => edited(DBC_PROGRAM, 1, dropped), /REQUEST_MISMATCH partThere firstBuy/],
    'a referral': [
      () =>
        edited(DBC_PROGRAM, 1, (each) => ({
          ...each,
          accounts: replacedAt(each.accounts, 12, attacker.address, true),
        })),
      /REQUEST_MISMATCH matchesRequest referralAccount/,
    ],
    'more wrapped than is spent': [
      () => edited(SYSTEM_PROGRAM, 0, () => systemTransfer(real.wallet, ata(real.wallet, sol), 200_000_000n)),
      /REQUEST_MISMATCH matchesRequest wrappedAmount/,
    ],
    'wrapped SOL unwrapped to a stranger': [
      () =>
        edited(TOKEN_PROGRAM, -1, (each) => ({
          ...each,
          accounts: replacedAt(each.accounts, 1, attacker.address),
        })),
      /UNEXPECTED_INSTRUCTION/,
    ],
    'a second launch': [
      () => (draft, stage) =>
        appended(
          ...draft.instructions.filter(({ programAddress }) => programAddress === DBC_PROGRAM).slice(0, 1),
        )(draft, stage),
      /UNEXPECTED_INSTRUCTION/,
    ],
  };

  test.each(Object.entries(CURVE))('a launch is refused with %s', async (_, [change, why]) => {
    await real.refuses(launch, change(), why);
  });

  /** Terms at their own key, with the attacker's changes. */
  function terms(name: string, feeClaimer: string, change: (terms: ReturnType<typeof curveTerms>) => object) {
    const key = keyNamed(name);
    const made = curveTerms('', 85_000_000_000n, false);
    const accounts = {
      config: key.address,
      feeClaimer,
      leftoverReceiver: attacker.address,
      quoteMint: WSOL_MINT,
      payer: attacker.address,
    };
    real.lands(attacker, [createCurveConfig(accounts, { ...made, ...change(made) })], [key]);
    return key.address;
  }

  test('terms that pay another key are refused, even if the request names them', async () => {
    const configKey = terms('foreign terms', attacker.address, () => ({}));
    const subject = { ...launch, fields: { ...launch.fields, configKey } };
    const change = edited(DBC_PROGRAM, 0, (each) => each);
    const verdict = await hostile(subject, change, launch);
    expect(verdict).toMatch(/REQUEST_MISMATCH curveClaimer/);
  });

  test('a share of the supply is not counted by terms without a fixed supply', async () => {
    const authority = feeShareAuthority(inSol(launchedBy(launch).mint));
    const configKey = terms('terms without a supply', authority, () => ({ tokenSupply: null }));
    const subject = { ...launch, fields: { ...launch.fields, configKey } };
    const verdict = await hostile(subject, edited(DBC_PROGRAM, 1, withBytes(LEAST, u64(1n))), launch);
    expect(verdict).not.toMatch(/^allow/);
  });

  /** A plan of one request that the service built for another. */
  async function hostile(requestedSubject: Subject, change: Change, built: Subject): Promise<string> {
    const plan = await real.plan(built, change);
    const request = { ...plan.request, fields: requestedSubject.fields };
    return short(await real.world.decide({ ...plan, request }, plan.stages[0]?.id ?? ''));
  }

  test("a launch stays allowed with the wallet's account existing, and with another budget", async () => {
    const token = await real.onCurve();
    const subject = real.curveLaunch(token);
    const cheaper: Change = (draft) => ({ ...draft, budget: { ...draft.budget, computeUnits: 1_000_000 } });
    const plan = await real.plan(subject, cheaper);
    expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
    const bare = { ...subject, fields: { ...subject.fields, initialBuyLamports: 0 } };
    const alone = await real.plan(bare);
    expect(short(await real.world.decide(alone, alone.stages[0]?.id ?? ''))).toBe(ALLOWED);
  });
});
