/** Drafts that launch a token on the bonding curve, with an optional first buy. */
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address, LookupTableContent } from '../../../src/transaction/types.ts';
import { type CurvePool, curveSwap2, initializeCurvePool } from '../../programs/dbc.ts';
import type { ServiceContext } from '../context.ts';
import type { Tip } from '../records/wallet.ts';
import type { Launch } from '../state.ts';
import { budgetOf, type Draft } from './compile.ts';
import { broughtBy } from './simulated.ts';
import { ata, createAta, systemTransfer, unwrap, wrap } from './tokens.ts';

const LAUNCH_UNITS = 600_000;

/** Options of a launch. */
export interface LaunchBuild {
  readonly wallet: Address;
  readonly format: 'v0' | 'v1';
  /** Quote units spent on a first buy. */
  readonly spend: bigint;
  readonly tip?: Tip | undefined;
  readonly tables: readonly LookupTableContent[];
}

/**
 * Builds token, metadata, pool and first buy in one transaction, signed by the token's key. The first buy requires its exact
 * output, since no trade can precede it.
 */
export function curveLaunch(
  service: ServiceContext,
  launch: Launch,
  place: CurvePool,
  build: LaunchBuild,
): Draft {
  const bound = (minOut: bigint) => draftOf(service, launch, place, build, minOut);
  if (build.spend === 0n) return bound(0n);
  const bought = ata(build.wallet, { mint: place.baseMint, tokenProgram: TOKEN_PROGRAM });
  return bound(broughtBy(service, bound(1n), bought));
}

function draftOf(
  service: ServiceContext,
  launch: Launch,
  place: CurvePool,
  { wallet, format, spend, tip, tables }: LaunchBuild,
  minOut: bigint,
): Draft {
  const { name, symbol, uri } = launch;
  const instructions = [
    ...(tip === undefined ? [] : [systemTransfer(wallet, tip.wallet, tip.lamports)]),
    initializeCurvePool({ ...place, creator: wallet, payer: wallet }, { name, symbol, uri }),
    ...(spend === 0n ? [] : firstBuy(place, wallet, spend, minOut)),
  ];
  return {
    format,
    feePayer: wallet,
    instructions,
    budget: budgetOf(LAUNCH_UNITS),
    tables: format === 'v0' ? tables : [],
    signers: [service.keys.tokenMint(launch.serial)],
  };
}

function firstBuy(place: CurvePool, wallet: Address, spend: bigint, minOut: bigint): EncodedInstruction[] {
  const base = { mint: place.baseMint, tokenProgram: TOKEN_PROGRAM };
  const quote = { mint: place.quoteMint, tokenProgram: place.quoteProgram };
  const native = place.quoteMint === WSOL_MINT;
  const swap = { input: ata(wallet, quote), output: ata(wallet, base), payer: wallet, withLaunch: true };
  return [
    ...(native ? wrap(wallet, spend) : []),
    createAta(wallet, wallet, base),
    curveSwap2(place, swap, spend, minOut),
    ...(native ? [unwrap(wallet)] : []),
  ];
}
