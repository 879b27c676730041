/**
 * What an approval of a stage covers, as one digest: this wallet, policy and request, and the instructions. What a
 * rebuild may change without asking again is replaced by its role: the blockhash, the recent slot of a new lookup
 * table, and the address that follows from it (T40).
 */

import { createHash } from 'node:crypto';
import { jsonDigest, sha256Text } from '../../base/canonicalJson.ts';
import { remember } from '../../base/remember.ts';
import { CLAIM_ALL } from '../../plan/claimAll.ts';
import type { Stage } from '../../plan/types.ts';
import { addressBytes } from '../../transaction/base58.ts';
import { TransactionError } from '../../transaction/errors.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../transaction/programs.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import { plannedTables } from './checks/tables.ts';
import { readStage } from './decoded.ts';
import { type Expectation, termsOf } from './operations/expectation.ts';
import type { Facts } from './types.ts';

/** Digest of what an approval of this stage covers. Equal for a rebuilt stage that does the same. */
export function envelopeDigest(facts: Facts, policyHash: string): string {
  const { plan, stage } = facts;
  return sha256Text(
    JSON.stringify([
      plan.network,
      plan.wallet,
      policyHash,
      plan.intentKey,
      plan.operation,
      plan.endpoint,
      requestDigest(plan.request),
      stage.kind,
      instructionsDigest(stage, plannedTables(facts)),
      // Where a program can be replaced, an approval covers only the code deployed at that time.
      ...(facts.programs ?? []).map(({ address, deployedSlot }) => [address, deployedSlot]),
    ]),
  );
}

/**
 * Digest of what an approval covers where every instruction is read: the expectation without its amounts, which are
 * bounds (`isInside`). Equal for every stage of a run, and for the same meaning in other bytes, stages or order.
 */
export function expectationDigest(
  { plan, claims }: Facts,
  policyHash: string,
  expectation: Expectation,
): string {
  const { network, mode, intentKey } = plan;
  const endpoint = claims === undefined ? plan.endpoint : CLAIM_ALL;
  return jsonDigest([network, mode, policyHash, intentKey, endpoint, termsOf(expectation)]);
}

/** Tables that the plan itself makes, and what it puts there. */
type OwnTables = ReadonlyMap<Address, readonly Address[]>;

const requests = new WeakMap<object, string>();

function requestDigest(request: Facts['plan']['request']): string {
  // A rebuilt swap names another quote; what was quoted is bound by amounts in its instructions.
  const digest = requests.get(request) ?? jsonDigest({ ...request, requestId: undefined });
  // What can still change is read anew.
  if (Object.isFrozen(request)) requests.set(request, digest);
  return digest;
}

/** By transaction text; for another set of own tables it is taken again. */
const digests = new Map<string, { readonly tables: string; readonly digest: string }>();

/** What a stage's bytes say, without blockhash and with the plan's own tables by role. Pure, so taken once. */
function instructionsDigest({ transaction }: Stage, ownTables: OwnTables): string {
  const tables = JSON.stringify([...ownTables]);
  const known = digests.get(transaction);
  if (known?.tables === tables) return known.digest;
  const digest = computeDigest(transaction, ownTables);
  remember(digests, transaction, { tables, digest }, 512);
  return digest;
}

function computeDigest(transaction: string, tables: OwnTables): string {
  const ownTables = [...tables.keys()];
  const hash = createHash('sha256');
  try {
    const read = readStage(transaction);
    const number = (...values: number[]) => hash.update(Uint16Array.from(values));
    const key = (address: Address) => hash.update(role(address, ownTables));
    hash.update(read.format);
    number(
      read.numRequiredSignatures,
      read.numReadonlySigned,
      read.numReadonlyUnsigned,
      read.staticAccounts.length,
    );
    for (const address of read.staticAccounts) key(address);
    for (const { programIndex, accountIndexes, data } of read.instructions) {
      const stable = withoutRecentSlot(read, programIndex, data);
      number(programIndex, accountIndexes.length, ...accountIndexes, stable.length);
      hash.update(stable);
    }
    for (const { table, writableIndexes, readonlyIndexes } of read.lookups) {
      key(table);
      number(writableIndexes.length, ...writableIndexes, readonlyIndexes.length, ...readonlyIndexes);
      // A table of the plan may be made again with other addresses; the entries of other tables cannot change.
      const held = tables.get(table);
      for (const at of [...writableIndexes, ...readonlyIndexes])
        if (held !== undefined) hash.update(held[at] ?? '-');
    }
    const { priorityFeeLamports, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } =
      read.config ?? {};
    hash.update([priorityFeeLamports, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize].join());
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    // Unreadable bytes are denied; their envelope is their own.
    hash.update(transaction);
  }
  return hash.digest('hex');
}

function role(address: Address, ownTables: readonly Address[]): Uint8Array {
  const index = ownTables.indexOf(address);
  return index < 0 ? addressBytes(address) : Buffer.from(`own table ${index}`);
}

/** A table's creation names a recent slot (and the bump that follows from it), which every rebuild changes. */
function withoutRecentSlot(read: DecodedTransaction, programIndex: number, data: Uint8Array): Uint8Array {
  const creates =
    read.staticAccounts[programIndex] === LOOKUP_TABLE_PROGRAM && data.length === 13 && data[0] === 0;
  return creates ? data.subarray(0, 4) : data;
}
