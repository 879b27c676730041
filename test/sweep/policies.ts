/**
 * The policies the sweep decides under: the widest template, with the service's programs as `policy init` writes
 * them, and with the relay as the worst a person could write: everything of it, in every operation. On the sandbox and
 * on a public network.
 */
import { bagsProfile } from '../../src/contract/profiles/index.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { serviceProgram } from '../../src/policy/file/servicePrograms.ts';
import { policyTemplate } from '../../src/policy/file/templates.ts';
import { keyNamed, load, unreadWhole } from '../policy/people.ts';
import { stage, WALLET } from '../policy/recorded/stages.ts';

/** Passes calls on to other programs: stands for every program that is listed and does what it likes. */
export const RELAY = keyNamed('relay').address;

/** Slot in which every program that cannot be read was deployed. */
export const DEPLOYED_SLOT = 1;

const PROGRAMS = ['dynamicBondingCurve', 'dammV2', 'feeShareV1', 'feeShareV2'];
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

const policyOn = (network: string): LoadedPolicy =>
  load(
    policyTemplate('sandbox', {
      wallet: WALLET,
      network,
      servicePrograms: [
        ...Object.entries(bagsProfile.addresses)
          .filter(([label]) => PROGRAMS.includes(label))
          .flatMap(([label, address]) => serviceProgram(label, address, DEPLOYED_SLOT)),
        ...unreadWhole(RELAY).map((entry) => ({ ...entry, deployedSlot: DEPLOYED_SLOT })),
      ],
    }),
  );

/** Networks a stage is decided on: its own, which is the sandbox's, and a public one. */
export const NETWORKS = ['sandbox', 'public'] as const;
export type Network = (typeof NETWORKS)[number];

export const POLICIES: Readonly<Record<Network, LoadedPolicy>> = {
  sandbox: policyOn(stage('plain config').network),
  public: policyOn(MAINNET),
};

/** The same facts as they would be on a network. */
export const on = (network: Network, facts: Facts): Facts =>
  network === 'sandbox'
    ? facts
    : { ...facts, mode: 'live', network: MAINNET, plan: { ...facts.plan, mode: 'live', network: MAINNET } };
