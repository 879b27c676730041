/**
 * Inventory of some keys on a chain at one moment: amounts they can move, rights they hold, strangers with rights over
 * the same accounts, and the state of those accounts.
 */
import type { Account } from './accounts.ts';
import type { Findings, Reader, Right, Surroundings } from './findings.ts';
import { feeShareAuthority, feeShareConfig, partnerOrVault } from './readers/feeShare.ts';
import { curveConfig, curvePool, pool, position } from './readers/pools.ts';
import { lookupTable, nonce, program, stake, wallet } from './readers/stock.ts';
import { membersOf, mint, tokenAccount, tokenAccountOf } from './readers/token.ts';
import { tokenMetadata } from './readers/tokenMetadata.ts';

const READERS: readonly Reader[] = [
  wallet,
  nonce,
  stake,
  program,
  lookupTable,
  tokenAccount,
  mint,
  feeShareConfig,
  feeShareAuthority,
  partnerOrVault,
  curveConfig,
  curvePool,
  pool,
  position,
  tokenMetadata,
];

/** Each line is a text that names its subject, so that two inventories can be compared line by line. */
export interface Inventory {
  /** Amounts the keys can move or have a share in, base units; a missing line is 0. */
  readonly amounts: ReadonlyMap<string, bigint>;
  /** Rights of the keys, each with its account and when its loss counts. */
  readonly rights: ReadonlyMap<string, Pick<Right, 'account' | 'loss'>>;
  /** Rights of other keys over accounts in which the keys have a right or an amount. */
  readonly strangers: ReadonlySet<string>;
  /** State of accounts that only the keys should change. */
  readonly states: ReadonlyMap<string, string>;
  /** Existing accounts. */
  readonly existing: ReadonlySet<string>;
}

/**
 * Takes the inventory of `keys` over a snapshot, which must contain every account that may have changed and the token
 * accounts that hold position NFTs.
 */
export function inventoryOf(keys: Iterable<string>, snapshot: Iterable<Account>): Inventory {
  const own = new Set(keys);
  const accounts = new Map([...snapshot].map((account) => [account.address, account]));
  const around = surroundings(accounts);
  const amounts = new Map<string, bigint>();
  const rights = new Map<string, Pick<Right, 'account' | 'loss'>>();
  const strangers = new Set<string>();
  const states = new Map<string, string>();
  // Our keys may sign with others: losses of such a multisig are ours and are listed separately.
  const shared = new Map<string, readonly string[]>();
  for (const account of accounts.values()) {
    const members = membersOf(account);
    if (members?.some((member) => own.has(member))) shared.set(account.address, members);
  }
  const isOurs = (holder: string | undefined) =>
    holder !== undefined && (own.has(holder) || shared.has(holder));
  for (const [address, members] of shared)
    rights.set(`signer of multisig ${address} (${members.join()})`, { account: address });

  for (const account of accounts.values()) {
    const findings = readAccount(account, around);
    const ours = findings.rights.filter(({ holder }) => isOurs(holder));
    const moved = findings.amounts.filter(({ holder }) => isOurs(holder));
    for (const { line, holder, amount } of moved) {
      const full = own.has(holder) ? line : `${line} of multisig ${holder}`;
      amounts.set(full, (amounts.get(full) ?? 0n) + amount);
    }
    for (const right of ours) rights.set(rightLine(right), right);
    if (ours.length > 0 || moved.length > 0)
      for (const right of findings.rights) if (!isOurs(right.holder)) strangers.add(strangerLine(right));
    for (const { account: about, line, holder, value } of findings.states)
      if (isOurs(holder)) states.set(`${line} of ${about}`, value);
  }
  return { amounts, rights, strangers, states, existing: new Set(accounts.keys()) };
}

const rightLine = ({ right, account }: Right) => `${right} of ${account}`;
const strangerLine = ({ right, account, holder }: Right) => `${holder} is ${right} of ${account}`;

/** Returns the findings of the first reader that knows the account. */
export function readAccount(account: Account, around: Surroundings): Findings {
  for (const read of READERS) {
    const findings = read(account, around);
    if (findings !== undefined) return findings;
  }
  return { rights: [], amounts: [], states: [] };
}

function surroundings(accounts: ReadonlyMap<string, Account>): Surroundings {
  const nfts = new Map<string, string>();
  for (const account of accounts.values()) {
    const token = tokenAccountOf(account);
    if (token !== undefined && token.amount === 1n && !token.isFrozen) nfts.set(token.mint, token.owner);
  }
  return { get: (address) => accounts.get(address), holderOfNft: (nft) => nfts.get(nft) };
}
