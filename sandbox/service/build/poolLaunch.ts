/**
 * Drafts that launch a token in a pool of DAMM v2 of its own, for those who earn from a fee share config. A position is
 * locked by its owner, and the fee share's authority cannot sign, so the service's key owns the positions until they are
 * locked and hands the claimers' over then.
 */

import { LAUNCH_DECIMALS } from '../../../src/contract/constants.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { Keypair } from '../../keypair.ts';
import { type CustodyTerms, custodyAuthority, openCustody } from '../../programs/custody.ts';
import {
  addLiquidity,
  createPosition,
  initializePool,
  lockPosition,
  type PoolParameters,
  type PoolTokens,
  poolAddress,
  poolSwap2,
  poolVault,
  positionNftAccount,
} from '../../programs/dammV2.ts';
import { feeShareAuthority } from '../../programs/feeShare.ts';
import type { ServiceContext } from '../context.ts';
import { pairOf } from '../records/configAccount.ts';
import { positionToken, singleSided, tokensOf } from '../records/pools.ts';
import type { IssuedConfig, Launch, PoolDeposits } from '../state.ts';
import { budgetFor, budgetOf, type Draft, MAX_UNITS } from './compile.ts';
import { configTypeOf, supplyOf } from './curveTerms.ts';
import type { LaunchBuild } from './launch.ts';
import { launchTable, tableEntriesOf } from './launchTable.ts';
import { broughtBy } from './simulated.ts';
import {
  ata,
  createAta,
  createMint,
  mintTo,
  systemTransfer,
  type TokenAsset,
  transfer,
  unwrap,
  wrap,
} from './tokens.ts';

const POOL_UNITS = 1_000_000;
/** Even a pool of the token alone takes a unit of the quote. */
const LEAST_QUOTE = 1n;

/** A launch in a pool: its two mints and terms, who earns, and who opens it. */
export interface PoolLaunch {
  readonly tokens: PoolTokens;
  readonly parameters: PoolParameters;
  /** All there is of the token, in base units. */
  readonly supply: bigint;
  /** Holds the fee claimers' position in the end; or, with terms, a custody holds both. */
  readonly recipient: Address | CustodyTerms;
  readonly deposits: PoolDeposits;
}

/** The launch of a token whose config was issued for a direct pool: by the config's type, for its claimers. */
export function directPool(
  service: ServiceContext,
  issued: IssuedConfig,
  quote: TokenAsset,
  deposits: PoolDeposits,
): PoolLaunch {
  const supply = supplyOf(issued.configType);
  const { feeBpsBefore } = configTypeOf(issued.configType);
  return {
    tokens: tokensOf(issued.baseMint, quote),
    parameters: singleSided(service, quote, supply, feeBpsBefore),
    supply,
    recipient: feeShareAuthority(pairOf(issued)),
    deposits,
  };
}

/**
 * The pool's transaction, over a lookup table of the service's own where the format needs one. The first buy is bound to
 * exactly what it brings: no trade can come before it.
 */
export async function openingDraft(
  service: ServiceContext,
  launch: Launch,
  pool: PoolLaunch,
  build: LaunchBuild,
): Promise<Draft> {
  const draft = bareOpening(service, launch, pool, build);
  if (build.format === 'v1') return draft;
  const table = await launchTable(service, launch.tokenMint, tableEntriesOf(draft));
  return { ...draft, tables: [...build.tables, table] };
}

/** The same without the service's table. */
export function bareOpening(
  service: ServiceContext,
  launch: Launch,
  pool: PoolLaunch,
  build: LaunchBuild,
): Draft {
  const parts = partsOf(service, launch, pool, build);
  return draftOf(parts, parts.positions, build, boughtFirst(service, launch, pool, parts, build));
}

/**
 * What the first buy takes out of the pool, found with all liquidity in one position: that is fewer instructions, so that
 * a token that is not on chain yet can be made beside it.
 */
function boughtFirst(
  service: ServiceContext,
  { tokenMint }: Launch,
  { tokens, supply }: PoolLaunch,
  parts: Parts,
  build: LaunchBuild,
): bigint {
  if (build.spend === 0n) return 0n;
  const { key, payer, opened } = parts;
  const token = { mint: tokenMint, tokenProgram: TOKEN_PROGRAM };
  const made = [
    ...createMint(build.wallet, tokenMint, TOKEN_PROGRAM, LAUNCH_DECIMALS, key.address, (bytes) =>
      service.onchain.rent(bytes),
    ),
    createAta(build.wallet, payer, token),
    mintTo(TOKEN_PROGRAM, tokenMint, ata(payer, token), key.address, supply),
  ];
  const before = service.onchain.mint(tokenMint) === undefined ? made : [];
  const left = (spend: bigint) => {
    const draft = draftOf(parts, [...before, opened], { ...build, spend }, 1n);
    const alone: Draft = { ...draft, format: 'v1', tables: [], budget: budgetOf(MAX_UNITS) };
    return broughtBy(service, alone, poolVault(tokenMint, poolAddress(tokens.mintA, tokens.mintB)));
  };
  return left(0n) - left(build.spend);
}

/** What both ways to put a launch together share. */
interface Parts {
  /** The service's key, owner of the positions until they are handed over. */
  readonly key: Keypair;
  /** Whose tokens the pool is opened with, and who pays for its accounts. */
  readonly payer: Address;
  readonly before: readonly EncodedInstruction[];
  readonly after: readonly EncodedInstruction[];
  /** The pool with all its liquidity in one position. */
  readonly opened: EncodedInstruction;
  /** The pool with its positions, locked. */
  readonly positions: readonly EncodedInstruction[];
  readonly signers: readonly Keypair[];
  readonly tokens: PoolTokens;
}

