/**
 * A launch in a pool of its own: the token is made and its whole supply goes into the pool, all liquidity is locked for
 * good, and the fee share of the token gets the position that earns. Who pays for the pool, and in how many stages it
 * comes, may differ; nothing of the wallet goes in but what was asked for.
 */
import { LAUNCH_DECIMALS } from '../../../../contract/constants.ts';
import type { Act } from '../../../../programs/acts.ts';
import { positionNftAccountAddress } from '../../../../programs/dammV2/addresses.ts';
import { feeShareAuthorityAddress } from '../../../../programs/feeShare/addresses.ts';
import { METADATA_BYTES, METADATA_FEE } from '../../../../programs/tokenMetadata/addresses.ts';
import { associatedTokenAddress } from '../../../../transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Amounts, add, amountsOf } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import {
  assetOf,
  type DecisionContext,
  mintAt,
  rentOf,
  saidAmount,
  tokenAccountAt,
} from '../../decisionContext.ts';
import { all, amountIs, atMost, type Clause, clause, exactly, inWords, same, take } from '../clauses.ts';
import { madeBytes } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import type { Matched } from '../operation.ts';
import { isOwnAccount, ownAccounts, tipClauses, tipOf, wrapping } from '../ownAccounts.ts';
import { doneWith, type Run, runOf } from '../run.ts';
import { recipientsOf } from '../sharing/config.ts';
import { CLAIMERS_UNSUPPORTED, isSharedElsewhere } from '../sharing/elsewhere.ts';
import { checkShare } from './feeShare.ts';
import { boughtFirst, buyOf, firstBuy, mayLaunch } from './firstBuy.ts';
import { checkPositions, checkSupply } from './liquidity.ts';
import { calledAs } from './names.ts';
import { askAboutHolders, holdersOf } from './parties.ts';
import { askAboutPool, askedType, DEFAULT_TYPE } from './terms.ts';

/** Even a pool of the token alone takes a little of the quote: base units the wallet may add. */
export const MAX_QUOTE = 1_000n;
/** Bytes of a mint with what Token-2022 may add to it. */
const MINT_BYTES = 512;

/** The endpoint whose launches leave the positions with an unsupported program. */
export const CUSTODY_ENDPOINT = 'dammLaunch';
/** All accounts a custody program makes out of sight, together. */
const MAX_UNREAD_BYTES = 8 * 1024;

/** Compares a stage of a launch into a pool with the request. */
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
  // Who buys pays for what is done by then: a lock or a sealed mint that is only promised may never land (T141).
  const trades = opens || c.acts.some(({ act }) => act === 'swap');
  const due = trades ? { ...run, all: doneWith(c) } : run;
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
  const bought = boughtFirst(taken);
  const supply = supplyOf(c, run, mint);
  // Where an instruction of the run is not read it may lock and hand over; the question says so.
  if (run.unreadable === 0 && !due.all.some(({ act }) => act === 'unsupported')) {
    checkPositions(run, due, earns, list);
    checkSupply(due, mint, supply, list);
  }
  const holders = holdersOf(due, earns);
  if (!isHeld) askAboutHolders(c, run, holders, earns, list);
  askAboutOpening(c, run, isHeld, supply, quoteMint, list);
  const leastIn: Amounts = new Map();
  add(leastIn, mint, bought);
  const mostOut = amountsOf(isIt || c.opaque.length === 0 ? expected.mostOut : []);
  add(mostOut, 'SOL', MAX_QUOTE);
  if (c.opaque.length > 0) add(mostOut, 'SOL', surchargeOf(c, run, mint));
  if (isFresh) add(mostOut, mint, supply);
  const buys = buy > 0n && isIt;
  const counted = opens ? { read: { bought, supply } } : {};
  return {
    recipients: recipientsOf(expected),
    leastIn,
    mostOut,
    deposits: depositsOf(c),
    ...(c.opaque.length > 0 ? { mostRent: rentOf(c.inputs, MAX_UNREAD_BYTES) } : {}),
    ...(isFresh ? { made: mint } : {}),
    ...(other === undefined ? {} : { hidden: CLAIMERS_UNSUPPORTED }),
    mints: buys ? [quoteMint] : [],
    reach: [mint, quoteMint],
    pool: { held: isHeld ? [...holders.keys()] : [] },
    ...(buys ? { firstBuy: { mint, quoteMint, paid: buy, ...counted } } : {}),
  };
}

