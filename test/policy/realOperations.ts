/**
 * Honest plans in the real programs' encodings, and faulty variants: the service's drafts are changed before they are
 * co-signed, so that every hash and co-signature is valid.
 */

import { expect } from 'vitest';
import { type Keypair, keypairFromSeed } from '../../sandbox/keypair.ts';
import { budgetFor, compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import type { PoolDeposits } from '../../sandbox/service/state.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { inventoryOf } from '../oracle/inventory.ts';
import { allowanceOf, worse } from '../oracle/judge.ts';
import { labelOf } from './label.ts';
import { type Fields, keyNamed, stageOf, World } from './world.ts';

export const ALLOWED = 'allow; exact';
export const attacker = keyNamed('the attacker');

/** A stage of a requested plan, with the landed stages of the same run. */
export interface Subject {
  readonly endpoint: EndpointName;
  readonly fields: Fields;
  /** Defaults to the first stage. */
  readonly stage?: string;
  /** The depositor of a launch's pool. */
  readonly deposits?: PoolDeposits;
  /** Landed stages of earlier builds of this run. */
  readonly landed?: readonly DecodedStage[];
}

/** One fault in a draft. */
export type Change = (draft: Draft, stage: string) => Draft;

const TOO_LARGE = /bytes, v[01] allows/;

/** Returns the verdict in short, with every reason. */
export const short = ({ effect, binding, checks }: Decision): string => {
  const failed = checks.filter(({ ok }) => !ok);
  const why = failed.map((check) => `${check.code} ${labelOf(check)}: ${check.observed} | ${check.allowed}`);
  return [effect, binding, ...why].join('; ');
};

export class RealWorld {
  readonly world: World;
  readonly wallet: string;

  static async start(seed: string): Promise<RealWorld> {
    const world = await World.start(seed);
    await world.sandbox.service.ready();
    world.sandbox.chain.airdrop(world.wallet, 50_000_000_000n);
    world.sandbox.chain.airdrop(attacker.address, 10_000_000_000n);
    world.sandbox.advanceSlots(2);
    return new RealWorld(world);
  }

  private constructor(world: World) {
    this.world = world;
    this.wallet = world.wallet;
  }

  close = (): Promise<void> => this.world.close();

  /** The wallet's own key. */
  get key(): Keypair {
    return keypairFromSeed(this.world.sandbox.wallet.secretKey.slice(0, 32));
  }

  /** Lands instructions paid by one key. */
  lands(payer: Keypair, instructions: readonly EncodedInstruction[], signers: readonly Keypair[] = []): void {
    const { service } = this.world.sandbox;
    const draft: Draft = {
      format: 'v0',
      feePayer: payer.address,
      instructions,
      budget: budgetFor(6),
      signers: [payer, ...signers],
    };
    service.onchain.land(draft);
    this.world.sandbox.advanceSlots(4);
  }

  /** Builds a plan with `change` applied to the subject's stage alone. */
  plan({ endpoint, fields, stage, deposits }: Subject, change?: Change): Promise<Plan> {
    if (deposits !== undefined) this.world.sandbox.service.state.poolDeposits = deposits;
    const tamper: Change | undefined =
      change && ((draft, id) => (stage === undefined || stage === id ? change(draft, id) : draft));
    return this.world.plan(endpoint, fields, tamper);
  }

  async #inputs(plan: Plan, { stage, landed }: Subject): Promise<DecisionInputs> {
    const id = stage ?? plan.stages[0]?.id ?? '';
    const inputs = await this.world.inputs(plan, id, landed === undefined ? {} : { earlierStages: landed });
    const { treasury, launchAuthority } = this.world.sandbox.service.keys;
    return {
      ...inputs,
      serviceAddresses: [
        { address: treasury.address, label: 'treasury' },
        { address: launchAuthority.address, label: 'launchAuthority' },
      ],
    };
  }

  /** Returns the reasons of the decision for each change, compiled in the stage's place without a new simulation. */
  async reasonsOf(subject: Subject, changes: readonly Change[]): Promise<readonly string[]> {
    const drafts: Draft[] = [];
    const plan = await this.plan(subject, (draft) => {
      drafts.push(draft);
      return draft;
    });
    const [draft] = drafts;
    if (draft === undefined) throw new Error('nothing was built');
    const inputs = await this.#inputs(plan, subject);
    const { service } = this.world.sandbox;
    return changes.map((change) => {
      const { bytes } = compileDraft(change(draft, inputs.stage.id), service.onchain.lifetime());
      const transaction = Buffer.from(bytes).toString('base64');
      return short(
        this.world.decided({
          ...inputs,
          stage: { ...inputs.stage, transaction: new DecodedStage(transaction) },
        }),
      );
    });
  }

  /**
   * Expects that the honest stage is allowed as exact and the changed one is refused. Returns the harms of signing it
   * blindly, by the oracle: empty if it could not run, `undefined` if it does not fit into a transaction.
   */
  async refuses(subject: Subject, change: Change, why: RegExp): Promise<readonly string[] | undefined> {
    const honest = await this.#inputs(await this.plan(subject), subject);
    expect(short(this.world.decided(honest))).toBe(ALLOWED);
    const plan = await this.plan(subject, change).catch((error: Error) => {
      if (TOO_LARGE.test(error.message)) return undefined;
      throw error;
    });
    if (plan === undefined) return undefined;
    const inputs = await this.#inputs(plan, subject);
    const verdict = short(this.world.decided(inputs));
    expect(verdict).toMatch(/^deny;/);
    expect(verdict).toMatch(why);
    return harmsIn(this.wallet, honest, inputs);
  }

  /** Builds and lands a plan round by round. Returns the verdicts of its stages. */
  async play(endpoint: EndpointName, fields: Fields, change?: Change): Promise<string[]> {
    const verdicts: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const plan = await this.plan({ endpoint, fields }, change);
      verdicts.push(...(await this.world.run(plan)).map(short));
      if (plan.readiness?.status !== 'setup_required') return verdicts;
    }
    throw new Error('the service asks for more and more');
  }

  /** A token with a finished config on the curve, not yet launched. */
  async onCurve(
    extra: Fields = {},
  ): Promise<{ mint: string; uri: string; config: string; configKey: string }> {
    const token = await this.world.token();
    const fields = this.world.configRequest(token.mint, [10_000], { flow: 'dbc', ...extra });
    await this.play('feeShareConfig', fields);
    const answer = Object(await this.world.call('feeShareConfig', fields));
    return { ...token, config: String(answer.feeShareConfig), configKey: String(answer.venueConfigKey) };
  }

  curveLaunch({ mint, uri, configKey }: { mint: string; uri: string; configKey: string }, buy = 100_000_000) {
    const fields = { tokenMint: mint, ipfs: uri, configKey, wallet: this.wallet, initialBuyLamports: buy };
    return { endpoint: 'curveLaunch', fields } satisfies Subject;
  }

  /** A token launched on the curve with a first buy. */
  async launched(extra: Fields = {}) {
    const token = await this.onCurve(extra);
    const { endpoint, fields } = this.curveLaunch(token);
    await this.play(endpoint, fields);
    return token;
  }

  poolRequest({ mint, uri, config }: { mint: string; uri: string; config: string }, buy: string | undefined) {
    return {
      tokenMint: mint,
      wallet: this.wallet,
      feeShareConfig: config,
      quoteMint: WSOL_MINT,
      ipfs: uri,
      ...(buy === undefined ? {} : { initialBuyQuoteRaw: buy }),
    };
  }

  /** A pool launch up to a stage: those before it have landed. */
  async poolLaunch(
    stage: 'launch-1' | 'launch-2' | 'launch-3',
    buy?: string,
    extra: Fields = {},
    deposits: PoolDeposits = 'service',
  ): Promise<Subject> {
    this.world.sandbox.service.state.poolDeposits = deposits;
    const fields = { ...this.poolRequest(await this.world.landedConfig(), buy), ...extra };
    const plan = await this.world.plan('dammLaunchV2', fields);
    const landed: DecodedStage[] = [];
    for (const { id } of plan.stages) {
      if (id === stage) break;
      landed.push(stageOf(plan, id).transaction);
      await this.world.land(plan, id);
    }
    return { endpoint: 'dammLaunchV2', fields, stage, deposits, ...(landed.length === 0 ? {} : { landed }) };
  }

  async buy(mint: string, amount = '50000000', extra: Fields = {}): Promise<Subject> {
    const fields = await this.world.quoted({ inputMint: WSOL_MINT, outputMint: mint, amount, ...extra });
    return { endpoint: 'tradeSwap', fields };
  }

  async sell(mint: string, amount = '1000000000', extra: Fields = {}): Promise<Subject> {
    const fields = await this.world.quoted({ inputMint: mint, outputMint: WSOL_MINT, amount, ...extra });
    return { endpoint: 'tradeSwap', fields };
  }

  claim = (mint: string): Subject => ({
    endpoint: 'claimTxs',
    fields: { feeClaimer: this.wallet, tokenMint: mint, source: { kind: 'holding' } },
  });
}

