/** Compares the view of a second RPC with the inputs of a decision (T55). */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jsonDigest } from '../../base/canonicalJson.ts';
import { mintOf, tokenAccountOf } from '../../programs/token/accounts.ts';
import { ChainError } from '../../rpc/errors.ts';
import type { AccountFact, AtSlot, Chain, LookupTableFact } from '../../rpc/types.ts';
import type { AccountUse, DecodedTransaction } from '../../transaction/types.ts';
import { type Programs, readPrograms } from './programs.ts';

/** View of the first RPC. */
interface FirstView {
  /** Genesis hash of the plan. */
  readonly network: string;
  readonly transaction: DecodedTransaction;
  readonly accounts: readonly AccountUse[] | undefined;
  readonly tables: readonly LookupTableFact[];
  readonly deployed: Promise<Programs>;
  readonly reading: Promise<AtSlot<readonly AccountFact[]>>;
}

/**
 * Returns whether a second RPC is on the same chain and shows the same tables, mints, owners of token accounts, code of
 * unsupported programs, and a valid blockhash.
 */
export async function agrees(
  second: Chain,
  { network, transaction, accounts, tables, deployed, reading }: FirstView,
): Promise<boolean> {
  try {
    const fromChain = tables.filter((table) => table.source === 'chain');
    const held = (await reading).value.filter(({ executable }) => !executable);
    const [genesis, alive, code, shown, seen] = await Promise.all([
      second.genesisHash(),
      second.isBlockhashValid(transaction.blockhash, 'confirmed'),
      readPrograms(second, transaction, accounts),
      deployed,
      second.accounts(
        [...fromChain.map(({ table }) => table), ...held.map(({ address }) => address)],
        'confirmed',
      ),
    ]);
    const [dataOf, others] = [seen.value.slice(0, fromChain.length), seen.value.slice(fromChain.length)];
    return (
      genesis === network &&
      alive.value &&
      fromChain.every(({ dataSha256 }, i) => sha256Base64(dataOf[i]?.data ?? '') === dataSha256) &&
      isDeepStrictEqual(held.map(withoutAmounts), others.map(withoutAmounts)) &&
      jsonDigest(code.facts) === jsonDigest(shown.facts)
    );
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/** Returns the parts of an account that do not change with every trade. */
function withoutAmounts(account: AccountFact): unknown {
  const { exists, owner, executable } = account;
  const [mint, holder] = [mintOf(account), tokenAccountOf(account)];
  const fee = mint?.transferFee && { ...mint.transferFee, withheldAmount: 0n };
  return [
    ...[exists, owner, executable],
    mint && { ...mint, supply: 0n, transferFee: fee },
    holder && { ...holder, amount: 0n, delegatedAmount: 0n },
  ];
}

/** Returns the hex SHA-256 of base64 account data. */
export const sha256Base64 = (data: string): string =>
  createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex');
