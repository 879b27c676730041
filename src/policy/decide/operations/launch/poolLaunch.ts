/**
 * A launch in its own pool: the whole supply goes into the pool, all liquidity is permanently locked, and the token's fee
 * share receives a position. The payer of the pool and the number of stages may vary; the wallet contributes only the
 * requested amounts.
 */
import { canonicalJson } from '../../../../base/canonicalJson.ts';
import { LAUNCH_DECIMALS } from '../../../../contract/constants.ts';
import type { Act } from '../../../../programs/acts.ts';
import { positionNftAccountAddress } from '../../../../programs/dammV2/addresses.ts';
import { feeShareAuthorityAddress } from '../../../../programs/feeShare/addresses.ts';
import { METADATA_BYTES, METADATA_FEE } from '../../../../programs/tokenMetadata/addresses.ts';
import { METADATA_CREATOR, METADATA_FIELDS } from '../../../../programs/tokenMetadata/index.ts';
import { withoutBigints } from '../../../../statement/view.ts';
import { associatedTokenAddress } from '../../../../transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Amounts, add, amountsOf } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import {
  assetOf,
  type DecisionContext,
  formatAmount,
  mintAt,
  rentOf,
  tokenAccountAt,
} from '../../decisionContext.ts';
import { all, amountIs, atMost, type Clause, clause, exactly, inWords, same, take } from '../clauses.ts';
import { madeBytes } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import type { Matched } from '../operation.ts';
import { isOwnAccount, ownAccounts, tipClauses, tipOf, wrapping } from '../ownAccounts.ts';
import { actsOnceLanded, type Run, runOf } from '../run.ts';
import { recipientsOf } from '../sharing/config.ts';
import { CLAIMERS_UNSUPPORTED, isSharedElsewhere } from '../sharing/elsewhere.ts';
import { checkPositions, checkSupply } from './liquidity.ts';
import { askAboutHolders, holdersOf } from './parties.ts';
import { buyOf, calledAs, checkShare, firstBuy, firstBuyMinimum, mayLaunch } from './parts.ts';
import { askAboutPool, DEFAULT_TYPE, requestedType } from './terms.ts';

/** Base units of the quote that the wallet may deposit: even a single-sided pool requires a small amount. */
export const MAX_QUOTE = 1_000n;
/** Size of a mint with Token-2022 extensions, in bytes. */
const MINT_BYTES = 512;

/** The endpoint whose launches leave the positions with an unsupported program. */
export const CUSTODY_ENDPOINT = 'dammLaunch';
/** Maximum total size in bytes of the accounts that an unsupported custody program creates. */
const MAX_CUSTODY_BYTES = 8 * 1024;

