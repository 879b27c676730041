/** Drafts that create, fill and change a fee share config account. */
import {
  CONFIG_NAME,
  CONFIG_SYMBOL,
  CONFIG_URI,
  type ConfigRecord,
  claimerIndex,
  claimerKey,
  configFields,
  type Field,
} from '../../../contract/stockPrograms.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../programs/instructions.ts';
import type { Address, LookupTableContent } from '../../../transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import { budgetOf, type Draft } from './compile.ts';
import { pack, type StageDraft } from './plan.ts';
import { createMetadataMint, metadataBytes, POINTER_MINT_BYTES, systemTransfer } from './tokens.ts';

/** How config transactions are to be built. */
export interface ConfigBuild {
  readonly baseMint: Address;
  readonly payer: Address;
  readonly format: 'v0' | 'v1';
  readonly tables: readonly LookupTableContent[];
  readonly tip?: { readonly wallet: Address; readonly lamports: bigint };
}

/**
 * The stages that write `fields` of a record: `config-1` creates the account unless it exists, the others depend
 * on it and not on each other.
 */
export function configStages(
  service: ServiceContext,
  record: ConfigRecord,
  fields: readonly Field[],
  exists: boolean,
  build: ConfigBuild,
): StageDraft[] {
  const { keys } = service;
  const config = keys.config(build.baseMint);
  const authority = keys.feeShareAuthority;
  const total = configFields(record).length;
  const draft = (instructions: readonly EncodedInstruction[], creates: boolean): Draft => ({
    format: build.format,
    feePayer: build.payer,
    instructions,
    // The first transaction meets an empty account; each of the others may be the last to land.
    budget: budgetOf(updateUnits(instructions.length, creates ? instructions.length : total)),
    tables: build.format === 'v0' ? build.tables : [],
    signers: creates ? [config, authority] : [authority],
  });
  const updates = (some: readonly Field[]) =>
    some.map((field) => updateField(config.address, authority.address, field));
  const creation = () => [
    ...(build.tip === undefined ? [] : [systemTransfer(build.payer, build.tip.wallet, build.tip.lamports)]),
    ...createMetadataMint({
      payer: build.payer,
      mint: config.address,
      authority: authority.address,
      decimals: 0,
      name: CONFIG_NAME,
      symbol: CONFIG_SYMBOL,
      uri: CONFIG_URI,
      lamports: service.onchain.rent(configBytes(record)),
    }),
  ];
  const first = exists ? undefined : creation();
  const packed = pack(
    fields,
    first === undefined
      ? (some) => draft(updates(some), false)
      : (some) => draft([...first, ...updates(some)], true),
    (some) => draft(updates(some), false),
    (each) =>
      service.hostile.draft(each, { endpoint: 'feeShareConfig', stage: 'config', wallet: build.payer }),
  );
  return packed.map((part, index) => ({
    id: `config-${exists ? index + 2 : index + 1}`,
    kind: 'config' as const,
    dependsOn: exists || index === 0 ? [] : ['config-1'],
    draft: part.draft,
  }));
}

/** Units for `count` updates of an account that ends up with `total` fields: each field makes each update dearer. */
function updateUnits(count: number, total: number): number {
  return 60_000 + count * (1_500 + 900 * total);
}

/** Account size a complete config has. */
export function configBytes(record: ConfigRecord): number {
  return POINTER_MINT_BYTES + metadataBytes(CONFIG_NAME, CONFIG_SYMBOL, CONFIG_URI, configFields(record));
}

/** Writes one field. Claimer fields also refer to the claimer's account, so that it shows among the accounts. */
export function updateField(config: Address, authority: Address, [key, value]: Field): EncodedInstruction {
  const claimer = claimerIndex(key) === null ? undefined : value.split(':')[0];
  return encodeInstruction('tokenMetadata.updateField', {
    accounts: { metadata: config, updateAuthority: authority },
    args: { field: { key }, value },
    rest: claimer === undefined ? [] : [claimer],
  });
}

/** The stages of a `manager_update`: changed claimer fields, the new count, surplus claimers removed. */
export function updateStages(
  service: ServiceContext,
  before: ConfigRecord,
  after: ConfigRecord,
  build: ConfigBuild,
): StageDraft[] {
  const { keys } = service;
  const config = keys.config(build.baseMint).address;
  const authority = keys.feeShareAuthority;
  const old = new Map(configFields(before));
  const lacking = service.onchain.rent(configBytes(after)) - service.onchain.lamports(config);
  const instructions = [
    // A longer list needs a larger account.
    ...(lacking > 0n ? [systemTransfer(build.payer, config, lacking)] : []),
    ...configFields(after)
      .filter(([key, value]) => old.get(key) !== value)
      .map((field) => updateField(config, authority.address, field)),
  ];
  for (let index = after.claimers.length; index < before.claimers.length; index += 1) {
    instructions.push(
      encodeInstruction('tokenMetadata.removeKey', {
        accounts: { metadata: config, updateAuthority: authority.address },
        args: { idempotent: true, key: claimerKey(index) },
      }),
    );
  }
  const fields = Math.max(old.size, configFields(after).length);
  const packed = pack(instructions, (some) => ({
    format: build.format,
    feePayer: build.payer,
    instructions: some,
    budget: budgetOf(updateUnits(some.length, fields)),
    tables: build.format === 'v0' ? build.tables : [],
    signers: [authority],
  }));
  return packed.map(({ draft }, index) => ({
    id: `update-${index + 1}`,
    kind: 'manager_update' as const,
    dependsOn: index === 0 ? [] : [`update-${index}`],
    draft,
  }));
}
