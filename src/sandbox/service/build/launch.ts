/** Drafts that launch a token: the custody bundle, the two-stage plan, the bare curve transaction. */
import { custodyMemo, launchMemo } from '../../../contract/stockPrograms.ts';
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address, LookupTableContent } from '../../../transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Keypair } from '../keys.ts';
import { baseOut } from '../records/pricing.ts';
import type { Launch, Venue } from '../state.ts';
import { budgetOf, type Draft } from './compile.ts';
import type { TablePlan } from './lookupTable.ts';
import { createTokenMint, openPool } from './pool.ts';
import {
  arriving,
  ata,
  createAccount,
  createAta,
  initializeMint,
  memo,
  mintTo,
  sealMint,
  systemTransfer,
  transfer,
  unwrap,
  wrap,
} from './tokens.ts';

/** A tip the caller asked for. */
export interface Tip {
  readonly wallet: Address;
  readonly lamports: bigint;
}

const LAUNCH_UNITS = 500_000;
const MINT_BYTES = 82;

/** Base units a first buy of `spend` quote units gets out of a pool without any trade. */
export function firstBuyOut(service: ServiceContext, venue: Venue, spend: bigint): bigint {
  const reserves = { base: venue.supply, quote: venue.virtualQuote, realQuote: 0n };
  return spend === 0n ? 0n : baseOut(reserves, arriving(service.asset(venue.quoteMint), spend));
}

/** Pays exactly `spend` into the pool and takes what that buys. Wallet and pool authority sign. */
function firstBuy(
  service: ServiceContext,
  wallet: Address,
  venue: Venue,
  spend: bigint,
): EncodedInstruction[] {
  if (spend === 0n) return [];
  const quote = service.asset(venue.quoteMint);
  const base = { mint: venue.baseMint, tokenProgram: venue.baseTokenProgram, decimals: 6 };
  const native = quote.mint === WSOL_MINT;
  return [
    ...(native ? wrap(wallet, spend) : []),
    transfer(quote, ata(wallet, quote), venue.quoteVault, wallet, spend),
    createAta(wallet, wallet, base),
    transfer(base, venue.baseVault, ata(wallet, base), venue.authority, firstBuyOut(service, venue, spend)),
    ...(native ? [unwrap(wallet)] : []),
  ];
}

/** A locked position as an NFT: one token of a sealed mint, held by the custody authority. */
function createPosition(service: ServiceContext, payer: Address, mint: Address): EncodedInstruction[] {
  const authority = service.keys.launchAuthority.address;
  const rent = service.onchain.rent(MINT_BYTES);
  return [
    createAccount(payer, mint, rent, MINT_BYTES, TOKEN_2022_PROGRAM),
    initializeMint(TOKEN_2022_PROGRAM, mint, 0, authority),
  ];
}

function depositPosition(service: ServiceContext, payer: Address, mint: Address): EncodedInstruction[] {
  const { launchAuthority, custodyAuthority } = service.keys;
  const asset = { mint, tokenProgram: TOKEN_2022_PROGRAM };
  return [
    createAta(payer, custodyAuthority.address, asset, 'associatedToken.create'),
    mintTo(TOKEN_2022_PROGRAM, mint, ata(custodyAuthority.address, asset), launchAuthority.address, 1n),
    sealMint(TOKEN_2022_PROGRAM, mint, launchAuthority.address),
  ];
}

/** `CREATE_TOKEN`: the token's mint and the treasury position's. */
export function custodyCreateToken(service: ServiceContext, wallet: Address, launch: Launch): Draft {
  const { keys } = service;
  const treasury = keys.position(launch.tokenMint, 'treasury');
  return draft(
    'v0',
    wallet,
    [...createTokenMint(service, wallet, launch), ...createPosition(service, wallet, treasury.address)],
    [keyOfMint(service, launch), keys.launchAuthority, treasury],
  );
}

/** `LAUNCH`: pool, both locked positions, first buy; all or nothing. */
export function custodyLaunch(
  service: ServiceContext,
  wallet: Address,
  venue: Venue,
  spend: bigint,
  table: TablePlan,
): Draft {
  const { keys } = service;
  const { baseMint, feeClaimer, partner } = venue;
  const [treasury, claimer] = [keys.position(baseMint, 'treasury'), keys.position(baseMint, 'feeClaimer')];
  const instructions = [
    ...openPool(service, wallet, venue),
    ...createPosition(service, wallet, claimer.address),
    ...depositPosition(service, wallet, treasury.address),
    ...depositPosition(service, wallet, claimer.address),
    memo(custodyMemo(feeClaimer ?? wallet, partner), [keys.launchAuthority.address]),
    ...firstBuy(service, wallet, venue, spend),
  ];
  return {
    ...draft('v0', wallet, instructions, [keys.launchAuthority, claimer, keys.poolAuthority(baseMint)]),
    tables: [{ table: table.table, addresses: table.addresses }],
  };
}

