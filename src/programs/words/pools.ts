/** Pools, their settings and what is put in them, as sentences. */
import { capital, decimal, listWords, percent, SOL_DECIMALS } from '../../base/words.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActOf } from '../acts.ts';
import { feeShareConfigAddress } from '../feeShare/addresses.ts';
import { type PoolTerms, priceOf } from '../poolTerms/terms.ts';
import { feePercent } from '../poolTerms/words.ts';
import { notAmong, PLATFORM_PART, partnerWords, sharesWords } from './earners.ts';
import { actAmount, assetName, bounded, holderName, type Naming, sol, withWarning } from './naming.ts';

/** Sentences, the last one without its full stop. */
export function settingsWords(act: ActOf<'createPoolConfig'>, n: Naming): string {
  const { feeClaimer, leftoverReceiver, terms } = act;
  const [earner, creator] = [earnerWords(feeClaimer, n), creatorPercent(terms)];
  const earns =
    creator > 0
      ? `Of the fees of a pool that takes these settings its creator gets ${creator}%, ${earner} the rest`
      : `${capital(earner)} earns the fees of a pool that takes these settings`;
  return [
    `settings for pools against ${assetName(act.quote, n)} on ${act.venue} are made at ${n.address(act.config)}`,
    earns,
    leftoverWords(leftoverReceiver, n),
    ...priceWords({ base: terms.curve?.decimals, quote: act.quote }, terms, n),
    ...termsWords(terms),
  ].join('. ');
}

/** Who gets what the curve does not sell. */
const leftoverWords = (receiver: Address, n: Naming): string =>
  `${capital(n.address(receiver))} gets what is left of the supply when the curve is full`;

/** What the creator of a pool gets of its fees, in percent. */
const creatorPercent = ({ curve }: PoolTerms): number => curve?.creatorFeePercent ?? 0;

/** Who earns the fees, and whether that is the fee share of this very transaction. */
function earnerWords(claimer: Address, n: Naming): string {
  const { known } = n;
  if (known === undefined || known.feeShareOf(claimer) !== undefined) return n.address(claimer);
  if (known.feeShareSteps.length > 0) {
    const steps = `${known.feeShareSteps.length === 1 ? 'step' : 'steps'} ${listWords(known.feeShareSteps.map(String))}`;
    return `${n.address(claimer)}, which is NOT the fee share set up in ${steps},`;
  }
  if (claimer === known.wallet) return n.address(claimer);
  return `${n.address(claimer)} (whether that is the fee share of a token, these bytes do not say)`;
}

export function poolWords(act: ActOf<'createPool'>, n: Naming): string {
  const { venue, pool, base, quote, creator, token, surcharge, config } = act;
  return [
    `a pool on ${venue} is opened at ${n.address(pool)} for ${n.address(base)} against ${assetName(quote, n)}; ` +
      `its creator is ${withWarning(creator, n).replace(/,$/, '')}` +
      (token === undefined
        ? ''
        : `; the token is called ${n.quoted(token.name)} (${n.quoted(token.symbol)})`) +
      (config === undefined ? '' : `; ${underSettings(config, n)}`),
    ...(config === undefined && act.terms !== undefined
      ? [...priceWords({ base: n.decimals?.(base), quote }, act.terms, n), ...termsWords(act.terms)]
      : []),
    ...(config === undefined ? [] : earnSentences(act, config, n)),
    ...(surcharge === undefined ? [] : [`The metadata program takes ${sol(surcharge)} above the deposits`]),
  ].join('. ');
}

/** Which settings a pool takes for good, and what to do where their account was not looked up. */
function underSettings(config: Address, n: Naming): string {
  const asked = n.known?.askedSettings;
  const taken = `it takes the settings ${n.address(config)} for good${askedWords(config, asked, n)}`;
  if (n.known?.settingsOf(config) !== undefined) return taken;
  const compare = asked === undefined ? [`compare ${n.address(config)} with the settings you made`] : [];
  const look =
    n.known?.online === false ? 'pass --rpc-url to see who earns' : 'they could not be read on the chain';
  return `${taken}; they say who earns its fees: ${listWords([...compare, look], 'or')}`;
}