/** Returns the harms of the changed stage compared with the honest one, both run on the same accounts. */
export function harmsIn(wallet: string, honest: DecisionInputs, changed: DecisionInputs): string[] {
  const [one, other] = [honest.simulation, changed.simulation];
  if (one.status !== 'done' || other.status !== 'done' || one.error !== null || other.error !== null)
    return [];
  const taken = (accounts: readonly AccountFact[]) =>
    inventoryOf(
      [wallet],
      accounts
        .filter(({ exists }) => exists)
        .map(({ address, owner, lamports, data }) => ({
          address,
          owner,
          lamports: BigInt(lamports),
          data: Uint8Array.from(Buffer.from(data, 'base64')),
        })),
    );
  const allowance = allowanceOf(taken(one.before), taken(one.after));
  return worse(taken(other.before), taken(other.after), allowance);
}

/** Appends one or more instructions. */
export const appended =
  (...more: readonly EncodedInstruction[]): Change =>
  (draft) => ({
    ...draft,
    instructions: [...draft.instructions, ...more],
    signers: [...draft.signers, ...signersAmong(more)],
  });

const signersAmong = (instructions: readonly EncodedInstruction[]) =>
  instructions.some(({ accounts }) =>
    accounts.some(({ address, signer }) => signer && address === attacker.address),
  )
    ? [attacker]
    : [];

