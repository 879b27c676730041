/**
 * Account state for acts: from our own RPC, with the changes of earlier instructions in the same transaction.
 */
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TransactionError } from '../transaction/errors.ts';
import { TOKEN_PROGRAMS } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { AccountBytes } from './account.ts';
import type { Act, Asset, Holder } from './acts.ts';
import { readTokenAccount } from './token/accounts.ts';

/** Mint and owner of a token account. */
export interface TokenHolding {
  readonly mint: Address;
  readonly owner: Address;
}

/** Account state when an instruction runs. */
export interface View {
  /** Returns `undefined` for an unknown account and for one that is not a token account. */
  tokenAccount(account: Address): TokenHolding | undefined;
}

/** A view without accounts. */
export const NO_VIEW: View = { tokenAccount: () => undefined };

/** Builds a view of accounts on chain; `accountAt` returns `undefined` for a missing account. */
export function chainView(accountAt: (address: Address) => AccountBytes | undefined): View {
  return {
    tokenAccount(address) {
      const account = accountAt(address);
      if (account === undefined || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
      try {
        const { mint, owner } = readTokenAccount(account.data);
        return { mint, owner };
      } catch (error) {
        if (error instanceof TransactionError) return undefined; // a mint, a multisig, or not initialised yet
        throw error;
      }
    },
  };
}

/** A view that applies the acts of a transaction in order. */
export class FollowingView implements View {
  private readonly before: View;
  private readonly changed = new Map<Address, TokenHolding | undefined>();

  constructor(before: View) {
    this.before = before;
  }

  tokenAccount(account: Address): TokenHolding | undefined {
    return this.changed.has(account) ? this.changed.get(account) : this.before.tokenAccount(account);
  }

  /** Applies the account changes of an act. */
  follow(act: Act): void {
    if (act.act === 'openAccount' && act.kind === 'token') {
      const { account, mint, owner } = act;
      // An existing account is unchanged.
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

/** Returns an account with its owner, if known. */
export function holder(view: View, account: Address): Holder {
  const owner = view.tokenAccount(account)?.owner;
  return owner === undefined ? { account } : { account, owner };
}

/** Returns the mint of a token account, from the view or because it is an associated account of `owner`; else `undefined`. */
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
