/**
 * A launch, by bundle, plan or bare transaction. The wallet pays rent, may tip, and may buy first; everything else
 * is done by the service's keys. Who earns is written down in a memo signed by the service: a fee claimer, or a
 * fee share config.
 */
import { LAUNCH_DECIMALS } from '../../../contract/stockPrograms.ts';
import type { StageStatus } from '../../../plan/types.ts';
import type { InstructionOf } from '../../../programs/instructions.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import {
  assetOf,
  type DecisionContext,
  isOwnAssociated,
  isOwnTokenAccount,
  mintAt,
  rentOf,
  tokenAccountAt,
} from '../decisionContext.ts';
import type { Facts } from '../types.ts';
import { tipPart } from './config/config.ts';
import { launchRecipients, type RequestedLaunch, requestedLaunch } from './launchRequest.ts';
import { lookupTableClose, lookupTableDeactivate, lookupTableSetup } from './lookupTables.ts';
import { all, atMost, exactly, part, place, placedAs, staysOurs, type Times, type Verdict } from './parts.ts';
import { askedFormat, type Bound, type Profile } from './profile.ts';

export const launch: Profile = {
  stages: {
    lookup_table_setup: lookupTableSetup,
    create_token: bindLaunch,
    launch: bindLaunch,
    lookup_table_deactivate: lookupTableDeactivate,
    lookup_table_close: lookupTableClose,
  },
  feePayer: 'wallet',
  formats: (facts: Facts): readonly TransactionFormat[] =>
    facts.plan.endpoint === 'curveLaunch' ? ['legacy', 'v0'] : askedFormat(facts),
};

/** Room for name, symbol and link in a mint's metadata, and the most a new account may hold before it. */
const METADATA_BYTES = 1024;
const MOST_SPACE = 1024n;
/** All accounts a launch makes out of sight, together: pool, positions, mints, vaults, metadata. */
const MOST_UNREAD_BYTES = 8 * 1024;
const NEVER: Times = [0, 0];

type Transfer = InstructionOf<'token.transferChecked'> | InstructionOf<'transferFee.transferCheckedWithFee'>;
type NewAccount = InstructionOf<'associatedToken.create'> | InstructionOf<'associatedToken.createIdempotent'>;

function bindLaunch(c: DecisionContext, list: Checklist): Bound {
  const wanted = requestedLaunch(c);
  const { mint, quoteMint, buy, tip } = wanted;
  // The stage that mints the supply is the launch itself; whatever comes before it only makes accounts.
  const main =
    c.opaque.length > 0
      ? launchesUnread(c, mint)
      : c.instructions.some((i) => i.kind === 'token.mintTo' && i.accounts.mint.address === mint);
  const buys = main && buy > 0n;
  const parts = { ...accountParts(c, wanted), ...mainParts(c, wanted, main), ...buyParts(c, wanted, buys) };
  const placed = place(c, [tipPart(c, tip, main ? [1, 1] : NEVER), ...Object.values(parts)], list);

  const sum = (items: readonly { readonly args: { readonly amount: bigint } }[]) =>
    items.reduce((total, { args }) => total + args.amount, 0n);
  const minted = sum(placedAs(placed, parts.boughtNew, 'token.mintTo'));
  const bought = sum(placedAs(placed, parts.bought, 'token.transferChecked')) + minted;
  // What an earlier transaction minted, for any owner, is part of the whole supply.
  const before = mintAt(c, mint)?.supply ?? 0n;
  const supply = before + sum(placedAs(placed, parts.supply, 'token.mintTo')) + minted;
  const read = c.opaque.length > 0 ? {} : { read: { bought, supply } };
  const leastIn: Amounts = new Map();
  add(leastIn, mint, bought);
  const mostOut: Amounts = new Map();
  if (buys) add(mostOut, assetOf(quoteMint), buy);
  if (main) add(mostOut, 'SOL', tip?.lamports ?? 0n);
  return {
    recipients: launchRecipients(c, wanted, list),
    leastIn,
    mostOut,
    ...(c.opaque.length > 0 ? { mostRent: rentOf(c.facts, MOST_UNREAD_BYTES) } : {}),
    mints: buys ? [quoteMint] : [],
    reach: [mint, quoteMint],
    ...(buys ? { firstBuy: { mint, quoteMint, paid: buy, ...read } } : {}),
  };
}

