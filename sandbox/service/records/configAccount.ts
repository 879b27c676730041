/** Fee share configs read from the chain: claimers, manager and completeness. */
import type { Claimer } from '../../../src/contract/claimers.ts';
import { readAs } from '../../../src/programs/account.ts';
import * as configs from '../../../src/programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import * as accounts from '../../../src/programs/feeShare/feeAccounts.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { FeePair } from '../../programs/feeShare.ts';
import { feeShareAuthority, feeShareConfig, feeShareProgram } from '../../programs/feeShare.ts';
import type { ServiceContext } from '../context.ts';
import type { IssuedConfig } from '../state.ts';

/** A config, read from its accounts. */
export interface ConfigAccount {
  readonly claimers: readonly Claimer[];
  readonly partner: Address | null;
  /** The key that may change the claimers; `null` if there is none. */
  readonly manager: Address | null;
  /** Whether the claimers are complete. */
  readonly finished: boolean;
  /** Unclaimed amount of each claimer, in base units of the quote. */
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

/** Returns the config of a pair; `undefined` before it exists. */
export function configAccount(service: ServiceContext, pair: FeePair): ConfigAccount | undefined {
  // Configs in other quotes belong to a program of the sandbox with the same account layout.
  const read = <F>(layout: Parameters<typeof readAs<F>>[0], address: Address): F | undefined => {
    const account = service.onchain.account(address);
    if (account === null || account.owner !== feeShareProgram(pair)) return undefined;
    const fields = readAs(layout, { owner: FEE_SHARE_PROGRAM, data: account.data });
    return typeof fields === 'string' ? undefined : fields;
  };
  const config = read(configs.feeShareConfig, feeShareConfig(pair));
  if (config === undefined) return undefined;
  return {
    claimers: config.claimers.map(({ wallet, bps }) => ({ address: wallet, basisPoints: bps })),
    partner: config.partner,
    manager: config.manager,
    finished: config.isInitFinalized === 1,
    owed: read(accounts.feeShareAuthority, feeShareAuthority(pair))?.fees ?? [],
  };
}

/** Whether an issued config is complete on chain: its claimers and, for a curve, its terms. */
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

/** Returns a token's issued config and its on-chain state; `undefined` before it is complete. */
export function landedConfig(
  service: ServiceContext,
  baseMint: Address,
): { readonly issued: IssuedConfig; readonly config: ConfigAccount } | undefined {
  const issued = service.state.configs.get(baseMint);
  const config = issued && configAccount(service, pairOf(issued));
  return issued && isComplete(service, issued, config) ? { issued, config } : undefined;
}
