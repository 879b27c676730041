/** Asks about the run of a plan: its transactions, its lookup tables and their entries (T175). */
import { DAMM_V2_POOL_AUTHORITY, knownPoolAddresses } from '../../../programs/dammV2/addresses.ts';
import { DBC_POOL_AUTHORITY } from '../../../programs/dbc/addresses.ts';
import { derivedAddress } from '../../../programs/derived.ts';
import {
  feeShareAuthorityAddress,
  feeShareConfigAddress,
  PLATFORM_VAULT,
  PROGRAM_CONFIG,
  partnerConfigAddress,
  userFeeVaultAddress,
} from '../../../programs/feeShare/addresses.ts';
import { PROGRAMS } from '../../../programs/index.ts';
import { metadataAddress } from '../../../programs/tokenMetadata/addresses.ts';
import { isAddress } from '../../../transaction/base58.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { PROGRAM_NAMES, SYSVAR_RENT, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { plannedTables } from '../checks/tables.ts';
import type { DecisionContext } from '../decisionContext.ts';
import { maxEntries, maxStages } from '../operations/deposits.ts';
import { isKnownParty } from '../operations/launch/parties.ts';
import { textOf } from '../operations/request.ts';
import { UNSIGNED } from '../operations/run.ts';
import type { DecisionInputs } from '../types.ts';
import { TABLE_STAGES } from '../unsupported/entries.ts';
import type { CheckId } from '../words/names.ts';

/** The second table is for a rebuild after the first table landed but expired unused. */
const MAX_TABLES = 2;

/** Asks if the run has more transactions, more tables or a larger table than its request justifies (T175). */
export function askAboutRun(inputs: DecisionInputs, list: Checklist): void {
  const { siblings, earlierStages = [] } = inputs;
  const tables = [...plannedTables({ siblings, earlierSetups: earlierStages }).values()];
  const over = (id: CheckId, observed: number, allowed: number) => {
    if (observed > allowed)
      list.ask('RUN_OVER_BUDGET', id, { observed: `${observed}`, allowed: `${allowed} at most` });
  };
  over('planStages', siblings.length + earlierStages.length, maxStages(inputs.plan));
  over('planTables', tables.length, MAX_TABLES);
  over('tableSize', Math.max(0, ...tables.map(({ length }) => length)), maxEntries(inputs));
}

/**
 * Asks about entries of a lookup table, set up before the transactions that use it are built, that are not in the request, not
 * derived from it, and not known programs or parties: the wallet pays their rent (T175).
 */
export function askAboutEntries(c: DecisionContext, list: Checklist): void {
  const { siblings, stage } = c.inputs;
  const open = siblings.filter(({ status }) => UNSIGNED.includes(status));
  if (stage.kind !== 'lookup_table_setup' || open.some((each) => !TABLE_STAGES.includes(each.stage.kind)))
    return;
  const explained = explainedBy(c);
  const entries = c.acts.flatMap((act) => (act.act === 'tableExtend' ? act.addresses : []));
  const others = entries.filter((entry) => !explained.has(entry) && !isKnownParty(c, entry));
  if (others.length > 0) list.ask('RUN_OVER_BUDGET', 'tableEntries', { observed: others.join(', ') });
}

const PROGRAM_ADDRESSES = PROGRAMS.flatMap(({ addresses }) => addresses);

/** Returns the addresses in a request, addresses derived from them, and common accounts of the supported programs. */
function explainedBy({ inputs: { plan }, wallet }: DecisionContext): ReadonlySet<Address> {
  const { request } = plan;
  const mint = textOf(request, 'baseMint') ?? textOf(request, 'tokenMint');
  const quote = textOf(request, 'quoteMint') ?? WSOL_MINT;
  const partner = textOf(request, 'partner');
  const named = addressesIn(request);
  const explained = new Set([
    ...[wallet, quote, SYSVAR_RENT, PROGRAM_CONFIG, PLATFORM_VAULT],
    ...[DBC_POOL_AUTHORITY, DAMM_V2_POOL_AUTHORITY],
    ...[...PROGRAM_ADDRESSES, ...Object.keys(PROGRAM_NAMES), ...named],
    ...PROGRAM_ADDRESSES.map((program) => derivedAddress(program, [{ text: '__event_authority' }])),
    ...(partner === undefined || !isAddress(partner) ? [] : [partnerConfigAddress(partner)]),
  ]);
  if (mint === undefined || !isAddress(mint) || !isAddress(quote)) return explained;
  const authority = feeShareAuthorityAddress(mint, quote);
  const owners = [wallet, authority, partnerConfigAddress(wallet), userFeeVaultAddress(wallet, mint, quote)];
  for (const address of [
    ...[...owners, feeShareConfigAddress(mint, quote), metadataAddress(mint)],
    ...knownPoolAddresses(mint, quote),
    ...owners.flatMap((owner) =>
      [mint, quote].flatMap((of) =>
        TOKEN_PROGRAMS.map((program) => associatedTokenAddress(owner, of, program)),
      ),
    ),
  ])
    explained.add(address);
  return explained;
}

/** Returns every address in the values of a request, at any depth. */
function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return isAddress(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : [];
}
