/** The known deployments of the contract, by name. */
import { bagsProfile } from './bags.ts';
import { contractProfile } from './contract.ts';
import type { ProfileName, ServiceProfile } from './profile.ts';

export const profiles: Readonly<Record<ProfileName, ServiceProfile>> = {
  contract: contractProfile,
  bags: bagsProfile,
};

export { bagsProfile } from './bags.ts';
export { contractProfile } from './contract.ts';
export * from './mapping.ts';
export type { ProfileName, ServiceProfile } from './profile.ts';
