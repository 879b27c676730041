/** Drafts that create a fee share config in one transaction or several, and that change its claimers. */

import type { Claimer } from '../../../src/contract/claimers.ts';
import { profiles } from '../../../src/contract/profiles/index.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address, LookupTableContent } from '../../../src/transaction/types.ts';
import type { Keypair } from '../../keypair.ts';
import { createCurveConfig } from '../../programs/dbc.ts';
import {
  createFeeConfig,
  extendFeeConfig,
  type FeePair,
  feeShareAuthority,
  managerUpdateFeeConfig,
  updateFeeConfigManager,
} from '../../programs/feeShare.ts';
import type { ServiceContext } from '../context.ts';
import { pairOf } from '../records/configAccount.ts';
import type { Tip } from '../records/wallet.ts';
import type { IssuedConfig } from '../state.ts';
import { budgetOf, type Draft } from './compile.ts';
import { curveTerms } from './curveTerms.ts';
import { fits, pack, type StageDraft } from './plan.ts';
import { systemTransfer } from './tokens.ts';

/** Options of config transactions. */
export interface ConfigBuild {
  readonly payer: Address;
  readonly format: 'v0' | 'v1';
  readonly tables: readonly LookupTableContent[];
  readonly tip?: Tip | undefined;
}

/** Lamports that a wallet refunds to the payer of its network fee, as recorded; more than the fee. */
const REFUND_LAMPORTS = 18_000n;
/** Compute units of a config and of each claimer: 30 claimers reach the limit of a transaction. */
const [UNITS, UNITS_A_CLAIMER] = [180_000, 40_000];

const named = (claimers: readonly Claimer[]) =>
  claimers.map(({ address, basisPoints }) => ({ address, bps: basisPoints }));

/** Returns the missing stages of an issued config, each depending on the previous. `present` claimers are on chain. */
export function configStages(
  service: ServiceContext,
  issued: IssuedConfig,
  firstSwapWithMinFee: boolean,
  {
    present,
    exists,
    finished,
  }: { readonly present: number; readonly exists: boolean; readonly finished: boolean },
  build: ConfigBuild,
): StageDraft[] {
  const drafts = finished ? [] : claimerDrafts(service, issued, present, exists, build);
  if (issued.venueConfigKey !== null && service.onchain.account(issued.venueConfigKey) === null) {
    addCurve(service, drafts, issued, firstSwapWithMinFee, build);
  }
  const first = exists ? 2 : 1;
  return drafts.map((draft, index) => ({
    id: `config-${first + index}`,
    kind: 'config' as const,
    dependsOn: index === 0 ? [] : [`config-${first + index - 1}`],
    draft,
  }));
}

/** Creates the config with as many claimers as fit and adds the others; the last transaction sets the manager. */
function claimerDrafts(
  service: ServiceContext,
  issued: IssuedConfig,
  present: number,
  exists: boolean,
  build: ConfigBuild,
): Draft[] {
  const pair = pairOf(issued);
  const admin = service.keys.feeShareAuthority;
  const allowed = { payer: build.payer, admin: admin.address };
  const missing = issued.claimers.slice(present);
  const write = (some: readonly Claimer[], creates: boolean): Draft => {
    const last = some.length === 0 || some.at(-1) === missing.at(-1);
    const how = { last, ...(issued.partner === undefined ? {} : { partner: issued.partner }) };
    const make = creates ? createFeeConfig : extendFeeConfig;
    const instructions = [
      ...(creates && build.tip ? [systemTransfer(build.payer, build.tip.wallet, build.tip.lamports)] : []),
      make(allowed, pair, named(some), how),
      ...(last ? [updateFeeConfigManager(allowed, pair, issued.admin)] : []),
    ];
    const draft = draftOf(build, instructions, [admin], some.length);
    return profiles[service.profile].paysConfigs ? paidBy(admin, build.payer, draft) : draft;
  };
  return packed(missing, (some, isFirst) => write(some, isFirst && !exists));
}

/** Creates the curve's config, in the last transaction if it fits. The config's key signs. */
function addCurve(
  service: ServiceContext,
  drafts: Draft[],
  issued: IssuedConfig,
  firstSwapWithMinFee: boolean,
  build: ConfigBuild,
): void {
  const key = service.keys.venueConfig(issued.baseMint);
  const authority = feeShareAuthority(pairOf(issued));
  const instruction = createCurveConfig(
    {
      config: key.address,
      feeClaimer: authority,
      leftoverReceiver: service.keys.treasury.address,
      quoteMint: issued.quoteMint,
      payer: build.payer,
    },
    curveTerms(
      issued.configType,
      BigInt(issued.graduationThresholdRaw),
      firstSwapWithMinFee,
      issued.quoteMint === WSOL_MINT,
    ),
  );
  const last = drafts.at(-1);
  const joined = last && {
    ...last,
    instructions: [...last.instructions, instruction],
    signers: [...last.signers, key],
  };
  if (joined !== undefined && fits(joined)) drafts.splice(-1, 1, joined);
  else drafts.push(draftOf(build, [instruction], [key], 0));
}

/** Returns the stages of a changed split, in one transaction or several. */
export function updateStages(
  pair: FeePair,
  manager: Address,
  before: readonly Claimer[],
  after: readonly Claimer[],
  build: ConfigBuild,
): StageDraft[] {
  const drafts = packed(after, (some) => {
    const start = some[0] === undefined ? 0 : after.indexOf(some[0]);
    const last = some.at(-1) === after.at(-1);
    // Before the last, each transaction replaces as many claimers as it removes, or appends.
    const present = Math.max(start, before.length);
    const to = last ? present : Math.min(start + some.length, present);
    const signers = { payer: build.payer, manager };
    const instruction = managerUpdateFeeConfig(signers, pair, named(some), { from: start, to, last });
    return draftOf(build, [instruction], [], some.length);
  });
  return drafts.map((draft, index) => ({
    id: `update-${index + 1}`,
    kind: 'manager_update' as const,
    dependsOn: index === 0 ? [] : [`update-${index}`],
    draft,
  }));
}

function draftOf(
  { payer, format, tables }: ConfigBuild,
  instructions: readonly EncodedInstruction[],
  signers: readonly Keypair[],
  claimers: number,
): Draft {
  return {
    format,
    feePayer: payer,
    instructions,
    budget: budgetOf(UNITS + claimers * UNITS_A_CLAIMER),
    tables: format === 'v0' ? tables : [],
    signers,
  };
}

/** Returns the draft with a key of the service as fee payer, refunded by the wallet. */
const paidBy = ({ address }: Keypair, wallet: Address, draft: Draft): Draft => ({
  ...draft,
  feePayer: address,
  instructions: [...draft.instructions, systemTransfer(wallet, address, REFUND_LAMPORTS)],
});

/** Packs claimers into drafts. */
const packed = (
  claimers: readonly Claimer[],
  write: (some: readonly Claimer[], isFirst: boolean) => Draft,
): Draft[] =>
  pack(
    claimers,
    (some) => write(some, true),
    (some) => write(some, false),
  ).map(({ draft }) => draft);
