/** The request that each attack of the service is played on. */
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { ATTACKS, type Attack } from '../service/index.ts';
import {
  buy,
  buyAfterAnotherQuote,
  config,
  curveLaunch,
  custodyLaunch,
  deployerClaim,
  directLaunch,
  handleConfig,
  holdingClaim,
  longConfig,
  longUpdate,
  ownPositionClaim,
  type Prepare,
  partneredConfig,
  positionClaim,
  sell,
  sellTaxed,
  update,
  vaultClaim,
} from './asks.ts';
import type { Round } from './round.ts';

const CHAIN_REFUSES = 'the chain itself refuses it';
const HONEST_BYTES = 'its bytes are honest';
const NO_PLAN = 'no plan is made of it';
const NO_PROGRAM = 'no such program here';
/** A launch configuration that fixes the supply: 1,000 tokens. */
const FIXED_SUPPLY = { serviceConfigType: 'e2963a6c-441a-4862-9d80-b94e3a481cd7' };

/** The swap rule without rates, as in the template: the output is compared with the price on chain. */
const boundedByPrice = ({ rules }: PolicyFile): Partial<PolicyFile> => ({
  rules: rules.map((rule) => (rule.operation === 'swap' ? { ...rule, minRates: undefined } : rule)),
});

/** The usual request of an endpoint. */
const USUAL: { readonly [N in NonNullable<Attack['endpoints']>[number]]?: Prepare } = {
  tradeSwap: buy,
  feeShareConfig: config(),
  updateFeeShareConfig: update,
  dammLaunchV2: directLaunch,
  dammLaunch: custodyLaunch,
  curveLaunch,
  claimTxs: holdingClaim,
  claimVault: vaultClaim,
};

const onCurve: Partial<Round> = { ask: config({ flow: 'dbc' }) };
const tipped: Partial<Round> = { ask: config({ tip: true }) };
const inV1: Partial<Round> = { ask: config({ format: 'v1' }) };

/** What differs from a round on the usual request of the attack's first endpoint, where all bytes land on a copy. */
const DIFFERENT: Readonly<Record<string, Partial<Round>>> = {
  'allocate-wallet': { ask: config() },
  'transfer-from-derived-account': { ask: config() },
  'approve-checked': { ask: update },
  'give-close-authority': inV1,
  'unwrapped-out-of-sight': { ask: sell },
  'freeze-authority-kept': { ask: custodyLaunch },
  'unwrap-to-attacker': { ask: sell },
  'stake-away': inV1,
  'unwrap-lamports': { ask: sell },
  'multisig-vote': { notExecuted: NO_PROGRAM },
  'append-transfer': { ask: config() },
  'second-recipient': tipped,
  'fake-token-program': { ask: sell },
  'priority-fee-v1': inV1,
  'tip-inflated': tipped,
  'tip-redirected': tipped,
  'tip-paid-again': { ask: longConfig },
  'payer-unsigned': { notExecuted: CHAIN_REFUSES },
  'service-fee-restated': { ask: sell },
  'delivered-elsewhere': { ask: sell },
  'issuer-can-freeze': { ask: buy, policy: ({ tokens }) => ({ tokens: { ...tokens, mints: undefined } }) },
  'other-lifetime': { notExecuted: HONEST_BYTES },
  'served-again': { notExecuted: CHAIN_REFUSES },
  'bundle-out-of-order': { notExecuted: NO_PLAN },
  'length-written-long': { notExecuted: CHAIN_REFUSES },
  'bytes-after-the-end': { notExecuted: CHAIN_REFUSES },
  'text-broken-up': { ask: config(), notExecuted: CHAIN_REFUSES },
  'garbage-cosignature': { notExecuted: CHAIN_REFUSES },
  'cosignature-of-another': { notExecuted: CHAIN_REFUSES },
  'signer-not-declared': { notExecuted: HONEST_BYTES },
  'claim-charges-the-wallet': { ask: vaultClaim },
  'claim-and-sweep': { ask: deployerClaim },
  'too-large': { notExecuted: CHAIN_REFUSES },
  'budget-twice': { notExecuted: CHAIN_REFUSES },
  'plan-for-another-token': { notExecuted: NO_PLAN },
  'quote-mint-replaced': onCurve,
  'claim-elsewhere': { ask: ownPositionClaim },
  'vault-paid-elsewhere': { notExecuted: NO_PROGRAM },
  'always-fails': { fails: true },
  'partner-added': inV1,
  'type-changed': onCurve,
  'curve-fee-raised': onCurve,
  'curve-never-complete': onCurve,
  'curve-mints-more': onCurve,
  'curve-supply-doubled': { ask: config({ flow: 'dbc', with: () => FIXED_SUPPLY }) },
  'curve-rest-elsewhere': onCurve,
  'curve-supply-held-back': onCurve,
  'curve-liquidity-unlocked': onCurve,
  'curve-paid-out': onCurve,
  'curve-fee-falls': onCurve,
  'curve-fee-after': onCurve,
  'curve-fees-in-tokens': onCurve,
  'curve-supply-tenfold': onCurve,
  'curve-earns-elsewhere': onCurve,
  'first-swap-changed': onCurve,
  'partner-replaced': { ask: partneredConfig },
  'split-given-away-first': { ask: longUpdate, landing: 1 },
  'manager-waived-beside': { ask: positionClaim },
  'handle-poisoned': { ask: handleConfig },
  'quote-far-off': { policy: boundedByPrice },
  'quote-id-reused': { ask: buyAfterAnotherQuote, notExecuted: NO_PLAN },
};

const usual = ({ plays, endpoints = [] }: Attack): Prepare =>
  plays === 'token' ? sellTaxed : (USUAL[endpoints[0] ?? 'tradeSwap'] ?? buy);

/** A round for each attack but `others`, and the attacks that are played on a second request. */
export const roundsExcept = (others: readonly string[]): readonly Round[] => [
  ...[...ATTACKS]
    .filter(([name]) => !others.includes(name))
    .map(([name, attack]) => ({ attack: name, ask: usual(attack), ...DIFFERENT[name] })),
  { attack: 'unwrap-to-attacker', as: 'claim-unwrapped-to-attacker', ask: holdingClaim },
  { attack: 'account-not-needed', as: 'vault-not-needed', ask: directLaunch },
  { attack: 'hidden-in-program', ask: buy },
];
