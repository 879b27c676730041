/**
 * Quote tokens of the sandbox and the reviewed configurations of each. The values are the sandbox's own; the contract
 * defines shapes and rules only.
 */
import {
  CONFIG_TYPE_IDS,
  CONFIG_TYPES,
  type ConfigTypeId,
  DEFAULT_CONFIG_TYPE,
  LOCKED_85_CONFIG_TYPE,
} from '../../../src/contract/configTypes.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { ServiceKeys } from '../serviceKeys.ts';

export interface QuoteToken {
  readonly mint: Address;
  readonly tokenProgram: Address;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
  /** US dollars per whole token. */
  readonly usd: number;
  /** False for mints with unsupported extensions, such as a permanent delegate. */
  readonly profileEligible: boolean;
  /** Initial transfer fee of the mint. */
  readonly fee?: { readonly basisPoints: number; readonly maximumFee: bigint };
  readonly permanentDelegate?: boolean;
  /** Saved graduation thresholds by config type: the reviewed pairs. */
  readonly configs: Map<ConfigTypeId, string>;
}

/** Converts the SOL threshold of a config type to another quote. */
function threshold(type: ConfigTypeId, usd: number, decimals: number): string {
  const whole = Math.round((CONFIG_TYPES[type].graduationSol * 150) / usd);
  return (BigInt(whole) * 10n ** BigInt(decimals)).toString();
}

/** The quote tokens of a fresh sandbox, wrapped SOL first. */
export function createQuotes(keys: ServiceKeys): Map<Address, QuoteToken> {
  const reviewed = (types: readonly ConfigTypeId[], usd: number, decimals: number) =>
    new Map(types.map((type) => [type, threshold(type, usd, decimals)]));
  const others = CONFIG_TYPE_IDS.filter((type) => type !== LOCKED_85_CONFIG_TYPE);
  const tokens: QuoteToken[] = [
    {
      mint: WSOL_MINT,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 9,
      name: 'Wrapped SOL',
      symbol: 'SOL',
      usd: 150,
      profileEligible: true,
      configs: reviewed(CONFIG_TYPE_IDS, 150, 9),
    },
    {
      mint: keys.quoteMint('USDC').address,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 6,
      name: 'Sandbox Dollar',
      symbol: 'USDC',
      usd: 1,
      profileEligible: true,
      configs: reviewed(others, 1, 6),
    },
    {
      mint: keys.quoteMint('TAXQ').address,
      tokenProgram: TOKEN_2022_PROGRAM,
      decimals: 6,
      name: 'Sandbox Taxed Token',
      symbol: 'TAXQ',
      usd: 0.5,
      profileEligible: true,
      fee: { basisPoints: 100, maximumFee: 5_000_000n },
      configs: reviewed([DEFAULT_CONFIG_TYPE], 0.5, 6),
    },
    {
      mint: keys.quoteMint('NEWQ').address,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 9,
      name: 'Sandbox Unreviewed Token',
      symbol: 'NEWQ',
      usd: 2,
      profileEligible: true,
      configs: new Map(),
    },
    {
      mint: keys.quoteMint('BADQ').address,
      tokenProgram: TOKEN_2022_PROGRAM,
      decimals: 6,
      name: 'Sandbox Delegated Token',
      symbol: 'BADQ',
      usd: 1,
      profileEligible: false,
      permanentDelegate: true,
      configs: new Map(),
    },
  ];
  return new Map(tokens.map((token) => [token.mint, token]));
}
