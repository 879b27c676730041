/**
 * Rules of swaps. A swap is compared with the quote that this home fetched: at most the quoted input leaves, and at least
 * the quoted minimum arrives in an account that only the wallet controls; the service fee is a separate transfer (T24, T25).
 * A quote does not prove a fair price; rules and limits bound the price (T64).
 */
import type { ActOf, Holder } from '../../../../programs/acts.ts';
import { tokenAccountOf } from '../../../../programs/token/accounts.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Amounts, add, sum } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import { assetOf, type DecisionContext, rentOf, tokenAccountAt } from '../../decisionContext.ts';
import { isLocalChain } from '../../unsupported/entries.ts';
import { rightsOf } from '../../unsupported/rights.ts';
import { all, atMost, clause, exactly, inWords, same, take, type Verdict } from '../clauses.ts';
import { TOKEN_ACCOUNT_BYTES as OPENED_BYTES } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { type Matched, nothing, type OperationRules } from '../operation.ts';
import { arrivesAtUs, isOwnAccount, ownAccounts, wrapping } from '../ownAccounts.ts';
import { runOf } from '../run.ts';
import {
  checkLegs,
  expectAmount,
  legOf,
  type Pair,
  type Quote,
  quotedFee,
  quoteOf,
  statedFee,
  storedQuote,
  unwrappingOfLegs,
} from './quote.ts';

/** Maximum size of a token account with extensions, in bytes. */
const TOKEN_ACCOUNT_BYTES = 300;
/** Maximum lamports of a tracking transfer to an account that the profile does not name. */
const TRACKING_LAMPORTS = 5_000n;

export const swapRules: OperationRules = {
  expected: expectedSwap,
  match: matchSwap,
  feePayer: 'cosigner',
  formats: () => ['v0'],
};

function expectedSwap(c: DecisionContext): ExpectedOutcome {
  const { inputs } = c;
  const quote = inputs.quote && quoteOf(inputs.quote);
  return {
    maxOut: quote === undefined ? [] : [{ asset: assetOf(quote.inputMint), amount: `${quote.inAmount}` }],
    maxDeposits: `${rentOf(inputs, TOKEN_ACCOUNT_BYTES) * 2n}`,
  };
}

