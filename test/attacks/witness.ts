/** Oracle verdict on an attack played on a copy of the chain, next to its honest twin. */
import type { Sighting } from '../../sandbox/attacks/world/world.ts';
import { inventoryOf } from '../oracle/inventory.ts';
import { allowanceOf, worse } from '../oracle/judge.ts';

/** Prices move between the copy and the twin: differences below 1/PRICE_NOISE of the traded amount are noise. */
const PRICE_NOISE = 1_000n;

/** Returns the harms to the wallets, relative to the honest answer. */
export function observedHarms({ owners, before, after, honest }: Sighting): string[] {
  const taken = (accounts: Sighting['before']) => inventoryOf(owners, accounts);
  const was = taken(before);
  const allowance = allowanceOf(was, taken(honest));
  const withNoise = (amounts: Readonly<Record<string, bigint>> | undefined, sign: bigint) =>
    Object.fromEntries(
      Object.entries(amounts ?? {}).map(([line, amount]) => [line, amount + (sign * amount) / PRICE_NOISE]),
    );
  return worse(was, taken(after), {
    ...allowance,
    out: withNoise(allowance.out, 1n),
    in: withNoise(allowance.in, -1n),
  });
}

/** Returns whether any account differs from the honest outcome. */
export function endsDifferently({ after, honest }: Sighting): boolean {
  const texts = (accounts: Sighting['after']) =>
    new Map(
      accounts.map(({ address, owner, lamports, data }) => [
        address,
        `${owner} ${lamports} ${Buffer.from(data).toString('base64')}`,
      ]),
    );
  const [is, expected] = [texts(after), texts(honest)];
  return [...is].some(([address, text]) => expected.get(address) !== text);
}

/** Attacks that leave the wallets' inventory intact, by the thing they change instead. */
export const NOT_OF_THE_INVENTORY: Readonly<Record<string, readonly string[]>> = {
  // The wallet pays and receives the same amounts; the money goes to a different payee.
  'who is paid': ['tip-redirected', 'refund-to-attacker'],
  // Closing the lookup table refunds its cost.
  'what comes back': ['table-of-the-wallet'],
  // Accounts at seed-derived addresses.
  'derived accounts': ['assign-derived-account', 'transfer-from-derived-account'],
  // The mint was hostile before the request.
  'the token itself': ['transfer-hook', 'confidential-transfer', 'unknown-extension', 'pausable'],
  // Contents of new service accounts in which the wallet has no rights.
  'what is said': [
    'supply-unsealed',
    'quote-mint-replaced',
    'link-replaced',
    'token-renamed',
    'launch-names-other-config',
    'type-changed',
    'curve-fee-raised',
    'curve-never-complete',
    'curve-mints-more',
    'curve-supply-doubled',
    'curve-rest-elsewhere',
    'curve-supply-held-back',
    'curve-liquidity-unlocked',
    'curve-paid-out',
    'curve-earns-elsewhere',
    'curve-fee-falls',
    'curve-fee-after',
    'curve-fees-in-tokens',
    'curve-supply-tenfold',
    'pool-half-kept',
    'pool-fee-low',
    'pool-fee-falls',
    'pool-fees-in-tokens',
    'pool-opened-cheap',
    'pool-cannot-rise',
    'first-swap-changed',
    'liquidity-not-locked',
    'name-changeable',
    'position-kept',
  ],
  // Powers of the signature itself, landed or not.
  'the signature': ['durable-nonce', 'cosignature-withheld', 'signature-attested'],
};
