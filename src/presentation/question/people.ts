/** Names addresses in a question: the wallet, a label of the policy, or the whole unknown address. */
import type { Plan } from '../../plan/types.ts';
import type { Policy } from '../../policy/file/schema.ts';
import { feeShareAuthorityAddress } from '../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { TokenUnit } from '../statement/amounts.ts';
import { type Names, namesOf } from '../statement/names.ts';

export interface People {
  readonly wallet: Address;
  /** Returns `your wallet`, a label with the address, or the address marked as unknown. */
  readonly words: (address: Address) => string;
  /** Returns `your wallet` or the label; `undefined` for an unknown address. */
  readonly label: (address: Address) => string | undefined;
  readonly isKnown: (address: Address) => boolean;
  /** Returns whether an address is the wallet or another of the policy's wallets. */
  readonly isOwn: (address: Address) => boolean;
}

/** Names addresses by the policy of the question and the labels its decisions recorded. */
export function peopleOf(
  { wallet }: Pick<Plan, 'wallet'>,
  policy: Pick<Policy, 'wallets' | 'addressBook'> | undefined,
  recorded: readonly { readonly address: Address; readonly label?: string }[],
): People {
  const own = new Set([wallet, ...(policy?.wallets ?? []).map(({ address }) => address)]);
  const labels = new Map<Address, string>();
  for (const { address, label } of [...recorded, ...(policy?.addressBook ?? []), ...(policy?.wallets ?? [])])
    if (label !== undefined) labels.set(address, label);
  const label = (address: Address) => (address === wallet ? 'your wallet' : labels.get(address));
  return {
    wallet,
    label,
    isKnown: (address) => label(address) !== undefined,
    isOwn: (address) => own.has(address),
    words: (address) => {
      if (address === wallet) return 'your wallet';
      const known = labels.get(address);
      return known === undefined ? `${address} (not in your address book)` : `${known} (${address})`;
    },
  };
}

/**
 * Names a plan's parties and tokens, including the authority of its token's fee share, which no address book
 * contains.
 */
export function namesIn(
  { request: { fields } }: Pick<Plan, 'request'>,
  known: ReadonlyMap<string, TokenUnit>,
  { wallet, isOwn, label }: People,
): Names {
  const { tokenMint, baseMint, quoteMint } = fields;
  const base = typeof tokenMint === 'string' ? tokenMint : baseMint;
  const quote = typeof quoteMint === 'string' ? quoteMint : WSOL_MINT;
  if (typeof base !== 'string') return namesOf({ wallet, isOwn, label, tokens: known });
  const tokens = known.has(base) ? known : new Map([...known, [base, {}]]);
  return namesOf({ wallet, isOwn, label, tokens, feeShare: feeShareAuthorityAddress(base, quote) });
}
