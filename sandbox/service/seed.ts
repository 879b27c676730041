/** Initial state of a sandbox: funded keys, quote mints, and quote tokens of the temporary wallet. */
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import {
  ata,
  createAccount,
  createAta,
  createMint,
  FEE_MINT_BYTES,
  initializeMint,
  mintTo,
} from './build/tokens.ts';
import type { ServiceContext } from './context.ts';
import type { QuoteToken } from './records/quotes.ts';

const SOL = 1_000_000_000n;
/** Initial lamports of the temporary wallet. */
export const WALLET_LAMPORTS = 100n * SOL;
/** Initial whole tokens of each quote mint in the temporary wallet. */
const WALLET_TOKENS = 10_000n;
/** Mint plus account type plus a permanent delegate. */
const DELEGATE_MINT_BYTES = 202;

/** Funds the service and the wallet and creates the quote mints. */
export function seedQuotes(service: ServiceContext): void {
  const { onchain, keys } = service;
  onchain.chain.airdrop(keys.wallet.address, WALLET_LAMPORTS);
  onchain.chain.airdrop(keys.sponsor.address, 100_000n * SOL);
  for (const key of [keys.treasury, keys.tracking, keys.tableAuthority, keys.feeShareAuthority]) {
    onchain.chain.airdrop(key.address, SOL);
  }
  for (const quote of service.quotes.values()) {
    if (quote.mint !== WSOL_MINT) makeQuote(service, quote);
  }
}

function makeQuote(service: ServiceContext, quote: QuoteToken): void {
  const { keys, onchain } = service;
  const payer = keys.sponsor.address;
  const mint = keys.quoteMint(quote.symbol);
  const authority = keys.quoteAuthority;
  const instructions: EncodedInstruction[] = [
    ...creation(service, quote),
    createAta(payer, keys.wallet.address, quote),
    mintTo(
      quote.tokenProgram,
      quote.mint,
      ata(keys.wallet.address, quote),
      authority.address,
      WALLET_TOKENS * 10n ** BigInt(quote.decimals),
    ),
  ];
  onchain.landBy(keys.sponsor, instructions, mint, authority);
}

function creation(service: ServiceContext, quote: QuoteToken): EncodedInstruction[] {
  const { keys, onchain } = service;
  const { mint, tokenProgram, decimals } = quote;
  const payer = keys.sponsor.address;
  const authority = keys.quoteAuthority.address;
  const rent = (bytes: number) => onchain.rent(bytes);
  if (quote.fee !== undefined) {
    return [
      createAccount(payer, mint, rent(FEE_MINT_BYTES), FEE_MINT_BYTES, tokenProgram),
      encodeInstruction('transferFee.initializeConfig', {
        accounts: { mint },
        args: {
          configAuthority: authority,
          withdrawWithheldAuthority: authority,
          basisPoints: quote.fee.basisPoints,
          maximumFee: quote.fee.maximumFee,
        },
      }),
      initializeMint(tokenProgram, mint, decimals, authority),
    ];
  }
  if (quote.permanentDelegate) {
    return [
      createAccount(payer, mint, rent(DELEGATE_MINT_BYTES), DELEGATE_MINT_BYTES, tokenProgram),
      encodeInstruction('permanentDelegate.initialize', {
        accounts: { mint },
        args: { delegate: authority },
      }),
      initializeMint(tokenProgram, mint, decimals, authority),
    ];
  }
  return createMint(payer, mint, tokenProgram, decimals, authority, rent);
}
