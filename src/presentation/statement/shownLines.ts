/** Selects the lines of a statement that get sentences of their own. */
import type { Line, LineOf, Ref, Role, Statement } from '../../statement/types.ts';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isTable = (of: Ref): boolean => typeof of !== 'string' && of.made === 'table';

/**
 * Returns the lines to show: deposits summed by owner, the last line of each right, without fee shares, which have a
 * list of their own. Lookup tables of `wallet` are omitted.
 */
export function shownLines({ lines }: Statement, wallet: string): Line[] {
  const hidden: { readonly [K in Line['id']]?: (line: LineOf<K>) => boolean } = {
    pays: ({ why, atMost }) => why === 'deposit' || atMost === 0n,
    // Of several claims of one asset, the first shows the arriving amount.
    receives: ({ asset, atLeast }) =>
      atLeast === 0n &&
      lines.some((line) => line.id === 'receives' && line.asset === asset && line.atLeast > 0n),
    earns: ({ of, shareBps }) => of === 'fees' && shareBps !== null,
    // Liquidity moved into the new pool is implied; a position's token is named by its final owner.
    moves: ({ to, asset }) =>
      (typeof to !== 'string' && to.made === 'pool') || isFinalOwner(lines, asset, to),
    rule: ({ of }) => isTable(of),
    controls: (line) =>
      (isTable(line.of) && line.party === wallet) ||
      !isLast(lines, line) ||
      isRevoked(lines, line) ||
      isImmutable(lines, line) ||
      (line.right === 'owner' && hasOtherOwner(lines, line)),
  };
  const isHidden = (line: Line): boolean => {
    const rule: ((of: never) => boolean) | undefined = hidden[line.id];
    // The rule of an id accepts the lines of that id.
    return rule?.(line as never) === true;
  };
  return [...lines.filter((line) => !isHidden(line)), ...deposits(lines)];
}

/** Returns deposits summed by owner; those in the wallet's accounts are one line. */
function deposits(lines: readonly Line[]): Line[] {
  const sums = new Map<string, LineOf<'pays'>>();
  for (const line of lines) {
    if (line.id !== 'pays' || line.why !== 'deposit') continue;
    const key = line.returns === 'onClose' ? '' : JSON.stringify(line.owner);
    sums.set(key, { ...line, atMost: line.atMost + (sums.get(key)?.atMost ?? 0n) });
  }
  return [...sums.values()].filter(({ atMost }) => atMost > 0n);
}

const positionOwners = (lines: readonly Line[], position: unknown): (Ref | Role)[] =>
  lines.flatMap((line) =>
    line.id === 'earns' && line.of === 'position' && isSame(line.from, position) ? [line.party] : [],
  );

const isFinalOwner = (lines: readonly Line[], position: unknown, party: Ref | Role): boolean =>
  positionOwners(lines, position).some((owner) => isSame(owner, party));

/** Returns whether a position ends with another owner, which has its own line. */
function hasOtherOwner(lines: readonly Line[], { of, party }: LineOf<'controls'>): boolean {
  const owners = positionOwners(lines, of);
  return owners.length > 0 && !owners.some((owner) => isSame(owner, party));
}

const isLast = (lines: readonly Line[], { right, of, step = 0 }: LineOf<'controls'>): boolean =>
  !lines.some(
    (line) =>
      line.id === 'controls' && line.right === right && isSame(line.of, of) && (line.step ?? 0) > step,
  );

/** Returns whether a right over a name is made permanent by the same run. */
const isImmutable = (lines: readonly Line[], { right, of }: LineOf<'controls'>): boolean =>
  right === 'metadata authority' &&
  lines.some((line) => line.id === 'names' && line.mutable === false && isSame(line.mint, of));

/** Returns whether an assurance about the same token says that the right is revoked. */
const isRevoked = (lines: readonly Line[], { right, of }: LineOf<'controls'>): boolean =>
  lines.some(
    (line) =>
      line.id === 'assures' &&
      isSame(line.of, of) &&
      ((line.what === 'noMinting' && right === 'mint authority') ||
        (line.what === 'noFreezing' && right === 'freeze authority')),
  );
