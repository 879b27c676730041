/** Fee share configs as the chain has them: who earns, who manages, and whether the config is finished. */
import type { Claimer } from '../../../src/contract/claimers.ts';
import { readAs } from '../../../src/programs/account.ts';
import * as accounts from '../../../src/programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { FeePair } from '../../programs/feeShare.ts';
import { feeShareAuthority, feeShareConfig, feeShareProgram } from '../../programs/feeShare.ts';
import type { ServiceContext } from '../context.ts';
import type { IssuedConfig } from '../state.ts';

/** A config as its accounts say. */
export interface ConfigAccount {
  readonly claimers: readonly Claimer[];
  readonly partner: Address | null;
  /** May change who earns; `null`: no key may. */
  readonly manager: Address | null;
  /** Whether the claimers are complete. */
  readonly finished: boolean;
  /** What each claimer is owed, in base units of the quote. */
  readonly owed: readonly bigint[];
}

export const pairOf = ({
  baseMint,
  quoteMint,
  quoteTokenProgram,
}: Pick<IssuedConfig, 'baseMint' | 'quoteMint' | 'quoteTokenProgram'>): FeePair => ({
  baseMint,
  quoteMint,
  quoteProgram: quoteTokenProgram,
});

/** The config of a pair, or `undefined` while there is none. */
export function configAccount(service: ServiceContext, pair: FeePair): ConfigAccount | undefined {
  // Configs in other quotes belong to a program of the sandbox's own, which keeps the same accounts.
  const read = <F>(layout: Parameters<typeof readAs<F>>[0], address: Address): F | undefined => {
    const account = service.onchain.account(address);
    if (account === null || account.owner !== feeShareProgram(pair)) return undefined;
    const fields = readAs(layout, { owner: FEE_SHARE_PROGRAM, data: account.data });
    return typeof fields === 'string' ? undefined : fields;
  };
  const config = read(accounts.feeShareConfig, feeShareConfig(pair));
  if (config === undefined) return undefined;
  return {
    claimers: config.claimers.map(({ wallet, bps }) => ({ address: wallet, basisPoints: bps })),
    partner: config.partner,
    manager: config.manager,
    finished: config.isInitFinalized === 1,
    owed: read(accounts.feeShareAuthority, feeShareAuthority(pair))?.fees ?? [],
  };
}

/** Whether everything of an issued config stands: who earns and, for a curve, its terms. */
function isComplete(
  service: ServiceContext,
  issued: IssuedConfig,
  config: ConfigAccount | undefined,
): config is ConfigAccount {
  const { venueConfigKey } = issued;
  return (
    config?.finished === true && (venueConfigKey === null || service.onchain.account(venueConfigKey) !== null)
  );
}

/** The config a token was issued with and what the chain has of it, once it is complete. */
export function landedConfig(
  service: ServiceContext,
  baseMint: Address,
): { readonly issued: IssuedConfig; readonly config: ConfigAccount } | undefined {
  const issued = service.state.configs.get(baseMint);
  const config = issued && configAccount(service, pairOf(issued));
  return issued && isComplete(service, issued, config) ? { issued, config } : undefined;
}