/** Every account of `LAUNCH` that does not sign. */
export function custodyTableEntries(service: ServiceContext, wallet: Address, venue: Venue): Address[] {
  const { keys } = service;
  const { baseMint, baseTokenProgram, quoteMint, quoteTokenProgram } = venue;
  const custody = keys.custodyAuthority.address;
  const position = (which: 'treasury' | 'feeClaimer') => ({
    mint: keys.position(baseMint, which).address,
    tokenProgram: TOKEN_2022_PROGRAM,
  });
  return [
    baseMint,
    quoteMint,
    venue.authority,
    venue.baseVault,
    venue.quoteVault,
    custody,
    position('treasury').mint,
    ata(custody, position('treasury')),
    ata(custody, position('feeClaimer')),
    ata(wallet, { mint: baseMint, tokenProgram: baseTokenProgram }),
    ata(wallet, { mint: quoteMint, tokenProgram: quoteTokenProgram }),
  ];
}

/** Stage `launch-1` of a plan: the mint alone. */
export function launchMint(
  service: ServiceContext,
  wallet: Address,
  launch: Launch,
  format: 'v0' | 'v1',
): Draft {
  return draft(format, wallet, createTokenMint(service, wallet, launch), [
    keyOfMint(service, launch),
    service.keys.launchAuthority,
  ]);
}

/** Stage `launch-2` of a plan: the pool, named after its config, the first buy, the tip. */
export function launchPool(
  service: ServiceContext,
  wallet: Address,
  venue: Venue,
  options: {
    readonly format: 'v0' | 'v1';
    readonly spend: bigint;
    readonly tip: Tip | undefined;
    readonly tables: readonly LookupTableContent[];
  },
): Draft {
  const { keys } = service;
  const instructions = [
    ...(options.tip === undefined ? [] : [systemTransfer(wallet, options.tip.wallet, options.tip.lamports)]),
    ...openPool(service, wallet, venue),
    memo(launchMemo(venue.configKey ?? ''), [keys.launchAuthority.address]),
    ...firstBuy(service, wallet, venue, options.spend),
  ];
  return {
    ...draft(options.format, wallet, instructions, [
      keys.launchAuthority,
      keys.poolAuthority(venue.baseMint),
    ]),
    tables: options.format === 'v0' ? options.tables : [],
  };
}

/** The bare curve launch: everything in one transaction, signed by the mint and the launch authority. */
export function curveDraft(
  service: ServiceContext,
  wallet: Address,
  launch: Launch,
  venue: Venue,
  spend: bigint,
  tip: Tip | undefined,
): Draft {
  const { keys } = service;
  const authority = keys.launchAuthority.address;
  const quote = service.asset(venue.quoteMint);
  const base = { mint: venue.baseMint, tokenProgram: venue.baseTokenProgram };
  const bought = firstBuyOut(service, venue, spend);
  const buy =
    spend === 0n
      ? []
      : [
          ...wrap(wallet, spend),
          transfer(quote, ata(wallet, quote), venue.quoteVault, wallet, spend),
          createAta(wallet, wallet, base),
          mintTo(base.tokenProgram, base.mint, ata(wallet, base), authority, bought),
          unwrap(wallet),
        ];
  const instructions = [
    ...(tip === undefined ? [] : [systemTransfer(wallet, tip.wallet, tip.lamports)]),
    ...createTokenMint(service, wallet, launch),
    createAta(wallet, venue.authority, base, 'associatedToken.create'),
    createAta(wallet, venue.authority, quote, 'associatedToken.create'),
    mintTo(base.tokenProgram, base.mint, venue.baseVault, authority, venue.supply - bought),
    ...buy,
    sealMint(base.tokenProgram, base.mint, authority),
    memo(launchMemo(venue.configKey ?? ''), [authority]),
  ];
  return draft('v0', wallet, instructions, [keyOfMint(service, launch), keys.launchAuthority]);
}

function draft(
  format: 'v0' | 'v1',
  wallet: Address,
  instructions: readonly EncodedInstruction[],
  signers: readonly Keypair[],
): Draft {
  return { format, feePayer: wallet, instructions, budget: budgetOf(LAUNCH_UNITS), signers };
}

function keyOfMint(service: ServiceContext, launch: Launch): Keypair {
  return service.keys.tokenMint(launch.serial);
}
