/** Builds the transaction that closes an unused lookup table of the wallet and returns its rent. */
import { InputError } from '../base/inputError.ts';
import type { Ledger } from '../ledger/types.ts';
import type { DecodedStage } from '../plan/decodedStage.ts';
import { encodeInstruction } from '../programs/instructions.ts';
import { NEVER_DEACTIVATED, readLookupTable } from '../programs/lookupTable/accounts.ts';
import type { Chain } from '../rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** What is asked for. */
export type ReclaimRequest = {
  readonly wallet: Address;
  readonly lookupTable: Address;
};

/** Slots after deactivation in which a table may still be used, and cannot be closed. */
const COOLING_SLOTS = 513n;

/** How many plans of this home are searched for tables it made. */
const MAX_PLANS = 200;

/**
 * A table that plans of this home made for the wallet and that can be closed now. Rejects with `InputError` when there is
 * none, and with `ChainError`.
 */
export async function closableTable(
  { ledger, chain }: { readonly ledger: Pick<Ledger, 'plans'>; readonly chain: Pick<Chain, 'accounts'> },
  wallet: Address,
): Promise<Address> {
  const plans = await ledger.plans({ limit: MAX_PLANS, offset: 0 });
  const made = plans
    .filter((plan) => plan.wallet === wallet)
    .flatMap(({ stages }) => stages.flatMap(({ transaction }) => tablesIn(transaction)));
  const { slot, value } = await chain.accounts([...new Set(made)], 'confirmed');
  const tables = value.flatMap((account) => {
    if (!account.exists || account.owner !== LOOKUP_TABLE_PROGRAM) return [];
    const { authority, deactivationSlot } = readLookupTable(Buffer.from(account.data, 'base64'));
    return authority === wallet ? [{ address: account.address, deactivationSlot }] : [];
  });
  const closable = tables.find(({ deactivationSlot: at }) => at + COOLING_SLOTS <= BigInt(slot));
  if (closable !== undefined) return closable.address;
  throw new InputError(
    `No lookup table of this home can be closed now: of ${tables.length} that are there, none is out of use for ${COOLING_SLOTS} slots.`,
    'A table is taken out of use by the plan that made it: submit that plan to its end first.',
  );
}

/** The tables that a transaction makes or changes. Unreadable bytes name none. */
function tablesIn({ decoded }: DecodedStage): Address[] {
  if (decoded === undefined) return [];
  const { staticAccounts, instructions } = decoded;
  return instructions.flatMap(({ programIndex, accountIndexes }) => {
    const [first] = accountIndexes;
    const table = first === undefined ? undefined : staticAccounts[first];
    return staticAccounts[programIndex] === LOOKUP_TABLE_PROGRAM && table !== undefined ? [table] : [];
  });
}

/** Builds the closing of a table. Rejects with `InputError` for one that cannot be closed, and with `ChainError`. */
export async function buildReclaim(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash'>,
  { wallet, lookupTable }: ReclaimRequest,
): Promise<{ readonly transaction: string; readonly rentLamports: string }> {
  const { slot, value } = await chain.accounts([lookupTable], 'confirmed');
  const [account] = value;
  if (account?.exists !== true || account.owner !== LOOKUP_TABLE_PROGRAM) {
    throw new InputError(
      'lookupTable: there is no such table on this chain.',
      'It may be closed already; get_plan names the tables of a plan.',
    );
  }
  const { authority, deactivationSlot } = readLookupTable(Buffer.from(account.data, 'base64'));
  if (authority !== wallet) {
    throw new InputError('lookupTable: is not a table of this wallet.', 'Only its owner gets its rent back.');
  }
  if (deactivationSlot === NEVER_DEACTIVATED) {
    throw new InputError(
      'lookupTable: is still in use.',
      'The plan that made it deactivates it: submit that plan to its end first.',
    );
  }
  const wait = deactivationSlot + COOLING_SLOTS - BigInt(slot);
  if (wait > 0n) {
    throw new InputError(
      `lookupTable: can be closed in ${wait} slots, some ${wait / 2n + 1n} seconds.`,
      'Call again then.',
    );
  }
  const { blockhash } = (await chain.latestBlockhash('confirmed')).value;
  const close = encodeInstruction('lookupTable.close', {
    accounts: { table: lookupTable, authority: wallet, recipient: wallet },
  });
  const bytes = unsignedTransaction(wallet, [close], blockhash);
  return { transaction: Buffer.from(bytes).toString('base64'), rentLamports: account.lamports };
}
