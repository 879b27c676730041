/**
 * Addresses a person must compare before signing, with what each of them gets or decides: settings that say who earns,
 * other keys that gain by the transaction, and its tokens. Names a plan's request has for them stand beside. Pure.
 */
import { decimal, percent } from '../../../base/words.ts';
import type { Act, ActOf, Earner } from '../../../programs/acts.ts';
import { feeShareConfigAddress } from '../../../programs/feeShare/addresses.ts';
import { rightWords } from '../../../programs/words/acts.ts';
import { SHORT_LIST } from '../../../programs/words/earners.ts';
import { actAmount, type Known, type Naming } from '../../../programs/words/naming.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Leaving, Totals } from '../amounts/totals.ts';
import type { Asked } from '../asked.ts';
import type { Summary } from '../facts.ts';
import { settled } from '../settled.ts';

/** Of the one who gets what a curve does not sell. */
const LEFTOVER =
  'gets what is left of the supply when the curve is full: how much that is, the bytes do not say. The address came with the settings and nothing you can ask for names it, so ask the service whose it is';

/** One address to compare. */
export interface Compared {
  readonly address: Address;
  /** What it gets or decides, without a full stop. */
  readonly words: string;
  /** Field of the plan's request that names it. */
  readonly field?: string;
}

/** What an address is in a transaction; `asked` where a request for it must have named the address. */
interface Reason {
  readonly address: Address | undefined;
  readonly why: string;
  readonly asked?: boolean;
}

/** The addresses to compare, in the order of the steps; tokens and receivers of amounts after them. */
export function toCompare(summary: Summary, n: Naming): readonly Compared[] {
  const { steps, rights, totals, asked, wallet, isFamiliar } = summary;
  const found = new Map<Address, { words: string[]; must: boolean }>();
  const add = ({ address, why, asked: must = false }: Reason): void => {
    if (address === undefined || address === wallet || isFamiliar(address)) return;
    const { words, must: before } = found.get(address) ?? { words: [], must: false };
    if (!words.includes(why)) words.push(why);
    found.set(address, { words, must: before || must });
  };
  for (const { act } of settled(steps)) for (const reason of reasonsOf(act, summary, n)) add(reason);
  for (const reason of amountReasons(totals, summary, n)) add(reason);
  const crowd = crowdOf(steps);
  for (const address of rights.others) {
    if (!found.has(address) && !crowd.some((earner) => earner.wallet === address))
      add({ address, why: 'gains a right by a step above' });
  }
  return [...found].map(([address, { words, must }]) => {
    const field = asked?.fieldOf(address);
    const said =
      asked === undefined
        ? ''
        : field !== undefined
          ? `. The request names it as ${field}`
          : must
            ? '. The request does NOT name it'
            : '';
    return { address, words: `${words.join('; ')}${said}`, ...(field === undefined ? {} : { field }) };
  });
}

/** Earners of lists too long to be compared one by one here. */
export const crowdOf = (steps: Summary['steps']): readonly Earner[] =>
  steps.flatMap(({ act }) => ('earners' in act && isLong(act.earners) ? act.earners : []));

const isLong = (earners: readonly Earner[]): boolean => earners.length > SHORT_LIST;

/** What an act gives whom, or lets whom decide. */
function reasonsOf(act: Act, { wallet, asked, steps }: Summary, n: Naming): readonly Reason[] {
  const { known } = n;
  switch (act.act) {
    case 'createPool':
      return [
        {
          address: act.base,
          why: act.token === undefined ? 'the token of the pool' : 'the new token',
          asked: true,
        },
        ...(act.config === undefined ? [] : settingsReasons(act.config, known)),
        ...sharedReasons(act, steps, known),
        { address: act.creator, why: 'the creator of the pool' },
      ];
    case 'createConfig':
    case 'extendConfig':
      return [
        { address: act.base, why: 'the token whose fees are shared', asked: true },
        ...earnerReasons(act.earners, asked),
        { address: act.partner, why: 'the partner, who takes a part of the fees first', asked: true },
      ];
    case 'changeShares':
      return [
        { address: act.base, why: 'the token whose fees are shared', asked: true },
        ...earnerReasons(act.earners, asked),
      ];
    case 'setManager':
      return [{ address: act.manager, why: 'may change who earns the fees', asked: true }];
    case 'createPoolConfig':
      return [
        { address: act.config, why: 'the new settings: a launch of the token must name exactly these' },
        { address: act.feeClaimer, why: 'earns the fees of pools with these settings' },
        {
          address: act.leftoverReceiver,
          why: LEFTOVER,
        },
      ];
    case 'claim':
      return [{ address: act.base, why: 'the token whose fees are claimed', asked: true }];
    case 'openPosition':
      return [{ address: act.owner, why: 'controls a position and its fees' }];
    case 'tableCreate':
      return [{ address: act.authority, why: 'controls the address table' }];
    case 'createMint':
      return [
        { address: act.mint, why: 'the new token' },
        { address: act.mintAuthority ?? undefined, why: 'may make more of the token' },
        { address: act.freezeAuthority ?? undefined, why: 'may freeze accounts of the token' },
      ];
    case 'setRight':
      return [
        { address: act.to ?? undefined, why: `gets the right ${rightWords(act.right)} ${n.address(act.of)}` },
      ];
    case 'openAccount':
      return act.kind === 'token' || act.kind === 'nonce'
        ? [{ address: act.owner, why: `controls the account ${n.address(act.account)} that is made` }]
        : [];
    case 'closeAccount':
    case 'tableClose':
      return act.authority === wallet
        ? [{ address: act.refundTo, why: 'gets what is in an account that is closed' }]
        : [];
    default:
      return [];
  }
}