function matchSwap(c: DecisionContext, list: Checklist): Matched {
  const quote = storedQuote(c, list);
  if (quote === undefined) return nothing();
  const { inputMint, outputMint, inAmount } = quote;
  const run = runOf(c);
  const traded = run.before.filter(({ act }) => act === 'swap').length;
  list.expect(traded === 0, 'REQUEST_MISMATCH', 'quoteOnce', {
    observed: `${traded} swaps before`,
    allowed: 'none',
  });
  const isFee = feeOf(c, quote);
  // The stated fee must match the transaction, although no clause depends on it (docs/contract.md C-TRADE-06).
  const stated = statedFee(c, quote, list)?.amount ?? 0n;
  const taken = take(
    c,
    run,
    [
      ownAccounts(c, [inputMint, outputMint, WSOL_MINT]),
      ...(inputMint === WSOL_MINT || outputMint === WSOL_MINT
        ? wrapping(c, inputMint === WSOL_MINT ? inAmount : 0n)
        : [unwrappingOfLegs(c)]),
      clause('swap', 'swap', [1, 4], (act) => trades(c, legOf(quote, act), act)),
      clause('serviceFee', 'transfer', [0, 1], isFee),
      clause('serviceFeeAccount', 'openAccount', [0, 1], (act) => {
        const { owner, mint, payer } = act;
        if (owner === undefined || mint === undefined || payer !== c.wallet) return false;
        // A fee in SOL needs no token account; creating one would only give rent to another owner (T15).
        return mint !== WSOL_MINT && [inputMint, outputMint].includes(mint) && isTreasury(c, owner);
      }),
      clause('trackingTransfer', 'transfer', [0, 1], ({ asset, from, to, amount }) => {
        if (asset !== 'SOL' || from.account !== c.wallet || c.own.has(to.account)) return false;
        return all(atMost('trackingTransfer', amount, trackingMost(c, to.account)));
      }),
    ],
    list,
  );
  const swaps = taken.of('swap', 'swap');
  const fees = taken.of('serviceFee', 'transfer');
  const feeIn = sum(fees.filter(({ asset }) => isAsset(asset, inputMint)).map(({ amount }) => amount));
  const feeOut = sum(fees.map(({ amount }) => amount)) - feeIn;
  const opened = taken
    .of('serviceFeeAccount', 'openAccount')
    .filter(({ account }) => c.accounts.get(account)?.exists !== true);
  const rent = rentOf(c.inputs, OPENED_BYTES) * BigInt(opened.length);
  const enters = sum(swaps.map(({ input, maxIn }) => (input === inputMint ? maxIn : 0n)));
  const leaves = sum(swaps.map(({ output, minOut }) => (output === outputMint ? minOut : 0n)));
  checkLegs(c, quote, swaps, list);
  const amountIn = enters + feeIn;
  // Venues and routers compare their minimum output with the received amount, net of the token's transfer fee.
  const amountOut = leaves - feeOut;
  const feeBase = feeOut > 0n ? quote.outAmount + feeOut : inAmount;
  const isRead = c.opaque.length === 0;
  const isQuoted = amountIn <= inAmount;
  expectAmount(c, list, 'quotedInput', isQuoted, [amountIn, inAmount, inputMint]);
  // Beside an unsupported program the whole fee must be visible as transfers (docs/contract.md C-TRADE-07).
  const isStated = isRead ? feeIn + feeOut <= stated : feeIn + feeOut === stated;
  const feeMint = feeOut > 0n ? outputMint : inputMint;
  expectAmount(c, list, 'statedFee', isStated, [feeIn + feeOut, stated, feeMint]);
  const quoted = quotedFee(c);
  if (quoted !== undefined) {
    const [ofQuoted, other] = quoted.side === 'output' ? [feeOut, feeIn] : [feeIn, feeOut];
    const isWithin = ofQuoted <= quoted.amount && other === 0n;
    const fee = feeIn + feeOut;
    expectAmount(c, list, 'quotedFee', isWithin, [fee, quoted.amount, feeMint]);
  }
  if (isRead) {
    const least = [amountOut, quote.minOut, outputMint] as const;
    expectAmount(c, list, 'quotedMinimum', amountOut >= quote.minOut, least);
  }
  const maxOut: Amounts = new Map([[assetOf(inputMint), inAmount]]);
  const tracked = taken.of('trackingTransfer', 'transfer');
  // Without a SOL side, rent cannot be expressed as a share of the trade, so a new account asks.
  const solSide = inputMint === WSOL_MINT ? inAmount : outputMint === WSOL_MINT ? quote.outAmount : 0n;
  const rentShare = solSide === 0n ? 0n : (feeBase * rent + solSide - 1n) / solSide;
  const unnamed = [
    ...fees
      .filter(({ to, amount }) => amount === 0n || !isNamedPayee(c, 'treasury', payeeOf(c, to)))
      .map(
        ({ to, asset = 'SOL', amount }) =>
          ({ why: 'unnamedServiceFee', to: payeeOf(c, to), asset, amount }) as const,
      ),
    ...tracked
      .filter(
        ({ to, amount }) =>
          !isNamedPayee(c, 'tracking', to.account) ||
          (amount > TRACKING_LAMPORTS && !isKnownTracking(c, to.account)),
      )
      .map(({ to, amount }) => ({ why: 'unnamedTracking', to: to.account, asset: 'SOL', amount }) as const),
    ...opened
      .filter(
        ({ owner = '' }) =>
          (solSide === 0n && !isLocalChain(c.inputs)) || !isNamedPayee(c, 'treasury', owner),
      )
      .map(({ owner = '' }) => ({
        why: 'unnamedAccount' as const,
        to: owner,
        asset: 'SOL' as const,
        amount: rent,
      })),
  ];
  for (const { amount } of tracked) add(maxOut, 'SOL', amount);
  return {
    recipients: [...fees, ...tracked].map(({ to, asset = 'SOL', amount }) => ({
      address: to.account,
      role: 'payment' as const,
      paid: { asset, amount: `${amount}` },
    })),
    minIn: new Map([[assetOf(outputMint), quote.minOut]]),
    unnamed,
    confirmed: swaps.every((act) => isConfirmed(c, act)),
    maxOut,
    maxRent: rentOf(c.inputs, TOKEN_ACCOUNT_BYTES) * accountsOfOthers(fees, isRead),
    mints: [inputMint, outputMint],
    reach: [inputMint, outputMint],
    trade: {
      inputMint,
      outputMint,
      amountIn: isRead ? amountIn : inAmount,
      amountOut: isRead ? amountOut : quote.minOut,
      venueIn: isRead ? enters : inAmount - feeIn,
      venueOut: isRead ? leaves : quote.minOut + feeOut,
      quotedOut: quote.outAmount,
      // Router fees count as service fees.
      serviceFee: feeIn + feeOut + rentShare + (feeBase * routerBps(swaps)) / 10_000n,
      serviceFeeBase: feeBase,
      feeOut,
    },
  };
}

/** Returns the number of accounts of others the wallet may pay for: one for a token fee, one for an unsupported program. */
const accountsOfOthers = (fees: readonly ActOf<'transfer'>[], isRead: boolean): bigint =>
  (fees.some(({ asset }) => asset !== 'SOL') ? 1n : 0n) + (isRead ? 0n : 1n);

const isAsset = (asset: string | undefined, mint: Address): boolean =>
  asset === mint || (asset === 'SOL' && mint === WSOL_MINT);

