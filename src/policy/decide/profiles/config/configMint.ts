/**
 * The account of a config is a mint without any tokens, whose metadata says who earns. These are the instructions
 * that make it, the same for today's configs and the retired ones.
 */
import { CONFIG_NAME, CONFIG_SYMBOL, CONFIG_URI } from '../../../../contract/stockPrograms.ts';
import { TOKEN_2022_PROGRAM } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { all, type Condition, exactly, type Part, part, type Times } from '../parts.ts';

/** Pointer, mint and metadata of the config at `account`, each so many times, under an authority that is as expected. */
export function configMintParts(
  account: Address | undefined,
  isAuthority: (address: Address) => Condition,
  times: Times,
): Part[] {
  return [
    part(
      'metadata pointer',
      'metadataPointer.initialize',
      times,
      ({ accounts, args }) =>
        accounts.mint.address === account && args.authority === null && args.metadataAddress === account,
    ),
    part('config mint', 'token.initializeMint2', times, ({ program, accounts, args }) => {
      const plain = program === TOKEN_2022_PROGRAM && args.decimals === 0 && args.freezeAuthority === null;
      return accounts.mint.address === account && plain && all(isAuthority(args.mintAuthority));
    }),
    part('config metadata', 'tokenMetadata.initialize', times, ({ accounts, args }) => {
      const named = args.name === CONFIG_NAME && args.symbol === CONFIG_SYMBOL && args.uri === CONFIG_URI;
      return (
        accounts.metadata.address === account &&
        accounts.mint.address === account &&
        all(
          isAuthority(accounts.updateAuthority.address),
          isAuthority(accounts.mintAuthority.address),
          exactly('config name', args.name, named),
        )
      );
    }),
  ];
}
