/** Parties of acts: owners, never token accounts. */
import type { Act, Asset, Holder } from '../programs/acts.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TOKEN_PROGRAMS } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { Fact, Pays, Receives, Ref, Role, Why } from './types.ts';
import { assetOf, type ChainView, type StageActs } from './view.ts';

/** Resolves the parties of a stage's acts and drafts its amounts. */
export abstract class Parties {
  protected readonly program: Address;
  protected readonly stage: StageActs;
  protected readonly view: ChainView;
  protected readonly wallet: Address;

  constructor(program: Address, stage: StageActs, view: ChainView) {
    this.program = program;
    this.stage = stage;
    this.view = view;
    this.wallet = stage.wallet;
  }

  /** Returns the owner of an account, or the account itself if the owner is unknown. */
  protected party({ account, owner }: Holder, mint?: Asset): Address {
    const known = owner ?? this.view.tokenOwner(account);
    if (known !== undefined) return known;
    if (mint === undefined || mint === 'SOL') return account;
    const own = TOKEN_PROGRAMS.map((program) => associatedTokenAddress(this.wallet, mint, program));
    return own.includes(account) ? this.wallet : account;
  }

  /** Returns the party whose value leaves an account: its owner, or the wallet if it signs for an unknown owner. */
  protected giver(from: Holder, mint: Asset, authority: Address): Address {
    const held = this.party(from, mint);
    return held === from.account && authority === this.wallet ? this.wallet : held;
  }

  protected pays(
    asset: Asset,
    atMost: bigint,
    to: Ref | Role,
    why: Why,
    more: Partial<Pick<Pays, 'owner' | 'returns' | 'leastArrives'>> = {},
  ): Pays {
    return { id: 'pays', asset: assetOf(asset), atMost, to, owner: to, why, returns: 'never', ...more };
  }

  protected receives(asset: Asset, atLeast: bigint, from: Ref | Role, by: Receives['enforcedBy']): Receives {
    return { id: 'receives', asset: assetOf(asset), atLeast, from, into: this.wallet, enforcedBy: by };
  }

  /** `owner`: the party that can close the account and recover the deposit; accounts of programs are never closed. */
  protected deposit(
    act: Act,
    to: Address,
    payer: Address | undefined,
    owner: Address = this.program,
  ): readonly Pays[] {
    if (payer !== this.wallet) return [];
    const returns = owner === this.wallet ? 'onClose' : 'never';
    return [this.pays('SOL', this.view.deposit(act), to, 'deposit', { owner, returns })];
  }

  protected surcharge(amount: bigint | undefined, payer: Address | undefined): readonly Pays[] {
    if (amount === undefined || payer !== this.wallet) return [];
    return [this.pays('SOL', amount, this.program, 'metadata')];
  }
}

/** Drafts a line for value that moves between other parties. */
export const moves = (asset: Asset, amount: bigint, from: Ref | Role, to: Ref | Role): Fact => ({
  ...{ id: 'moves', asset: assetOf(asset), amount, from, to },
});