/** Matches a swap of the quoted pair between the wallet's accounts, signed by the wallet, without other payees. */
function trades(c: DecisionContext, { inputMint, outputMint }: Pair, act: ActOf<'swap'>): Verdict {
  const {
    input,
    output,
    source,
    destination,
    authority,
    referral,
    reaches = [],
    feesBps = {},
    paidElsewhere,
  } = act;
  if (authority !== c.wallet) return false;
  const touched = reaches.filter(
    (address) =>
      address !== source.account &&
      address !== destination.account &&
      address !== c.wallet &&
      (c.own.has(address) || grantsRights(c, address)),
  );
  return all(
    same('soldToken', input, inputMint),
    same('boughtToken', output, outputMint),
    inWords('source', source.account, isOwnAccount(c, source, inputMint), 'an account of the wallet'),
    ...arrivesAtUs(c, destination, outputMint),
    inWords('referralAccount', referral, referral === undefined, 'no account'),
    exactly('routerPlatformFee', feesBps.platform, (feesBps.platform ?? 0) === 0, 0),
    inWords('routeAccounts', touched[0], touched.length === 0, 'no other account of yours'),
    inWords('routePays', paidElsewhere, paidElsewhere === undefined, 'the destination account'),
  );
}

/** Whether an account gives one of our wallets a right, such as owner, delegate or another authority. */
function grantsRights(c: DecisionContext, address: Address): boolean {
  const account = c.accounts.get(address);
  return account !== undefined && rightsOf(c.own, account).length > 0;
}

/** Returns the highest total of router fees in basis points, including shares of positive slippage. */
const routerBps = (swaps: readonly ActOf<'swap'>[]): bigint =>
  swaps.reduce((most, { feesBps = {} }) => {
    const bps = Object.values(feesBps).reduce((total, each) => total + each, 0);
    return BigInt(bps) > most ? BigInt(bps) : most;
  }, 0n);

/** Returns the owner of a token account, or the address itself for any other account. */
const payeeOf = (c: DecisionContext, { account, owner }: Holder): Address =>
  owner ?? tokenAccountAt(c, account)?.owner ?? account;

/**
 * Whether the simulated token accounts confirm a swap: at most `maxIn` left the source, and at least `minOut` arrived.
 * Only wrapped SOL may pass through an account that the transaction opens and closes, because the wallet's SOL balance
 * shows that amount.
 */
function isConfirmed({ inputs }: DecisionContext, act: ActOf<'swap'>): boolean {
  const { input, output, source, destination, maxIn, minOut } = act;
  const { simulation } = inputs;
  if (simulation.status !== 'done' || simulation.error !== null) return false;
  const change = ({ account }: Holder): bigint | undefined => {
    const at = simulation.after.findIndex(({ address }) => address === account);
    const [was, is] = [simulation.before[at], simulation.after[at]].map(
      (each) => tokenAccountOf(each)?.amount,
    );
    return was === undefined && is === undefined ? undefined : (is ?? 0n) - (was ?? 0n);
  };
  const [left, arrived] = [change(source), change(destination)];
  const isSold = left === undefined ? input === WSOL_MINT : left < 0n && -left <= maxIn;
  return isSold && (arrived === undefined ? output === WSOL_MINT : arrived >= minOut);
}

const isTreasury = ({ inputs, own }: DecisionContext, address: Address): boolean => {
  const known = inputs.serviceAddresses.find(({ label }) => label === 'treasury')?.address;
  return known === undefined ? !own.has(address) : address === known;
};

/** Returns a matcher of the service fee: a transfer of SOL or a swapped token to the treasury. Rules bound its amount. */
function feeOf(c: DecisionContext, { inputMint, outputMint }: Quote) {
  return ({ asset, from, to, authority }: ActOf<'transfer'>): Verdict => {
    if (authority !== c.wallet || asset === undefined) return false;
    const side = isAsset(asset, inputMint) || isAsset(asset, outputMint);
    if (!side || !isTreasury(c, payeeOf(c, to))) return false;
    return asset === 'SOL' ? from.account === c.wallet : isOwnAccount(c, from, asset);
  };
}

/**
 * Returns the maximum lamports of a tracking transfer: a small constant, or the rent-exempt minimum of a new account (T23).
 * Rent for a new account asks unless the profile names it as a tracking account.
 */
const trackingMost = ({ inputs, accounts }: DecisionContext, to: Address): bigint =>
  accounts.get(to)?.exists === true ? TRACKING_LAMPORTS : rentOf(inputs, 0);

const isKnownTracking = ({ inputs }: DecisionContext, to: Address): boolean =>
  inputs.serviceAddresses.some(({ label, address }) => label === 'tracking' && address === to);

/** Whether a payee is ours, in the profile or in the address book; true on a local chain whose profile has no such label. */
function isNamedPayee(
  { inputs, own, policy }: Pick<DecisionContext, 'inputs' | 'own' | 'policy'>,
  label: 'treasury' | 'tracking',
  payee: Address,
): boolean {
  const known = inputs.serviceAddresses.filter((each) => each.label === label);
  if (known.length === 0 && isLocalChain(inputs)) return true;
  return [...known, ...policy.addressBook].some(({ address }) => address === payee) || own.has(payee);
}
