/** Fee share configs as the chain has them: who earns, who manages, whether all of it is written. */
import {
  type Claimer,
  type ConfigReading,
  type ConfigRecord,
  readConfig,
} from '../../../contract/stockPrograms.ts';
import type { Address } from '../../../transaction/types.ts';
import { budgetFor } from '../build/compile.ts';
import { createTokenAccount } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';

/** The account and what its fields say; `reading` is absent while there is no account. */
export interface ConfigOnChain {
  readonly key: Address;
  readonly reading?: ConfigReading;
}

/** The config account of a token, read from the chain. */
export function configOnChain(service: ServiceContext, baseMint: Address): ConfigOnChain {
  const key = service.keys.config(baseMint).address;
  const metadata = service.onchain.mint(key)?.metadata;
  return metadata === undefined ? { key } : { key, reading: readConfig(metadata.additional) };
}

/** The complete config of a token, or `undefined`. */
export function completeConfig(service: ServiceContext, baseMint: Address): ConfigRecord | undefined {
  const { reading } = configOnChain(service, baseMint);
  return reading?.complete ? reading.record : undefined;
}

/** Claimers of a token's config now; empty while there is none. */
export function claimersOnChain(service: ServiceContext, baseMint: Address): readonly Claimer[] {
  return completeConfig(service, baseMint)?.claimers ?? [];
}

/** The config's fee vault, made by the service when it is not there yet. */
export function ensureFeeVault(service: ServiceContext, configKey: Address, quoteMint: Address): Address {
  const { keys, onchain } = service;
  const vault = keys.feeVault(configKey);
  if (onchain.tokenAccount(vault.address) !== undefined) return vault.address;
  onchain.land({
    format: 'v0',
    feePayer: keys.sponsor.address,
    instructions: createTokenAccount(
      keys.sponsor.address,
      vault.address,
      service.asset(quoteMint),
      keys.feeShareAuthority.address,
      (bytes) => onchain.rent(bytes),
    ),
    budget: budgetFor(2),
    signers: [keys.sponsor, vault],
  });
  return vault.address;
}
