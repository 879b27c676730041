/** Pools, their settings and what is put in them, as sentences. */
import { isRecord } from '../../base/record.ts';
import { capital, decimal, listWords, percent, SOL_DECIMALS } from '../../base/words.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActOf, Terms } from '../acts.ts';
import { feeShareConfigAddress } from '../feeShare/addresses.ts';
import { notAmong, PLATFORM_PART, partnerWords, sharesWords } from './earners.ts';
import { actAmount, assetName, bounded, holderName, type Naming, sol, withWarning } from './naming.ts';

/** Decimals of a fee as a percentage: the program counts in parts of 1,000,000,000. */
const FEE_DECIMALS = 7;

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
    ...priceWords({ base: decimalsIn(terms), quote: act.quote }, terms.sqrtStartPrice, n),
    ...termsWords(terms),
  ].join('. ');
}

/** Who gets what the curve does not sell. */
const leftoverWords = (receiver: Address, n: Naming): string =>
  `${capital(n.address(receiver))} gets what is left of the supply when the curve is full`;

/** Decimals of the tokens that settings are for. */
const decimalsIn = ({ tokenDecimal }: Terms): number | undefined =>
  typeof tokenDecimal === 'number' ? tokenDecimal : undefined;

/** What the creator of a pool gets of its fees, in percent. */
const creatorPercent = ({ creatorTradingFeePercentage: share }: Terms): number =>
  typeof share === 'number' ? share : 0;

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
    ...(config === undefined
      ? [
          ...priceWords({ base: n.decimals?.(base), quote }, act.terms?.sqrtPrice, n),
          ...termsWords(act.terms ?? {}),
        ]
      : earnSentences(act, config, n)),
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
  const { base, quote, creator, terms } = act;
  const settings = n.known?.settingsOf(config);
  if (settings === undefined) return [];
  const { feeClaimer, leftoverReceiver } = settings;
  const part = creatorPercent({ ...terms, ...settings.terms });
  const isShare = n.known?.feeShareOf(feeClaimer) === base;
  const whose = isShare ? '' : `, which is NOT the fee share of ${n.address(base)}`;
  const claimer = `${n.address(feeClaimer)}${whose}`;
  return [
    part === 0
      ? `All of the trading fees it earns go to ${claimer}`
      : `Of the trading fees it earns ${percent(part * 100)} goes to its creator, ${n.address(creator)}, and the other ${percent((100 - part) * 100)} to ${claimer}`,
    ...(isShare ? earningSentences(feeShareConfigAddress(base, quote), n) : []),
    leftoverWords(leftoverReceiver, n),
    ...priceWords({ base: decimalsIn(settings.terms), quote }, settings.terms.sqrtStartPrice, n),
    ...termsWords({ ...terms, ...settings.terms }),
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

/** Who may change a launched token, as the program numbers it: `more` says whether more of it can be made. */
const CHANGES: readonly { readonly who: string; readonly more: boolean }[] = [
  { who: "the pool's creator", more: false },
  { who: 'no one', more: false },
  { who: 'the one who earns the fees', more: false },
  { who: "the pool's creator", more: true },
  { who: 'the one who earns the fees', more: true },
];

/** The fee of a trade and rights of a pool's terms, where they stand there as the program's public interface names them. */
function termsWords(terms: Terms): readonly string[] {
  const fees = isRecord(terms.poolFees) ? terms.poolFees : {};
  const base = isRecord(fees.baseFee) ? fees.baseFee : {};
  const first = base.cliffFeeNumerator ?? firstFee(base.data);
  const change =
    typeof terms.tokenUpdateAuthority === 'number' ? CHANGES[terms.tokenUpdateAuthority] : undefined;
  return [
    ...(typeof first === 'bigint'
      ? [
          `A trade costs ${decimal(first, FEE_DECIMALS)}% in fees${laterWords(base)}${movingWords(fees.dynamicFee)}`,
        ]
      : []),
    ...(change === undefined
      ? []
      : [
          `Name and symbol can be changed by ${change.who}, and more of the token can be made by ${change.more ? change.who : 'no one'}`,
        ]),
  ];
}

/** Whether the fee of a trade changes with time: a schedule without periods never changes it. */
const laterWords = ({ firstFactor, secondFactor, thirdFactor, baseFeeMode, data }: Terms): string =>
  (data instanceof Uint8Array
    ? [...data.subarray(FIRST_FEE_BYTES, -1)]
    : [firstFactor, secondFactor, thirdFactor]
  ).every((each) => each === 0 || each === 0n)
    ? ''
    : typeof baseFeeMode === 'number' && baseFeeMode < 2
      ? ' at first, and less later by a schedule in the settings'
      : ' at first; the settings say when it changes';

/** Meteora DAMM v2 writes the fee of a trade as bytes: first the fee, then what changes it, last how. */
const FIRST_FEE_BYTES = 8;
const firstFee = (data: unknown): bigint | undefined =>
  data instanceof Uint8Array && data.length > FIRST_FEE_BYTES
    ? new DataView(data.buffer, data.byteOffset).getBigUint64(0, true)
    : undefined;

/** That the fee rises with the price's movement; an account says by a flag whether it does. */
const movingWords = (dynamicFee: unknown): string =>
  isRecord(dynamicFee) && dynamicFee.initialized !== 0 ? ', and more while its price moves fast' : '';

/** Digits of a starting price that are shown, and decimals it is worked out with. */
const [PRICE_DIGITS, PRICE_DECIMALS] = [6, 24];
/** Prices stand as their square root, in units of 2^-64. */
const PRICE_SCALE = 2n ** 128n;

/** What one token costs at first, where its decimals and those of what it is traded against are known. */
function priceWords(
  { base, quote }: { readonly base: number | undefined; readonly quote: Address },
  root: unknown,
  n: Naming,
): readonly string[] {
  const decimals = quote === WSOL_MINT ? SOL_DECIMALS : n.decimals?.(quote);
  if (typeof root !== 'bigint' || base === undefined || decimals === undefined) return [];
  const price =
    (root * root * 10n ** BigInt(PRICE_DECIMALS + base)) / (PRICE_SCALE * 10n ** BigInt(decimals));
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
