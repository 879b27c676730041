/** Quote tokens for launches, by flow and for custody launches. */
import { FLOWS } from '../../../src/contract/index.ts';
import type { Handlers } from '../http/app.ts';

export const quoteTokenHandlers = {
  supportedQuoteTokens: (service, { flow }) => ({
    tokens: [...service.quotes.values()].map((token) => ({
      mint: token.mint,
      tokenProgram: token.tokenProgram,
      decimals: token.decimals,
      name: token.name,
      symbol: token.symbol,
      profileEligible: token.profileEligible,
      launchAvailability: token.profileEligible && token.configs.size > 0 ? 'available' : 'unavailable',
      flows: FLOWS.filter((each) => flow === undefined || flow === null || each === flow).map((each) => ({
        flow: each,
        configs: [...token.configs].map(([configType, graduationThresholdRaw]) => ({
          configType,
          graduationThresholdRaw,
        })),
      })),
    })),
  }),
  dammSupportedQuoteTokens: (service) => ({
    tokens: [...service.quotes.values()]
      .filter((token) => token.profileEligible && token.configs.size > 0)
      .map(({ mint, tokenProgram, decimals, name, symbol }) => ({
        mint,
        tokenProgram,
        decimals,
        name,
        symbol,
        uri: `https://sandbox.example/${symbol.toLowerCase()}.json`,
        image: `https://sandbox.example/${symbol.toLowerCase()}.png`,
      })),
  }),
} satisfies Handlers;
