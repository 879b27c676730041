/** Builds the transaction that closes an unused lookup table of the wallet and returns its rent. */
import { InputError } from '../base/inputError.ts';
import type { Ledger } from '../ledger/types.ts';
import type { DecodedStage } from '../plan/decodedStage.ts';
import { encodeInstruction } from '../programs/instructions.ts';
import { NEVER_DEACTIVATED, readLookupTable } from '../programs/solana/lookupTable.ts';
import type { Chain } from '../rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** Request to close a lookup table. */
export type ReclaimRequest = {
  readonly wallet: Address;
  readonly lookupTable: Address;
};

/** Slots after its deactivation in which a table can be used but not closed. */
const COOLING_SLOTS = 513n;

/** Maximum number of plans that are searched for tables. */
const MAX_PLANS = 200;

/**
 * Returns a closable lookup table that plans of this home created for the wallet. Rejects with `InputError` if there is
 * none, and with `ChainError`.
 */
export async function closableTable(
  { ledger, chain }: { readonly ledger: Pick<Ledger, 'rows'>; readonly chain: Pick<Chain, 'accounts'> },
  wallet: Address,
): Promise<Address> {
  const plans = await ledger.rows('plans', { limit: MAX_PLANS, offset: 0 });
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
    `No lookup table of this home can be closed now: none of the ${tables.length} existing ones was deactivated at least ${COOLING_SLOTS} slots ago.`,
    'The plan that created a table deactivates it: submit that plan to its end first.',
  );
}

/** Returns the tables that a transaction creates or changes; empty for an invalid transaction. */
function tablesIn({ decoded }: DecodedStage): Address[] {
  if (decoded === undefined) return [];
  const { staticAccounts, instructions } = decoded;
  return instructions.flatMap(({ programIndex, accountIndexes }) => {
    const [first] = accountIndexes;
    const table = first === undefined ? undefined : staticAccounts[first];
    return staticAccounts[programIndex] === LOOKUP_TABLE_PROGRAM && table !== undefined ? [table] : [];
  });
}

/** Builds the transaction that closes a table. Rejects with `InputError` if it cannot be closed, and with `ChainError`. */
export async function buildReclaim(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash'>,
  { wallet, lookupTable }: ReclaimRequest,
): Promise<{ readonly transaction: string; readonly rentLamports: string }> {
  const { slot, value } = await chain.accounts([lookupTable], 'confirmed');
  const [account] = value;
  if (account?.exists !== true || account.owner !== LOOKUP_TABLE_PROGRAM) {
    throw new InputError(
      'lookupTable: no lookup table has this address.',
      'It may be closed already; get_plan lists the tables of a plan.',
    );
  }
  const { authority, deactivationSlot } = readLookupTable(Buffer.from(account.data, 'base64'));
  if (authority !== wallet) {
    throw new InputError('lookupTable: is not a table of this wallet.', 'Only its authority can close it.');
  }
  if (deactivationSlot === NEVER_DEACTIVATED) {
    throw new InputError(
      'lookupTable: is not deactivated.',
      'The plan that created it deactivates it: submit that plan to its end first.',
    );
  }
  const wait = deactivationSlot + COOLING_SLOTS - BigInt(slot);
  if (wait > 0n) {
    throw new InputError(
      `lookupTable: can be closed in ${wait} slots, about ${wait / 2n + 1n} seconds.`,
      'Try again then.',
    );
  }
  const { blockhash } = (await chain.latestBlockhash('confirmed')).value;
  const close = encodeInstruction('lookupTable.close', {
    accounts: { table: lookupTable, authority: wallet, recipient: wallet },
  });
  const bytes = unsignedTransaction(wallet, [close], blockhash);
  return { transaction: Buffer.from(bytes).toString('base64'), rentLamports: account.lamports };
}
