/**
 * What acts ask about accounts: what our own RPC shows, and what earlier instructions of the same transaction
 * have made of it by then.
 */
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TransactionError } from '../transaction/errors.ts';
import { TOKEN_PROGRAMS } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { AccountBytes } from './account.ts';
import type { Act, Asset, Holder } from './acts.ts';
import { readTokenAccount } from './token/accounts.ts';

/** A token account's mint and owner. */
export interface TokenHolding {
  readonly mint: Address;
  readonly owner: Address;
}

/** Accounts as they are known when an instruction runs. */
export interface View {
  /** `undefined` for an account that holds no tokens, or about which nothing is known. */
  tokenAccount(account: Address): TokenHolding | undefined;
}

/** A view that knows no accounts: acts are read from the bytes alone. */
export const NO_VIEW: View = { tokenAccount: () => undefined };

/** A view of accounts as one view of the chain shows them; `undefined` for an account that is not there. */
export function chainView(accountAt: (address: Address) => AccountBytes | undefined): View {
  return {
    tokenAccount(address) {
      const account = accountAt(address);
      if (account === undefined || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
      try {
        const { mint, owner } = readTokenAccount(account.data);
        return { mint, owner };
      } catch (error) {
        if (error instanceof TransactionError) return undefined; // a mint, a multisig, or not made yet
        throw error;
      }
    },
  };
}

/** A view that follows the acts of one transaction as they happen. */
export class FollowingView implements View {
  private readonly before: View;
  private readonly changed = new Map<Address, TokenHolding | undefined>();

  constructor(before: View) {
    this.before = before;
  }

  tokenAccount(account: Address): TokenHolding | undefined {
    return this.changed.has(account) ? this.changed.get(account) : this.before.tokenAccount(account);
  }

  /** Takes in what an instruction does. */
  follow(act: Act): void {
    if (act.act === 'openAccount' && act.kind === 'token') {
      const { account, mint, owner } = act;
      // An account that exists already is not changed.
      if (act.ifMissing && this.tokenAccount(account) !== undefined) return;
      if (mint !== undefined && owner !== undefined) this.changed.set(account, { mint, owner });
    } else if (act.act === 'closeAccount') {
      this.changed.set(act.account.account, undefined);
    } else if (act.act === 'setRight' && act.right === 'owner' && act.to !== null) {
      const held = this.tokenAccount(act.of);
      if (held !== undefined) this.changed.set(act.of, { ...held, owner: act.to });
    }
  }
}

/** A token account with its owner, where the view knows it. */
export function holder(view: View, account: Address): Holder {
  const owner = view.tokenAccount(account)?.owner;
  return owner === undefined ? { account } : { account, owner };
}

/** The mint of a token account: as the view shows it, or as its address says for one of `owner`'s own. */
export function assetIn(
  view: View,
  account: Address,
  owner: Address,
  among: readonly Address[],
): Asset | undefined {
  const held = view.tokenAccount(account);
  if (held !== undefined) return held.mint;
  return among.find((mint) =>
    TOKEN_PROGRAMS.some((program) => associatedTokenAddress(owner, mint, program) === account),
  );
}