/** Who earns what by the settings of a pool, a sentence each, where their account was looked up. */
function earnSentences(act: ActOf<'createPool'>, config: Address, n: Naming): readonly string[] {
  const { base, quote, creator } = act;
  const settings = n.known?.settingsOf(config);
  if (settings === undefined) return [];
  const { feeClaimer, leftoverReceiver, terms } = settings;
  const part = creatorPercent(terms);
  const isShare = n.known?.feeShareOf(feeClaimer) === base;
  const whose = isShare ? '' : `, which is NOT the fee share of ${n.address(base)}`;
  const claimer = `${n.address(feeClaimer)}${whose}`;
  return [
    part === 0
      ? `All of the trading fees it earns go to ${claimer}`
      : `Of the trading fees it earns ${percent(part * 100)} goes to its creator, ${n.address(creator)}, and the other ${percent((100 - part) * 100)} to ${claimer}`,
    ...(isShare ? earningSentences(feeShareConfigAddress(base, quote), n) : []),
    leftoverWords(leftoverReceiver, n),
    ...priceWords({ base: terms.curve?.decimals, quote }, terms, n),
    ...termsWords(terms),
  ];
}

/** Whether the settings are the ones the plan's request names. */
function askedWords(config: Address, asked: Address | undefined, n: Naming): string {
  if (asked === undefined) return '';
  return asked === config
    ? ', the ones the request names'
    : `, which are NOT the ones the request names (${n.address(asked)})`;
}

/** Who earns of a fee share, where its list was looked up. */
function earningSentences(config: Address, n: Naming): readonly string[] {
  const earners = n.known?.earnersOf(config);
  if (earners === undefined) return [];
  return [
    `Of what the fee share gets ${sharesWords(earners, n)}${notAmong(earners, n)}${partnerWords(n.known?.partnerOf(config), n)}; ${PLATFORM_PART}`,
  ];
}

const UPDATERS = {
  none: 'no one',
  creator: "the pool's creator",
  claimer: 'the one who earns the fees',
  unknown: 'a key that is not known here',
} as const;

/** The fee of a trade, and who may change the token. */
function termsWords({ fee, curve }: PoolTerms): readonly string[] {
  const updater = UPDATERS[curve?.updater ?? 'none'];
  return [
    fee.course === 'unknown'
      ? 'The fee of a trade is of a kind that is not known here'
      : `A trade costs ${feePercent(fee.first)}${fee.course === 'flat' && !fee.isDynamic ? ' in fees' : ` in fees at first, ${feePercent(fee.lowest)} to ${feePercent(fee.highest)} later`}`,
    ...(curve === undefined
      ? []
      : [
          `Name and symbol can be changed by ${updater}, and more of the token can be made by ${curve.mayMintMore ? updater : UPDATERS.none}`,
        ]),
  ];
}

/** Digits of a starting price that are shown, and decimals it is worked out with. */
const [PRICE_DIGITS, PRICE_DECIMALS] = [6, 24];
/** What one token costs at first, where its decimals and those of what it is traded against are known. */
function priceWords(
  { base, quote }: { readonly base: number | undefined; readonly quote: Address },
  { openingRoot: root }: PoolTerms,
  n: Naming,
): readonly string[] {
  const decimals = quote === WSOL_MINT ? SOL_DECIMALS : n.decimals?.(quote);
  if (base === undefined || decimals === undefined) return [];
  const price = priceOf(root, 10n ** BigInt(PRICE_DECIMALS + base)) / 10n ** BigInt(decimals);
  const cut = 10n ** BigInt(Math.max(0, `${price}`.length - PRICE_DIGITS));
  return [
    `One token costs about ${decimal((price / cut) * cut, PRICE_DECIMALS)} ${assetName(quote, n)} at first`,
  ];
}

export const positionWords = ({ position, owner }: ActOf<'openPosition'>, n: Naming): string =>
  `a position is opened at ${n.address(position)}; ${withWarning(owner, n)} controls it and its fees`;

export const depositWords = (act: ActOf<'addLiquidity'>, n: Naming): string =>
  `${listWords(
    paidIn(act).map(({ asset, from, most }) =>
      bounded(most)
        ? `at most ${actAmount(most, asset, n)} from ${holderName(from, n)}`
        : `an amount of ${assetName(asset, n)} the bytes do not bound, from ${holderName(from, n)}`,
    ),
  )} goes into ${positionOf(act.position, n)}`;

/** What is put in, without the side of which nothing is. */
function paidIn({ deposits }: ActOf<'addLiquidity'>) {
  const some = deposits.filter(({ most }) => most !== 0n);
  return some.length === 0 ? deposits : some;
}

/** A position and who controls it: `the position [4], which [3] controls, NOT your wallet`. */
export function positionOf(position: Address, n: Naming): string {
  const { known } = n;
  const named = `the position ${n.address(position)}`;
  if (known?.wallet === undefined) return named;
  const controller = known.controllerOf(position);
  if (controller === undefined) return `${named}; who controls that is not known here`;
  return controller === known.wallet
    ? `${named}, which ${n.address(controller)} controls`
    : `${named}, which ${n.address(controller)} controls, NOT ${n.address(known.wallet)}`;
}
