/**
 * Sales, whose fee is taken from the output, each with one fault; and Titan, whose layout is inferred: its minimum
 * counts after every fee, and the simulated accounts must confirm it.
 */

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { DBC_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { ata, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { derivedAddress } from '../../src/programs/derived.ts';
import { writeLayout } from '../../src/programs/layout.ts';
import { TITAN_PROGRAM, titanLayouts } from '../../src/programs/routers/titan.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { AMOUNT, LEAST } from './oneThingWrong.ts';
import { NOTHING_USED } from './people.ts';
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
let mint: string;
beforeAll(async () => {
  real = await RealWorld.start('sales attacked');
  mint = (await real.launched()).mint;
  await real.play('tradeSwap', (await real.buy(mint, '5000000000')).fields);
  real.world.sandbox.service.state.swapsThrough = 'venue';
}, 240_000);
afterAll(() => real.close());

const treasury = () => real.world.sandbox.service.keys.treasury.address;
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
