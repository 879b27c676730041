/** Which steps of a transaction change who is in control, who gains by them, and what is not read. Pure. */
import type { Act, ActOf } from '../../programs/acts.ts';
import { isAddress } from '../../programs/words/acts.ts';
import type { Known } from '../../programs/words/naming.ts';
import type { Address } from '../../transaction/types.ts';
import type { StepAct } from './known.ts';
import { type SettledAct, settled } from './settled.ts';

/** A key that gains a right; `unknown` where an account that was not looked up says which. */
type Gainer = Address | 'unknown';

/** Kinds that are always shown, also where only the wallet gains: they change who controls or earns, or cannot be undone. */
const ALWAYS: ReadonlySet<Act['act']> = new Set([
  'setRight',
  'setMetadata',
  'setManager',
  'createConfig',
  'extendConfig',
  'changeShares',
  'createPartner',
  'createPoolConfig',
  'freeze',
  'mintRule',
  'accountRule',
  'createPool',
  'lockLiquidity',
  'tableCreate',
  'tableExtend',
  'tableFreeze',
  'useNonce',
]);

const none = (): readonly Gainer[] => [];
const given = (...keys: readonly (Address | null | undefined)[]): readonly Gainer[] =>
  keys.flatMap((key) => (key === null || key === undefined ? [] : [key]));

/** Who gains a right by an act. Every kind has its line; the compiler asks for one for each new kind. */
const GAINS: { readonly [K in Act['act']]: (act: ActOf<K>, known: Known) => readonly Gainer[] } = {
  setRight: ({ to }) => given(to),
  setManager: ({ manager }) => [manager],
  createConfig: ({ earners, partner }) => given(...earners.map(({ wallet }) => wallet), partner),
  extendConfig: ({ earners, partner }) => given(...earners.map(({ wallet }) => wallet), partner),
  changeShares: ({ earners }) => earners.map(({ wallet }) => wallet),
  createPartner: ({ partner }) => [partner],
  createPoolConfig: ({ feeClaimer, leftoverReceiver }) => [feeClaimer, leftoverReceiver],
  createPool: ({ creator, config }, known) => {
    if (config === undefined) return [creator];
    const settings = known.settingsOf(config);
    return settings === undefined
      ? [creator, 'unknown']
      : [creator, settings.feeClaimer, settings.leftoverReceiver];
  },
  openPosition: ({ owner }) => [owner],
  createMint: ({ mintAuthority, freezeAuthority }) => given(mintAuthority, freezeAuthority),
  setMetadata: ({ updateAuthority, mutable }) => (mutable === false ? [] : given(updateAuthority)),
  tableCreate: ({ authority }) => [authority],
  openAccount: ({ kind, owner }) => (kind === 'token' || kind === 'nonce' ? given(owner) : []),
  // Metadata may say who earns: an address in its text counts as one that gains.
  mintRule: ({ values }) => Object.values(values).flatMap((value) => addressesIn(`${value ?? ''}`)),
  // Who gets the NFT of a position gets the position.
  transfer: ({ asset, to }, known) =>
    asset === undefined || asset === 'SOL' || known.positionOf(asset) === undefined
      ? []
      : [to.owner ?? 'unknown'],
  tip: none,
  // What is made new for another than the wallet thins out what the wallet gets.
  mintTo: ({ to }) => [to.owner ?? 'unknown'],
  burn: none,
  swap: none,
  claim: none,
  closeAccount: none,
  freeze: none,
  accountRule: none,
  lockLiquidity: none,
  addLiquidity: none,
  tableExtend: none,
  tableDeactivate: none,
  tableFreeze: none,
  tableClose: none,
  computeBudget: none,
  memo: none,
  useNonce: none,
  nothing: none,
  named: none,
  unread: none,
};

const addressesIn = (text: string): readonly Address[] =>
  text.split(/[^1-9A-HJ-NP-Za-km-z]+/).filter(isAddress);

export interface Rights {
  /** Acts to show: they change control, cannot be undone, or give a right to another key than the wallet. */
  readonly steps: readonly SettledAct[];
  /** Keys other than the wallet that gain a right. */
  readonly others: readonly Address[];
  /** Some key gains a right that stands in an account not looked up. */
  readonly unknown: boolean;
}

export function rightsOf(steps: readonly StepAct[], wallet: Address | undefined, known: Known): Rights {
  const others = new Set<Address>();
  let unknown = false;
  const shown = settled(steps).filter(({ act, also }) => {
    // The entry of a kind takes acts of that kind.
    const gains = GAINS[act.act] as (act: Act, known: Known) => readonly Gainer[];
    const foreign = gains(act, known).filter((key) => key !== wallet);
    for (const key of foreign) {
      if (key === 'unknown') unknown = true;
      else others.add(key);
    }
    return ALWAYS.has(act.act) || also.length > 0 || foreign.length > 0;
  });
  return { steps: shown, others: [...others], unknown };
}
