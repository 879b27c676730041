/** What a transaction leaves behind: rights that one step gives and a later step moves on or ends. Pure. */
import type { Act, ActOf } from '../../programs/acts.ts';
import { positionNftAccountAddress } from '../../programs/dammV2/addresses.ts';
import type { Address } from '../../transaction/types.ts';

/** An act as it stands once all steps have run, and the steps it is of, counted from 1. */
export interface SettledAct {
  readonly step: number;
  /** Later steps that move on or end what the act gives. */
  readonly also: readonly number[];
  readonly act: Act;
}

/** Which acts decide what another act leaves behind, by their place in the list. */
interface Folded {
  readonly act: Act;
  readonly places: readonly number[];
}

/** The acts of a transaction, each with what later ones make of it; those later ones are left out. */
export function settled(steps: readonly { readonly step: number; readonly act: Act }[]): SettledAct[] {
  const acts = steps.map(({ act }) => act);
  const gone = new Set<number>();
  const found = steps.map(({ step, act }, place) => {
    const { act: last, places } = afterwards(act, acts, place);
    for (const each of places) gone.add(each);
    const also = places.flatMap((each) => steps[each]?.step ?? []).filter((other) => other !== step);
    return { step, also: [...new Set(also)].toSorted((one, other) => one - other), act: last };
  });
  return found.filter((_, place) => !gone.has(place));
}

function afterwards(act: Act, acts: readonly Act[], place: number): Folded {
  if (act.act === 'createMint') return mintAfter(act, acts, place);
  if (act.act !== 'openPosition') return { act, places: [] };
  const { owner, places } = heldAfter(act, acts);
  return owner === undefined ? { act, places: [] } : { act: { ...act, owner }, places };
}

/** Who may make more of a new token and freeze its accounts in the end. */
function mintAfter(made: ActOf<'createMint'>, acts: readonly Act[], place: number): Folded {
  let act = made;
  const places: number[] = [];
  for (const [at, each] of acts.entries()) {
    if (at <= place || each.act !== 'setRight' || each.of !== made.mint) continue;
    if (each.right === 'mint authority') act = { ...act, mintAuthority: each.to };
    else if (each.right === 'freeze authority') act = { ...act, freezeAuthority: each.to };
    else continue;
    places.push(at);
  }
  return { act, places };
}

/**
 * Who holds the NFT of a new position in the end, and which acts bring it there; `owner` is absent where the account it
 * is moved to is not known.
 */
export function heldAfter(
  opened: ActOf<'openPosition'>,
  acts: readonly Act[],
): { readonly owner?: Address; readonly places: readonly number[] } {
  let account = positionNftAccountAddress(opened.nftMint);
  let owner: Address | undefined = opened.owner;
  const places: number[] = [];
  for (const [place, act] of acts.entries()) {
    if (act.act === 'transfer' && (act.asset === opened.nftMint || act.from.account === account)) {
      ({ account, owner } = { account: act.to.account, owner: act.to.owner });
      const made = acts.findIndex((each) => each.act === 'openAccount' && each.account === account);
      if (made !== -1 && made < place) places.push(made);
      places.push(place);
    } else if (act.act === 'setRight' && act.right === 'owner' && act.of === account && act.to !== null) {
      owner = act.to;
      places.push(place);
    }
  }
  return { ...(owner === undefined ? {} : { owner }), places };
}
