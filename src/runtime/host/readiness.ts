/**
 * Checks whether a server can work: its ledger is writable, its chain answers, and each wallet has a signer. The
 * result contains no address and no foreign text, since any program that reaches the port may read it.
 */
import { type Clock, orAborted, withDeadline } from '../../clock.ts';
import { PROBE } from '../../ledger/notes.ts';
import type { Ledger } from '../../ledger/types.ts';
import type { Chain } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';

/** Milliseconds a result is reused. */
const HOLDS_MS = 1_000;
/** Timeout of each check in milliseconds. */
const MAX_MS = 3_000;

export interface ReadinessParts {
  readonly ledger: Pick<Ledger, 'setNote'>;
  readonly chain: Pick<Chain, 'head'>;
  readonly wallets: () => Promise<readonly Address[]>;
  /** Opens the signer of a wallet. */
  readonly signer: (address: Address) => Promise<unknown>;
  readonly clock: Clock;
}

/** Returns a function that resolves to the reason why no work can be done, or `undefined`. Never rejects. */
export function createReadiness(parts: ReadinessParts): () => Promise<string | undefined> {
  const { ledger, chain, wallets, signer, clock } = parts;
  let looking: { readonly at: number; readonly found: Promise<string | undefined> } | undefined;

  const hasSigners = async (): Promise<void> => {
    const addresses = await wallets();
    if (addresses.length === 0) throw Object.assign(new Error(), { code: 'NO_WALLET' });
    await Promise.all(addresses.map((address) => signer(address)));
  };
  const look = async (): Promise<string | undefined> => {
    const problems = await Promise.all([
      problemOf('ledger', clock, () => ledger.setNote(PROBE, '')),
      problemOf('signer', clock, hasSigners),
      problemOf('chain', clock, () => chain.head('confirmed')),
    ]);
    const found = problems.filter((problem) => problem !== undefined);
    return found.length === 0 ? undefined : found.join('; ');
  };

  return () => {
    const now = clock.now();
    if (looking === undefined || now - looking.at >= HOLDS_MS || now < looking.at)
      looking = { at: now, found: look() };
    return looking.found;
  };
}

/** Returns the problem of a part, or `undefined`. */
async function problemOf(
  name: string,
  clock: Clock,
  work: () => Promise<unknown>,
): Promise<string | undefined> {
  try {
    await withDeadline({ ms: MAX_MS, clock }, (signal) => orAborted(work(), signal));
    return undefined;
  } catch (error) {
    return `the ${name} cannot be used (${codeOf(error)})`;
  }
}

/** Returns an error code of this project. Other texts may contain an address. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'DeadlineError') return 'no answer';
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : 'failed';
}
