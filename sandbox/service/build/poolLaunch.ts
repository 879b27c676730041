/**
 * Drafts that launch a token in its own pool of DAMM v2 for the claimers of a fee share config. Only the owner can lock a
 * position and the fee share's authority cannot sign, so the service owns the positions until they are locked and then
 * transfers the claimers' position.
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
/** Quote units that a pool of the token alone still needs. */
const LEAST_QUOTE = 1n;

/** A launch in a pool: mints, terms, recipient of the fees, and depositor. */
export interface PoolLaunch {
  readonly tokens: PoolTokens;
  readonly parameters: PoolParameters;
  /** Supply in base units. */
  readonly supply: bigint;
  /** The final holder of the fee claimers' position; with terms, a custody holds both positions. */
  readonly recipient: Address | CustodyTerms;
  readonly deposits: PoolDeposits;
}

/** Returns the launch of a config that was issued for a direct pool. */
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
 * Builds the pool's transaction, with a lookup table of the service in the v0 format. The first buy requires its exact
 * output, since no trade can precede it.
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

/** Builds the pool's transaction without a table. */
export function bareOpening(
  service: ServiceContext,
  launch: Launch,
  pool: PoolLaunch,
  build: LaunchBuild,
): Draft {
  const parts = partsOf(service, launch, pool, build);
  return draftOf(parts, parts.positions, build, firstBuyOutput(service, launch, pool, parts, build));
}

/**
 * Returns the output of the first buy, simulated with all liquidity in one position: with fewer instructions, the token's
 * creation fits the same transaction.
 */
function firstBuyOutput(
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

/** Shared parts of the simulated and the final transaction. */
interface Parts {
  /** The service's key, which owns the positions until their transfer. */
  readonly key: Keypair;
  /** The depositor, who pays for the pool's accounts. */
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
  // A wallet's deposit lies in its own accounts, which can fill only one position.
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
          : custodyInstructions(pool, key.address, recipient, state.claimerPosition === 'wallet')),
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
 * Builds the transfer of the claimers' position to the fee share. A transaction of its own, since a transaction runs at most
 * 64 instructions, inner ones included, and the pool's reaches that limit.
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

/** Opens the custody and transfers the NFT accounts to it; the claimer's account to the claimer if `claimerHolds`. */
function custodyInstructions(
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

/** Transfers a position: its NFT moves to the recipient's associated account. */
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
