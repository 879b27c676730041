/** What the oracle says of an attack that was shown on a copy of the chain, beside its honest twin. */
import type { Sighting } from '../../sandbox/attacks/world/world.ts';
import { inventoryOf } from '../oracle/inventory.ts';
import { allowanceOf, worse } from '../oracle/judge.ts';

/** Prices move between the copy and the twin: one part in so many of what a trade moves is noise. */
const PRICE_NOISE = 1_000n;

/** What is worse for the wallets than after the honest answer. */
export function harmsSeen({ owners, before, after, honest }: Sighting): string[] {
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

/** Whether any account ends otherwise than after the honest answer. */
export function endsOtherwise({ after, honest }: Sighting): boolean {
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

/** Attacks after which the wallets control no less than after the honest answer, by what they change instead. */
export const NOT_OF_THE_INVENTORY: Readonly<Record<string, readonly string[]>> = {
  // The wallet pays what it would have paid and gets what it would have got; another is paid with it.
  'who is paid': ['tip-redirected', 'refund-to-attacker'],
  // Closing the lookup table gives back what it cost.
  'what comes back': ['table-of-the-wallet'],
  // Accounts at addresses that only a seed leads to.
  'derived accounts': ['assign-derived-account', 'transfer-from-derived-account'],
  // The trap was in the mint before anything was asked.
  'the token itself': ['transfer-hook', 'confidential-transfer', 'unknown-extension', 'pausable'],
  // What new accounts of the service say, in which the wallet holds no right.
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
  // What the signature itself gives away, whatever lands.
  'the signature': ['durable-nonce', 'cosignature-withheld', 'signature-attested'],
};