/**
 * Whether a stage that is not read is the one that launches, so that what the request lets leave leaves once: the last
 * of its kind, and none while another may have done it already (T76).
 */
function launchesUnread({ facts, accounts }: DecisionContext, mint: Address): boolean {
  const launches = facts.siblings.filter(({ stage }) => stage.kind === 'launch');
  const isLast = launches.at(-1)?.stage.id === facts.stage.id;
  const minted = (mintAt({ accounts }, mint)?.supply ?? 0n) > 0n;
  const begun = launches.some(
    ({ stage, status }) =>
      stage.id !== facts.stage.id && !NOT_SIGNED.includes(status) && (minted || !LANDED.includes(status)),
  );
  return isLast && !begun;
}

const NOT_SIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];
const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];

/** Mints with their metadata, and token accounts, all paid for by the wallet. */
function accountParts(c: DecisionContext, { mint, quoteMint, positions, uri }: RequestedLaunch) {
  const made = new Set([mint, ...positions]);
  // A token made here carries the link that was asked for from its first moment.
  const creates = c.instructions.some(
    (i) => i.kind === 'token.initializeMint2' && i.accounts.mint.address === mint,
  );
  const foreign = (address: Address) => !c.own.has(address);
  const pool = poolAuthority(c, mint);
  /** Accounts of the token and its quote for the pool or the wallet; of a position for its keeper. */
  const isPaidFor = ({ accounts }: NewAccount) => {
    if (accounts.payer.address !== c.wallet) return false;
    if (positions.includes(accounts.mint.address)) return true;
    const holder = accounts.owner.address;
    const pooled = accounts.mint.address === mint || accounts.mint.address === quoteMint;
    return pooled && (holder === c.wallet || holder === pool);
  };
  return {
    account: part('new account', 'system.createAccount', [0, 3], ({ accounts, args }) => {
      const most = rentOf(c.facts, Number(args.space) + METADATA_BYTES);
      const isMint = TOKEN_PROGRAMS.includes(args.owner) && args.space <= MOST_SPACE;
      return (
        accounts.payer.address === c.wallet &&
        all(
          exactly('token mint', accounts.newAccount.address, made.has(accounts.newAccount.address)),
          exactly('kind of new account', args.owner, isMint),
          atMost('rent of a new account', args.lamports, most),
        )
      );
    }),
    pointer: part(
      'metadata pointer',
      'metadataPointer.initialize',
      [0, 1],
      ({ accounts, args }) =>
        accounts.mint.address === mint && args.metadataAddress === mint && !c.own.has(args.authority ?? ''),
    ),
    newMint: part('new mint', 'token.initializeMint2', [0, 3], ({ accounts, args }) => {
      const decimals = accounts.mint.address === mint ? LAUNCH_DECIMALS : 0;
      const authorities = foreign(args.mintAuthority) && args.freezeAuthority === null;
      return (
        made.has(accounts.mint.address) &&
        all(
          exactly('authorities of the token', args.mintAuthority, authorities),
          exactly('decimals of the token', args.decimals, args.decimals === decimals),
        )
      );
    }),
    metadata: part(
      'token metadata',
      'tokenMetadata.initialize',
      creates ? [1, 1] : NEVER,
      ({ accounts, args }) =>
        accounts.mint.address === mint &&
        accounts.metadata.address === mint &&
        all(exactly('metadata link', args.uri.length, args.uri === uri)),
    ),
    vault: part('token account', 'associatedToken.create', [0, 6], isPaidFor),
    vaultIfMissing: part('token account', 'associatedToken.createIdempotent', [0, 6], isPaidFor),
  };
}

/** Who holds the pool's vaults: the owner of the new account the supply is minted into. */
function poolAuthority(c: DecisionContext, mint: Address): Address | undefined {
  const vaults = c.instructions.flatMap((i) =>
    i.kind === 'token.mintTo' && i.accounts.mint.address === mint ? [i.accounts.account.address] : [],
  );
  for (const i of c.instructions) {
    if (i.kind !== 'associatedToken.create' && i.kind !== 'associatedToken.createIdempotent') continue;
    const { associatedToken, owner } = i.accounts;
    if (vaults.includes(associatedToken.address) && !c.own.has(owner.address)) return owner.address;
  }
  return undefined;
}

