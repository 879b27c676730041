/** Indexes of a policy, built once when it is loaded. */
import type { Address } from '../../transaction/types.ts';
import type { Policy, ProgramEntry } from '../file/schema.ts';
import { type KnownAddresses, knownAddresses } from './lookalikes.ts';
import { allowsUnsupported } from './unsupported/entries.ts';

/** An address named in the policy. */
export interface Named {
  readonly label: string;
  /** Whether the address is a wallet of the policy. */
  readonly own: boolean;
}

export class PolicyIndex {
  /** Wallets and address book by address. */
  readonly named: ReadonlyMap<Address, Named>;
  /** Program entries by address; the last entry of a program counts. */
  readonly programs: ReadonlyMap<Address, ProgramEntry>;
  /** Supported programs that the policy switches off; their instructions count as unsupported. */
  readonly switchedOff: ReadonlySet<Address>;
  #known: { readonly beside: string; readonly addresses: KnownAddresses } | undefined;

  constructor({ addressBook, wallets, programs }: Policy) {
    this.named = new Map<Address, Named>([
      ...addressBook.map(({ address, label }) => [address, { label, own: false }] as [Address, Named]),
      ...wallets.map(({ address, label }) => [address, { label, own: true }] as [Address, Named]),
    ]);
    this.programs = new Map(programs.map((entry) => [entry.address, entry]));
    this.switchedOff = new Set(
      programs.flatMap((entry) =>
        allowsUnsupported(entry) && entry.reader === 'off' ? [entry.address] : [],
      ),
    );
  }

  /** Returns an index of the policy's addresses and `beside`. Caches the last result, since `beside` rarely changes. */
  known(beside: readonly Address[]): KnownAddresses {
    const text = beside.join();
    if (this.#known?.beside !== text)
      this.#known = { beside: text, addresses: knownAddresses([...this.named.keys(), ...beside]) };
    return this.#known.addresses;
  }
}