/** Matches a stage of a pool launch with the request. */
export function matchPoolLaunch(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { request } = c.inputs.plan;
  const { baseMint: mint = '', quoteMint = WSOL_MINT } = expected;
  const buy = buyOf(request);
  const tip = tipOf(request);
  const run = runOf(c);
  const opens = c.acts.some(({ act }) => act === 'createPool');
  const isIt = opens || mayLaunch(c, run, mint);
  const isFresh = holdsOnlySupply(c, run, mint);
  const isHeld = c.inputs.plan.endpoint === CUSTODY_ENDPOINT;
  const other = isHeld ? undefined : shareElsewhere(c, run, quoteMint);
  const earns = other ?? feeShareAuthorityAddress(mint, quoteMint);
  if (!isHeld && other === undefined) checkShare(c, expected, list);
  // A buyer may rely only on completed steps: a lock or mint revocation in a planned stage may never land (T141).
  const trades = opens || c.acts.some(({ act }) => act === 'swap');
  const due = trades ? { ...run, all: actsOnceLanded(c) } : run;
  const taken = take(
    c,
    due,
    [
      ...tipClauses(c, tip, isIt),
      ...tokenClauses(c, expected, run),
      ...poolClauses(c, expected, run, earns, isFresh),
      ...(isHeld ? [custodyClause(c, run)] : []),
      ownAccounts(c, [mint, quoteMint]),
      ...(quoteMint === WSOL_MINT ? wrapping(c, buy + MAX_QUOTE) : []),
      firstBuy(c, expected, buy, run),
      ...othersClauses(c),
    ],
    list,
  );
  const bought = firstBuyMinimum(taken);
  const supply = supplyOf(c, run, mint);
  // An unsupported instruction may lock and transfer positions; the approval request says so.
  if (run.unreadable === 0 && !due.all.some(({ act }) => act === 'unsupported')) {
    checkPositions(run, due, earns, list);
    checkSupply(due, mint, supply, list);
  }
  for (const { values } of taken.of('metadataFields', 'mintRule'))
    list.ask('TERM_DIFFERS', 'metadataFields', {
      observed: canonicalJson(withoutBigints(values)),
      allowed: 'none',
    });
  const holders = holdersOf(due, earns);
  if (!isHeld) askAboutHolders(c, run, holders, earns, list);
  askAboutOpening(c, run, isHeld, supply, quoteMint, list);
  const minIn: Amounts = new Map();
  add(minIn, mint, bought);
  const maxOut = amountsOf(isIt || c.opaque.length === 0 ? expected.maxOut : []);
  add(maxOut, 'SOL', MAX_QUOTE);
  if (c.opaque.length > 0) add(maxOut, 'SOL', surchargeOf(c, run, mint));
  if (isFresh) add(maxOut, mint, supply);
  const buys = buy > 0n && isIt;
  const counted = opens ? { read: { bought, supply } } : {};
  return {
    recipients: recipientsOf(expected),
    minIn,
    maxOut,
    deposits: depositsOf(c),
    ...(c.opaque.length > 0 ? { maxRent: rentOf(c.inputs, MAX_CUSTODY_BYTES) } : {}),
    ...(isFresh ? { made: mint } : {}),
    ...(other === undefined ? {} : { hidden: CLAIMERS_UNSUPPORTED }),
    mints: buys ? [quoteMint] : [],
    reach: [mint, quoteMint],
    pool: { held: isHeld ? [...holders.keys()] : [] },
    ...(buys ? { firstBuy: { mint, quoteMint, paid: buy, ...counted } } : {}),
  };
}

/** Asks about the pool's opening terms. A custody launch has no type, so its pool is compared with the default type. */
function askAboutOpening(
  c: DecisionContext,
  { all }: Run,
  isHeld: boolean,
  supply: bigint,
  quote: Address,
  list: Checklist,
): void {
  const opened = all.find((act) => act.act === 'createPool');
  const type = isHeld ? DEFAULT_TYPE : requestedType(c, null, undefined, list);
  if (opened?.terms !== undefined) askAboutPool(c, opened.terms, type, supply, quote, list);
  if (opened?.config !== undefined) list.ask('TERM_UNKNOWN', 'poolSettings', { observed: opened.config });
}

/**
 * Returns the metadata surcharge in lamports beside unsupported instructions: of the visible acts, plus one fee if an
 * unsupported instruction may create the metadata.
 */
function surchargeOf(c: DecisionContext, run: Run, mint: Address): bigint {
  const named = (acts: readonly Act[]) =>
    acts.flatMap((act) => (act.act === 'setMetadata' ? [act.surcharge ?? 0n] : []));
  const isPossiblyHidden = named(run.all).length === 0 && mintAt(c, mint) === undefined;
  return named(c.acts).reduce((sum, each) => sum + each, isPossiblyHidden ? METADATA_FEE : 0n);
}

/** Returns the owner of a position in this run if it belongs to another fee sharing program, else `undefined`. */
const shareElsewhere = (c: DecisionContext, run: Run, quoteMint: Address): Address | undefined =>
  run.all
    .flatMap((act) => (act.act === 'openPosition' || act.act === 'openAccount' ? (act.owner ?? []) : []))
    .find((owner) => isSharedElsewhere(c, run, quoteMint, owner));

/** Builds the clause that transfers positions to a custody. The custodian is unknown; the positions never belong to the wallet. */
const custodyClause = ({ own }: DecisionContext, run: Run): Clause => {
  const held = run.all.flatMap((act) =>
    act.act === 'openPosition' ? [positionNftAccountAddress(act.nftMint)] : [],
  );
  return clause(
    'custodyPosition',
    'setRight',
    [0, 2],
    ({ right, of, authority }) =>
      right === 'owner' && held.includes(of) && authority !== undefined && !own.has(authority),
  );
};