/** The supply goes to the pool and minting ends; the positions are made; the memo says who earns. */
function mainParts(c: DecisionContext, { mint, positions, memo }: RequestedLaunch, main: boolean) {
  const foreign = (address: Address) => !c.own.has(address);
  const once: Times = main ? [1, 1] : NEVER;
  const seals = ({ accounts, args }: InstructionOf<'token.setAuthority'>) =>
    args.authorityType === 'mintTokens' && args.newAuthority === null && foreign(accounts.authority.address);
  const toOthers = ({ program, accounts }: InstructionOf<'token.mintTo'>) =>
    foreign(accounts.mintAuthority.address) &&
    !isOwnAssociated(c, accounts.account.address, accounts.mint.address, program);
  return {
    supply: part('supply', 'token.mintTo', once, (i) => i.accounts.mint.address === mint && toOthers(i)),
    position: part(
      'position',
      'token.mintTo',
      [0, 2],
      (i) => positions.includes(i.accounts.mint.address) && toOthers(i) && i.args.amount === 1n,
    ),
    seal: part(
      'sealed supply',
      'token.setAuthority',
      once,
      (i) => seals(i) && i.accounts.owned.address === mint,
    ),
    sealPosition: part(
      'sealed position',
      'token.setAuthority',
      [0, 2],
      (i) => seals(i) && positions.includes(i.accounts.owned.address),
    ),
    memo: part(
      'who earns',
      'memo.memo',
      once,
      ({ args, rest }): Verdict =>
        rest.length > 0 &&
        rest.every((account) => foreign(account.address)) &&
        all([args.text === memo, () => ({ wrong: 'who earns', allowed: memo })]),
    ),
  };
}

/** The initial buy: exactly what was asked leaves, tokens of the launch arrive (T26). */
function buyParts(c: DecisionContext, { mint, quoteMint, buy }: RequestedLaunch, buys: boolean) {
  const once: Times = buys ? [1, 1] : NEVER;
  const wraps: Times = buys && quoteMint === WSOL_MINT ? [0, 1] : NEVER;
  const ownWrapped = (account: Address) => isOwnAssociated(c, account, WSOL_MINT, TOKEN_PROGRAM);
  const pays = ({ program, accounts, args }: Transfer): Verdict =>
    accounts.mint.address === quoteMint &&
    accounts.authority.address === c.wallet &&
    isOwnTokenAccount(c, accounts.source.address, quoteMint, program) &&
    !c.own.has(tokenAccountAt(c, accounts.destination.address)?.owner ?? '') &&
    all(exactly('initial buy', args.amount, args.amount === buy, buy));
  return {
    wrap: part(
      'wrapping',
      'system.transfer',
      wraps,
      ({ accounts, args }) =>
        accounts.from.address === c.wallet &&
        ownWrapped(accounts.to.address) &&
        all(
          atMost('initial buy', args.lamports, buy),
          staysOurs(c, accounts.to.address, WSOL_MINT, TOKEN_PROGRAM),
        ),
    ),
    sync: part('wrapped balance', 'token.syncNative', wraps, ({ accounts }) =>
      ownWrapped(accounts.account.address),
    ),
    // One part in two spellings: quote mints with transfer fees are paid with the other instruction.
    buy: part('initial buy', 'token.transferChecked', once, pays),
    buyWithFee: part('initial buy', 'transferFee.transferCheckedWithFee', once, pays),
    // Out of the pool, or on a curve newly minted.
    bought: part(
      'bought tokens',
      'token.transferChecked',
      once,
      ({ program, accounts, args }) =>
        accounts.mint.address === mint &&
        !c.own.has(accounts.authority.address) &&
        isOwnAssociated(c, accounts.destination.address, mint, program) &&
        args.amount > 0n &&
        all(staysOurs(c, accounts.destination.address, mint, program)),
    ),
    boughtNew: part(
      'bought tokens',
      'token.mintTo',
      once,
      ({ program, accounts, args }) =>
        accounts.mint.address === mint &&
        !c.own.has(accounts.mintAuthority.address) &&
        isOwnAssociated(c, accounts.account.address, mint, program) &&
        args.amount > 0n &&
        all(staysOurs(c, accounts.account.address, mint, program)),
    ),
    unwrap: part(
      'unwrapping',
      'token.closeAccount',
      wraps,
      ({ accounts }) =>
        ownWrapped(accounts.account.address) &&
        accounts.owner.address === c.wallet &&
        accounts.destination.address === c.wallet,
    ),
  };
}