const earnerReasons = (earners: readonly Earner[], asked: Asked | undefined): readonly Reason[] =>
  isLong(earners)
    ? []
    : earners.map(({ wallet, bps }) => {
        const share = asked?.shareOf(wallet);
        const other =
          share === undefined || share === bps ? '' : `, NOT the ${percent(share)} of the request`;
        return { address: wallet, why: `earns ${percent(bps)} of the fees${other}`, asked: true };
      });

/** Who earns of the fee share that a pool's fees go to: by its settings, or by a position that is handed to it. */
function sharedReasons(
  { base, quote, config }: ActOf<'createPool'>,
  steps: Summary['steps'],
  known: Known | undefined,
): readonly Reason[] {
  const claimer = config === undefined ? undefined : known?.settingsOf(config)?.feeClaimer;
  const holders = steps.flatMap(({ act }) =>
    act.act === 'openPosition' ? (known?.controllerOf(act.position) ?? []) : [],
  );
  const isShared = [claimer ?? [], holders].flat().some((each) => known?.feeShareOf(each) === base);
  const earners = isShared ? known?.earnersOf(feeShareConfigAddress(base, quote)) : undefined;
  return earnerReasons(earners ?? [], undefined).map(({ address, why }) => ({ address, why }));
}

/** Settings decide who earns for good: unknown they are compared, known those who earn by them. */
function settingsReasons(config: Address, known: Known | undefined): readonly Reason[] {
  const settings = known?.settingsOf(config);
  const compare = known?.askedSettings === undefined ? ': compare them with the settings you made' : '';
  const why = `the settings of the pool, which say for good who earns its fees${compare}`;
  return [
    { address: config, why, asked: true },
    { address: settings?.feeClaimer, why: 'earns the fees of the pool' },
    { address: settings?.leftoverReceiver, why: LEFTOVER },
  ];
}

/** Tokens that are traded, and others that get an amount. */
function amountReasons(totals: Totals, summary: Summary, n: Naming): readonly Reason[] {
  const token = (asset: string | undefined) =>
    asset === undefined || asset === 'SOL' || asset === WSOL_MINT || n.known?.positionOf(asset) !== undefined
      ? undefined
      : asset;
  const { leaves, arrives, elsewhere } = totals;
  return [
    ...leaves.map(({ asset }) => ({ address: token(asset), why: 'the token that leaves' })),
    ...[...arrives, ...elsewhere].map(({ asset }) => ({
      address: token(asset),
      why: 'the token that arrives',
    })),
    ...leaves.flatMap((leaving) => payeeReasons(leaving, summary, n)),
    ...elsewhere.map(({ to, step }) =>
      to.owner === undefined
        ? {
            address: to.account,
            why: `the account that what step ${step} brings goes to; its owner is not known`,
          }
        : { address: to.owner, why: `gets what step ${step} brings` },
    ),
  ];
}

function payeeReasons(leaving: Leaving, summary: Summary, n: Naming): readonly Reason[] {
  const { goes, asset, amount } = leaving;
  if (goes.way !== 'to' || amount === undefined) return [];
  const address = goes.to.owner ?? goes.to.account;
  return [{ address, why: `gets ${actAmount(amount, asset, n)}${feeWords(leaving, summary)}` }];
}

const PERCENT_UNITS = 10_000n;

/** What an amount that goes to another beside a trade may be. */
function feeWords({ asset, amount = 0n }: Leaving, { steps, totals, asked }: Summary): string {
  if (!steps.some(({ act }) => act.act === 'swap')) return '; who that is, the bytes do not say';
  if (asked?.fee === amount) return ', which the service states as its fee for this trade';
  const sum = (items: readonly { readonly asset?: string; readonly amount?: bigint }[]) =>
    items.reduce((total, each) => (each.asset === asset ? total + (each.amount ?? 0n) : total), 0n);
  const arriving = sum(totals.arrives);
  const whole = arriving > 0n ? arriving : sum(totals.leaves);
  if (whole === 0n || asset === undefined) return ' beside the trade';
  const part = `${decimal((amount * PERCENT_UNITS) / whole, 2)}% of ${arriving > 0n ? 'the least that arrives' : 'what leaves'}`;
  return ` beside the trade, ${part}: the service takes its fee this way, but the bytes do not say whose address this is`;
}