function partsOf(
  { keys, state }: ServiceContext,
  { tokenMint }: Launch,
  { tokens, parameters, supply, recipient, deposits }: PoolLaunch,
  { wallet }: LaunchBuild,
): Parts {
  const key = keys.launchAuthority;
  const [treasury, claimer] = [keys.position(tokenMint, 'treasury'), keys.position(tokenMint, 'feeClaimer')];
  const ours = deposits === 'wallet';
  const payer = ours ? wallet : key.address;
  const place = {
    owner: key.address,
    tokenA: ata(payer, { mint: tokens.mintA, tokenProgram: tokens.programA }),
    tokenB: ata(payer, { mint: tokens.mintB, tokenProgram: tokens.programB }),
  };
  const pool = poolAddress(tokens.mintA, tokens.mintB);
  const open = (nftMint: Address, liquidity: bigint) =>
    initializePool(tokens, { ...place, creator: key.address, nftMint, payer }, { ...parameters, liquidity });
  const lock = (nftMint: Address, liquidity: bigint) => lockPosition(pool, nftMint, key.address, liquidity);
  const whole = parameters.liquidity;
  const half = whole / 2n;
  const opened = open(claimer.address, whole);
  // What a wallet opens a pool with lies in accounts of the wallet, from which only its own position could be filled.
  const positions = ours
    ? [
        opened,
        lock(claimer.address, whole),
        ...(typeof recipient === 'string' ? handOver(claimer.address, key.address, recipient, payer) : []),
      ]
    : [
        open(treasury.address, half),
        createPosition(pool, key.address, claimer.address, payer),
        addLiquidity(tokens, { ...place, nftMint: claimer.address }, whole - half, supply, 0n),
        lock(treasury.address, half),
        lock(claimer.address, whole - half),
        ...(typeof recipient === 'string'
          ? []
          : intoCustody(pool, key.address, recipient, state.claimerPosition === 'wallet')),
      ];
  const wraps = deposits === 'service-wraps' && tokens.mintB === WSOL_MINT;
  return {
    ...{ key, payer, opened, tokens },
    before: wraps ? wrap(key.address, LEAST_QUOTE) : [],
    after: wraps ? [unwrap(key.address)] : [],
    positions,
    signers: ours ? [key, claimer] : [key, claimer, treasury],
  };
}

function draftOf(
  { key, payer, before, after, signers, tokens }: Parts,
  positions: readonly EncodedInstruction[],
  { wallet, spend, tip, format, tables }: LaunchBuild,
  minOut: bigint,
): Draft {
  const needed = tokens.mintB === WSOL_MINT ? spend + (payer === key.address ? 0n : LEAST_QUOTE) : 0n;
  return {
    format,
    feePayer: wallet,
    instructions: [
      ...(tip === undefined ? [] : [systemTransfer(wallet, tip.wallet, tip.lamports)]),
      ...before,
      ...(needed > 0n ? wrap(wallet, needed) : []),
      ...positions,
      ...(spend === 0n ? [] : firstBuy(tokens, wallet, spend, minOut)),
      ...(needed > 0n ? [unwrap(wallet)] : []),
      ...after,
    ],
    budget: budgetOf(POOL_UNITS),
    tables: format === 'v0' ? tables : [],
    signers,
  };
}

/**
 * The transaction that gives the claimers' position to the fee share, after one that makes two positions: the chain runs at
 * most 64 instructions in a transaction, those that programs call included, and the pool's uses them up.
 */
export function handOverDraft(
  { keys }: ServiceContext,
  { tokenMint }: Launch,
  recipient: Address,
  { wallet, format }: LaunchBuild,
): Draft {
  const key = keys.launchAuthority;
  const nftMint = keys.position(tokenMint, 'feeClaimer').address;
  const instructions = handOver(nftMint, key.address, recipient, key.address);
  return { format, feePayer: wallet, instructions, budget: budgetFor(instructions.length), signers: [key] };
}

/** Opens the custody and makes it the owner of the accounts that the NFTs lie in; or the fee claimer of its own. */
function intoCustody(
  pool: Address,
  key: Address,
  terms: CustodyTerms,
  claimerHolds: boolean,
): EncodedInstruction[] {
  const custody = custodyAuthority(pool);
  const owned = (nftMint: Address, newAuthority: Address) =>
    encodeInstruction('token.setAuthority', {
      program: TOKEN_2022_PROGRAM,
      accounts: { owned: positionNftAccount(nftMint), authority: key },
      args: { authorityType: 'accountOwner', newAuthority },
    });
  return [
    openCustody(key, pool, terms),
    owned(terms.treasuryNft, custody),
    owned(terms.claimerNft, claimerHolds ? terms.feeClaimer : custody),
  ];
}

/** Gives a position to another holder: its NFT moves to the holder's associated account. */
function handOver(nftMint: Address, from: Address, to: Address, payer: Address): EncodedInstruction[] {
  const nft = positionToken(nftMint);
  return [createAta(payer, to, nft), transfer(nft, positionNftAccount(nftMint), ata(to, nft), from, 1n)];
}

function firstBuy(
  { mintA, programA, mintB, programB }: PoolTokens,
  wallet: Address,
  spend: bigint,
  minOut: bigint,
): EncodedInstruction[] {
  const base = { mint: mintA, tokenProgram: programA };
  const sides = {
    input: ata(wallet, { mint: mintB, tokenProgram: programB }),
    output: ata(wallet, base),
    payer: wallet,
  };
  const tokens = { mintA, programA, mintB, programB };
  return [createAta(wallet, wallet, base), poolSwap2(tokens, sides, spend, minOut)];
}
