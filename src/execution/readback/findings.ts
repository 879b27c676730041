/**
 * What a read-back finds: what reads otherwise than asked, what could not be read, and the sentence that follows. No
 * sentence holds text of the service or of an account: only our own words, numbers and addresses.
 */
import type { PlanNote } from '../../ledger/types.ts';
import { type AccountLayout, readAs } from '../../programs/account.ts';
import type { AccountFact } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';

/**
 * Whether the effect is there. `says` is what was read where it is. `problem` says what is wrong with an effect that is
 * there, `doubt` what could not be determined so far; without them the effect is not visible yet. With `lasting` looking
 * again soon is of no use.
 */
export type Effect =
  | { readonly seen: true; readonly says?: string }
  | { readonly seen: false; readonly problem?: string; readonly doubt?: string; readonly lasting?: true };

export const SEEN: Effect = { seen: true };
export const NOT_YET: Effect = { seen: false };

/** What is noted about a plan whose effect is there, with what was read back of it. */
export const complete = ({ says }: Extract<Effect, { seen: true }>): Pick<PlanNote, 'status' | 'note'> => ({
  status: 'complete',
  ...(says === undefined ? {} : { note: `Read back from the chain: ${says}.` }),
});

/** An account read by a layout: its fields, or why there are none. */
export type Read<F> = { readonly fields: F } | { readonly why: string };

/** An account of our own RPC read by a layout. */
export function readFact<F>(account: AccountFact | undefined, layout: AccountLayout<string, F>): Read<F> {
  if (account?.exists !== true) return { why: 'our RPC shows no account there' };
  const fields = readAs(layout, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
  return typeof fields === 'string' ? { why: fields } : { fields };
}

/** Collects what one read-back finds. */
export class Findings {
  /** What reads otherwise than asked, a sentence part each. */
  readonly differs: string[] = [];
  /** What could not be read and why, a sentence part each. */
  readonly unread: string[] = [];
  /** What was read as asked, a sentence part each. */
  readonly says: string[] = [];
  /** Accounts that are there and belong to a program that is not supported, a sentence part each. */
  readonly unsupported: string[] = [];
  /** Whether what could not be read belongs to a program that is not supported. */
  lasting = false;

  /** Expects an address, or none. */
  equal(name: string, is: Address | null, asked: Address | null): void {
    if (is !== asked)
      this.differs.push(`${name} (it is ${is ?? 'no address'}, asked for ${asked ?? 'no address'})`);
  }

  /** Expects something; `name` says what is not so. */
  expect(holds: boolean, name: string): void {
    if (!holds) this.differs.push(name);
  }

  /** The fields of an account; `undefined`, and noted, when it could not be read. */
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

  /** The effect of an operation that made `what`. */
  effect(what: string): Effect {
    if (this.differs.length > 0) {
      return {
        seen: false,
        problem: `The ${what} on chain is not the one asked for: ${this.differs.join('; ')}.`,
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
    return { seen: true, says: [...this.unsupported, ...this.says].join('; ') };
  }
}

const LOOK_YOURSELF =
  'A person compares these accounts with what was asked for, in a block explorer or at the service, before anything is built on them. Submit the plan again to look again.';
const LOOK_AGAIN =
  'Submit the plan again to look again; if it stays so, a person looks at these accounts before anything is built on them.';
