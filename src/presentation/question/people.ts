/** How addresses are named in a question: the wallet, a label of the policy, or the whole address of a stranger. */
import type { Plan } from '../../plan/types.ts';
import type { Policy } from '../../policy/file/schema.ts';
import { feeShareAuthorityAddress } from '../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { TokenUnit } from '../statement/amounts.ts';
import { type Names, namesOf } from '../statement/names.ts';

export interface People {
  readonly wallet: Address;
  /** `your wallet`, a label with the address, or `an address you do not know: ADDRESS`. */
  readonly words: (address: Address) => string;
  /** `your wallet` or the label; absent for a stranger. */
  readonly label: (address: Address) => string | undefined;
  readonly isKnown: (address: Address) => boolean;
  /** Whether it is the wallet, or another of the policy's wallets. */
  readonly isOwn: (address: Address) => boolean;
}

/** Names by the policy the question was asked under, and by the labels that its decisions recorded. */
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

/** Names of a plan's parties and tokens, the authority of its token's fee share among them, which no address book has. */
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