type Edit = (instruction: EncodedInstruction) => EncodedInstruction | readonly EncodedInstruction[];

/** Changes the nth instruction of a program; -1 is the last. Throws RangeError if there is none. */
export const edited =
  (program: string, nth: number, edit: Edit): Change =>
  (draft) => {
    const of = draft.instructions.filter(({ programAddress }) => programAddress === program);
    const found = of.at(nth);
    if (found === undefined) throw new RangeError(`no instruction ${nth} of ${program}`);
    return {
      ...draft,
      instructions: draft.instructions.flatMap((each) => (each === found ? edit(each) : [each])),
    };
  };

/** Replaces an account in every instruction. */
export const withAccount =
  (from: string, to: string): Edit =>
  (instruction) => {
    if (!instruction.accounts.some(({ address }) => address === from))
      throw new RangeError(`the instruction does not name ${from}`);
    return {
      ...instruction,
      accounts: instruction.accounts.map((each) => (each.address === from ? { ...each, address: to } : each)),
    };
  };

/** Overwrites bytes at an offset of the data. */
export const withBytes =
  (offset: number, bytes: Uint8Array): Edit =>
  (instruction) => {
    const data = Uint8Array.from(instruction.data);
    data.set(bytes, offset);
    return { ...instruction, data };
  };

/** Encodes eight bytes, little-endian. */
export const u64 = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
export const u16 = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};

/** Several changes, one after the other. */
export const both =
  (...changes: readonly Change[]): Change =>
  (draft, stage) =>
    changes.reduce((made, change) => change(made, stage), draft);