/** Returns the token's supply in base units: the larger of the minted amount and the supply on chain. */
function supplyOf(c: DecisionContext, run: Run, mint: Address): bigint {
  const minted = run.all.reduce(
    (sum, act) => (act.act === 'mintTo' && act.mint === mint ? sum + act.amount : sum),
    0n,
  );
  const there = mintAt(c, mint)?.supply ?? 0n;
  return minted > there ? minted : there;
}

const makes = (acts: readonly Act[], mint: Address): boolean =>
  acts.some((act) => act.act === 'createMint' && act.mint === mint);

/**
 * Whether the wallet's balance of the token can only be the supply that this run mints: the run has created the token and
 * not bought any yet. A balance of an existing token is the wallet's own (T138).
 */
const holdsOnlySupply = (c: DecisionContext, { before }: Run, mint: Address): boolean =>
  makes(actsOnceLanded(c), mint) && !before.some(({ act }) => act === 'swap');

/** Builds the clauses of the token: created once, with the requested metadata, and its mint authority revoked. */
function tokenClauses(
  c: DecisionContext,
  { baseMint: mint = '', token }: ExpectedOutcome,
  run: Run,
): Clause[] {
  const isMade = makes(run.all, mint);
  const there = mintAt(c, mint);
  const once = [isMade ? 1 : 0, 1] as const;
  // A token from an earlier, unknown run may still have a mint authority.
  const seals = isMade || there?.mintAuthority !== undefined;
  const foreign = (address: Address | null | undefined) => address == null || !c.own.has(address);
  return [
    clause('mintAccount', 'openAccount', [0, 1], ({ account, kind, owner = '', payer, deposit }) => {
      if (account !== mint || kind !== 'data' || payer !== c.wallet || typeof deposit !== 'bigint')
        return false;
      return all(
        exactly('accountKind', owner, TOKEN_PROGRAMS.includes(owner)),
        atMost('tokenRent', deposit, rentOf(c.inputs, MINT_BYTES)),
      );
    }),
    clause('token', 'createMint', [0, 1], (act) =>
      all(
        same('createdToken', act.mint, mint),
        same('tokenDecimals', act.decimals, LAUNCH_DECIMALS),
        inWords('tokenFreezer', act.freezeAuthority, act.freezeAuthority === null, 'none'),
        exactly('tokenMinter', act.mintAuthority, foreign(act.mintAuthority)),
      ),
    ),
    clause('tokenName', 'setMetadata', once, (act) =>
      all(
        same('namedToken', act.mint, mint),
        ...calledAs(token, act),
        exactly('nameAuthority', act.updateAuthority, foreign(act.updateAuthority)),
        same('mutableName', act.mutable, false),
        same('namePayer', act.payer, c.wallet),
      ),
    ),
    // The owner is asked about them.
    clause(
      'metadataFields',
      'mintRule',
      [0, 6],
      (act) => act.mint === mint && [METADATA_CREATOR, METADATA_FIELDS].includes(act.rule),
    ),
    clause('supply', 'mintTo', once, (act) =>
      all(same('mintedToken', act.mint, mint), exactly('tokenMinter', act.authority, foreign(act.authority))),
    ),
    clause('endOfMinting', 'setRight', [seals ? 1 : 0, 1], (act) => {
      if (act.of !== mint) return false;
      return all(
        exactly('revokedRight', act.right.length, act.right === 'mint authority'),
        inWords('laterMinter', act.to, act.to === null, 'none'),
      );
    }),
  ];
}