/** Asks about the terms that the run opens its pool with. A custody launch has no type, so its pool is held to the default one. */
function askAboutOpening(
  c: DecisionContext,
  { all }: Run,
  isHeld: boolean,
  supply: bigint,
  quote: Address,
  list: Checklist,
): void {
  const opened = all.find((act) => act.act === 'createPool');
  const type = isHeld ? DEFAULT_TYPE : askedType(c, null, undefined, list);
  if (opened?.terms !== undefined) askAboutPool(c, opened.terms, type, supply, quote, list);
  if (opened?.config !== undefined) list.ask('TERM_UNKNOWN', 'poolSettings', { observed: opened.config });
}

/**
 * What is taken for the name of the token beside an unsupported instruction: by the bytes, or perhaps by that while
 * the token is not there. Where all is read it is part of a named deposit.
 */
function surchargeOf(c: DecisionContext, run: Run, mint: Address): bigint {
  const named = (acts: readonly Act[]) =>
    acts.flatMap((act) => (act.act === 'setMetadata' ? [act.surcharge ?? 0n] : []));
  const mayBeHidden = named(run.all).length === 0 && mintAt(c, mint) === undefined;
  return named(c.acts).reduce((sum, each) => sum + each, mayBeHidden ? METADATA_FEE : 0n);
}

/** Who gets a position of this run, where that is an account of another program that may share fees in this quote. */
const shareElsewhere = (c: DecisionContext, run: Run, quoteMint: Address): Address | undefined =>
  run.all
    .flatMap((act) => (act.act === 'openPosition' || act.act === 'openAccount' ? (act.owner ?? []) : []))
    .find((owner) => isSharedElsewhere(c, run, quoteMint, owner));

/** The positions go to a custody. Who that is no instruction says that is read; they were never the wallet's. */
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

/** All there is of the token: what the run mints, or what there is already. */
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
 * Whether what the wallet has of the token can only be the supply that this run makes: the token is made in it, by now, and
 * nothing of it was bought yet. What the wallet has of a token that was there before is its own (T138).
 */
const holdsOnlySupply = (c: DecisionContext, { before }: Run, mint: Address): boolean =>
  makes(doneWith(c), mint) && !before.some(({ act }) => act === 'swap');

/** The token: made once, with the link that was asked for, and no key can mint more of it afterwards. */
function tokenClauses(
  c: DecisionContext,
  { baseMint: mint = '', token }: ExpectedOutcome,
  run: Run,
): Clause[] {
  const isMade = makes(run.all, mint);
  const there = mintAt(c, mint);
  const once = [isMade ? 1 : 0, 1] as const;
  // A token made before, by a run this home does not know, may still have a key that can mint it.
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

/** The pool, its positions with all liquidity locked, and the position of the fee share. */
function poolClauses(
  c: DecisionContext,
  { baseMint: mint = '', quoteMint = WSOL_MINT }: ExpectedOutcome,
  run: Run,
  authority: Address,
  isFresh: boolean,
): Clause[] {
  const opened = run.all.find((act) => act.act === 'createPool');
  const pool = opened?.pool;
  // The wallet pays for what stands around a pool only where it pays for the pool.
  const paysHere = (payer: Address | undefined) =>
    payer === undefined || !c.own.has(payer) || payer === opened?.payer;
  // Without the token's beginning in this run, only what is left of a launch can follow.
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
            saidAmount(c, units, assetOf(asset)),
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

/** What other keys do with what is theirs: they wrap SOL for the pool, and unwrap what is left. */
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

/** What accounts that the wallet pays for may be given above their rent. */
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
