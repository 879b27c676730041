/** Preparation of a pool launch: the token, and the service's deposits. */
import { LAUNCH_DECIMALS } from '../../../src/contract/constants.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { createMetadata } from '../../programs/tokenMetadata.ts';
import type { ServiceContext } from '../context.ts';
import type { Launch } from '../state.ts';
import { budgetOf, type Draft } from './compile.ts';
import type { LaunchBuild } from './launch.ts';
import {
  ata,
  createAta,
  createMint,
  mintTo,
  sealMint,
  systemTransfer,
  type TokenAsset,
  wrap,
} from './tokens.ts';

const TOKEN_UNITS = 300_000;
/** The service's stock of a quote token for deposits, and its SOL for the rent of accounts. */
const [STOCK_OF_QUOTE, SOL_FOR_POOLS] = [100_000n, 10_000_000_000n];

/** Creates the token with its metadata, mints the supply to `holder` and revokes the mint authority. */
export function tokenDraft(
  service: ServiceContext,
  launch: Launch,
  { wallet, format }: Pick<LaunchBuild, 'wallet' | 'format'>,
  supply: bigint,
  holder: Address,
): Draft {
  const { name, symbol, uri, tokenMint } = launch;
  const { launchAuthority } = service.keys;
  const authority = launchAuthority.address;
  const token = { mint: tokenMint, tokenProgram: TOKEN_PROGRAM };
  const named = {
    mint: tokenMint,
    mintAuthority: authority,
    payer: wallet,
    updateAuthority: authority,
    updateAuthoritySigns: true,
  };
  return {
    format,
    feePayer: wallet,
    instructions: [
      ...createMint(wallet, tokenMint, TOKEN_PROGRAM, LAUNCH_DECIMALS, authority, (bytes) =>
        service.onchain.rent(bytes),
      ),
      createMetadata(named, { name, symbol, uri, mutable: false }),
      createAta(wallet, holder, token),
      mintTo(TOKEN_PROGRAM, tokenMint, ata(holder, token), authority, supply),
      sealMint(TOKEN_PROGRAM, tokenMint, authority),
    ],
    budget: budgetOf(TOKEN_UNITS),
    signers: [service.keys.tokenMint(launch.serial), launchAuthority],
  };
}

/** Ensures that the service holds the quote token and SOL for opening pools. */
export function ensureOpeningFunds(service: ServiceContext, quote: TokenAsset): void {
  const { launchAuthority: key, sponsor, quoteAuthority } = service.keys;
  if (service.onchain.balance(ata(key.address, quote)) >= STOCK_OF_QUOTE / 2n) return;
  const native = quote.mint === WSOL_MINT;
  const instructions = native
    ? wrap(key.address, STOCK_OF_QUOTE)
    : [
        createAta(sponsor.address, key.address, quote),
        mintTo(
          quote.tokenProgram,
          quote.mint,
          ata(key.address, quote),
          quoteAuthority.address,
          STOCK_OF_QUOTE,
        ),
      ];
  const funds = systemTransfer(sponsor.address, key.address, SOL_FOR_POOLS);
  service.onchain.landBy(sponsor, [funds, ...instructions], native ? key : quoteAuthority);
}