/** Builds the clauses of the pool, its locked positions, and the fee share's position. */
function poolClauses(
  c: DecisionContext,
  { baseMint: mint = '', quoteMint = WSOL_MINT }: ExpectedOutcome,
  run: Run,
  authority: Address,
  isFresh: boolean,
): Clause[] {
  const opened = run.all.find((act) => act.act === 'createPool');
  const pool = opened?.pool;
  // The wallet pays for a pool's other accounts only if it pays for the pool.
  const paysHere = (payer: Address | undefined) =>
    payer === undefined || !c.own.has(payer) || payer === opened?.payer;
  // If an earlier run created the token, this one may only contain the remaining steps.
  const isMade = makes(run.all, mint);
  const nfts = run.all.flatMap((act) => (act.act === 'openPosition' ? [act.nftMint] : []));
  const accounts = nfts.map((nft) => associatedTokenAddress(authority, nft, TOKEN_2022_PROGRAM));
  const inPool = (given: Address) => exactly('pool', given, pool === undefined || given === pool, pool);
  const supplied = run.all.flatMap((act) =>
    act.act === 'mintTo' && act.mint === mint ? [act.to.account] : [],
  );
  return [
    clause('launch', 'createPool', [isMade || buyOf(c.inputs.plan.request) > 0n ? 1 : 0, 1], (act) =>
      all(
        same('launchedToken', act.base, mint),
        same('poolQuote', act.quote, quoteMint),
        exactly('poolCreator', act.creator, !c.own.has(act.creator)),
        inWords('firstTrader', act.terms?.isOpenToAll, act.terms?.isOpenToAll === true, 'anyone, at once'),
      ),
    ),
    clause('position', 'openPosition', [0, 2], (act) => paysHere(act.payer) && all(inPool(act.pool))),
    clause('liquidity', 'addLiquidity', [0, 4], (act) =>
      all(
        inPool(act.pool),
        ...act.deposits.map(({ asset, from, most }) => {
          const ours = c.own.has(from.owner ?? tokenAccountAt(c, from.account)?.owner ?? act.authority);
          const held = !ours || (asset === mint && isFresh) || (most !== undefined && most <= MAX_QUOTE);
          return amountIs('poolDeposit', held, most, MAX_QUOTE, (units) =>
            formatAmount(c, units, assetOf(asset)),
          );
        }),
      ),
    ),
    clause('lockedLiquidity', 'lockLiquidity', [0, 4], (act) => all(inPool(act.pool))),
    clause(
      'positionAccount',
      'openAccount',
      [0, 2],
      ({ account, kind, owner, payer }) =>
        kind === 'token' && owner === authority && accounts.includes(account) && paysHere(payer),
    ),
    clause('feeSharePosition', 'transfer', [0, 2], ({ asset = '', to, amount, authority: by }) => {
      const isPosition = nfts.includes(asset) || accounts.includes(to.account);
      if (!isPosition || c.own.has(by)) return false;
      return all(
        exactly('positionOwner', to.account, accounts.includes(to.account), authority),
        exactly('positionCount', amount, amount === 1n, 1),
      );
    }),
    clause(
      'supplyAccount',
      'openAccount',
      [0, 1],
      ({ account, kind, mint: of, payer }) =>
        kind === 'token' && of === mint && payer === c.wallet && supplied.includes(account),
    ),
  ];
}

/** Builds the clauses for acts of other keys on their own accounts: wrapping SOL for the pool and unwrapping the rest. */
function othersClauses(c: DecisionContext): Clause[] {
  const theirs = (address: Address | undefined) => address === undefined || !c.own.has(address);
  return [
    clause(
      'othersWrapping',
      'transfer',
      [0, 2],
      ({ asset, from, authority }) => asset === 'SOL' && theirs(authority) && theirs(from.account),
    ),
    clause(
      'othersUnwrapping',
      'closeAccount',
      [0, 2],
      ({ account, authority }) =>
        theirs(authority) && !isOwnAccount(c, account, WSOL_MINT) && theirs(account.owner),
    ),
    clause(
      'othersAccount',
      'openAccount',
      [0, 2],
      ({ kind, payer }) => kind === 'token' && payer !== undefined && theirs(payer),
    ),
  ];
}

/** Returns the lamports, rent included, that accounts paid by the wallet may receive. */
function depositsOf(c: DecisionContext): Map<Address, bigint> {
  const deposits = new Map<Address, bigint>();
  for (const act of c.acts) {
    if (act.act === 'setMetadata') {
      const { metadata, surcharge = 0n } = act;
      if (metadata !== undefined) deposits.set(metadata, rentOf(c.inputs, METADATA_BYTES) + surcharge);
    }
    if (act.act === 'createPool')
      for (const { account, bytes } of act.makes) deposits.set(account, rentOf(c.inputs, madeBytes(bytes)));
  }
  return deposits;
}
