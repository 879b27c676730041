/**
 * Findings of a read-back: differences, unread accounts, and the resulting message. Messages contain no text of the
 * service or of accounts, only our own words, numbers and addresses.
 */
import type { PlanNote } from '../../ledger/types.ts';
import { type AccountLayout, readAs } from '../../programs/account.ts';
import type { AccountFact } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';

/**
 * Whether the effect is on chain. `verified` describes what was verified, `problem` a wrong effect, `doubt` what could
 * not be determined yet; without these the effect is not visible yet. With `lasting`, checking again soon is
 * pointless.
 */
export type Effect =
  | { readonly seen: true; readonly verified?: string }
  | { readonly seen: false; readonly problem?: string; readonly doubt?: string; readonly lasting?: true };

export const SEEN: Effect = { seen: true };
export const NOT_YET: Effect = { seen: false };

/** Returns the plan note for a verified effect, with what was read back. */
export const complete = ({
  verified,
}: Extract<Effect, { seen: true }>): Pick<PlanNote, 'status' | 'note'> => ({
  status: 'complete',
  ...(verified === undefined ? {} : { note: `Read back from the chain: ${verified}.` }),
});

/** An account decoded with a layout: its fields, or why it could not be decoded. */
export type Read<F> = { readonly fields: F } | { readonly why: string };

/** Decodes an account from our own RPC. */
export function readFact<F>(account: AccountFact | undefined, layout: AccountLayout<string, F>): Read<F> {
  if (account?.exists !== true) return { why: 'our RPC shows no account there' };
  const fields = readAs(layout, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
  return typeof fields === 'string' ? { why: fields } : { fields };
}

/** Collects the findings of one read-back. */
export class Findings {
  /** Differences from the request, one clause each. */
  readonly differs: string[] = [];
  /** Accounts that could not be read and why, one clause each. */
  readonly unread: string[] = [];
  /** Values verified as requested, one clause each. */
  readonly verified: string[] = [];
  /** Accounts of unsupported programs, one clause each. */
  readonly unsupported: string[] = [];
  /** Whether an unread account belongs to an unsupported program. */
  lasting = false;

  /** Records a difference unless two addresses, or none, are equal. */
  equal(name: string, is: Address | null, requested: Address | null): void {
    if (is !== requested)
      this.differs.push(`${name} (is ${is ?? 'no address'}, requested ${requested ?? 'no address'})`);
  }

  /** Records `name` as a difference unless `holds`. */
  expect(holds: boolean, name: string): void {
    if (!holds) this.differs.push(name);
  }

  /** Returns the fields of an account; records it as unread and returns `undefined` if it cannot be decoded. */
  read<F>(
    name: string,
    address: Address,
    account: AccountFact | undefined,
    layout: AccountLayout<string, F>,
  ): F | undefined {
    const found = readFact(account, layout);
    if ('fields' in found) return found.fields;
    this.unread.push(`${name} at ${address} (${found.why})`);
    return undefined;
  }

  /** Returns the effect of an operation that creates `what`. */
  effect(what: string): Effect {
    if (this.differs.length > 0) {
      return {
        seen: false,
        problem: `The ${what} on chain does not match the request: ${this.differs.join('; ')}.`,
      };
    }
    if (this.unread.length > 0) {
      return {
        seen: false,
        doubt: `Every stage landed, but the ${what} was not verified on chain. Could not be read: ${this.unread.join('; ')}. ${
          this.lasting ? LOOK_YOURSELF : LOOK_AGAIN
        }`,
        ...(this.lasting ? { lasting: true } : {}),
      };
    }
    return { seen: true, verified: [...this.unsupported, ...this.verified].join('; ') };
  }
}

const LOOK_YOURSELF =
  'The owner has to compare these accounts with the request, in a block explorer or at the service, before anything is built on them. Submit the plan again to check again.';
const LOOK_AGAIN =
  'Submit the plan again to check again; if the result stays the same, the owner has to check these accounts before anything is built on them.';
