/**
 * A swap, against the quote this home fetched itself: what leaves is at most the quoted input, what arrives at
 * least the quoted minimum, and the service's fee is what the answer says it is (T24, T25). A quote does
 * not prove that its price is fair; rules and limits bound that (T64).
 */

import { MAX_TRACKING_LAMPORTS } from '../../../contract/stockPrograms.ts';
import type { InstructionOf } from '../../../programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import {
  assetOf,
  type DecisionContext,
  isOwnAssociated,
  isOwnTokenAccount,
  rentOf,
  tokenAccountAt,
  withheldFee,
} from '../decisionContext.ts';
import { all, atMost, exactly, type Part, part, place, placedAs, staysOurs, type Verdict } from './parts.ts';
import { type Bound, nothing, type Profile } from './profile.ts';
import { expectAmount, type Quote, type StatedFee, statedFee, storedQuote } from './quote.ts';

export const swap: Profile = { stages: { swap: bindSwap }, feePayer: 'wallet', formats: () => ['v0'] };

/** Room for a token account with the extensions a mint may ask of it. */
const MOST_ACCOUNT_BYTES = 300;

type Transfer = InstructionOf<'token.transferChecked'> | InstructionOf<'transferFee.transferCheckedWithFee'>;

function bindSwap(c: DecisionContext, list: Checklist): Bound {
  const quote = storedQuote(c, list);
  if (quote === undefined) return nothing();
  const fee = statedFee(c, quote, list);
  if (fee === undefined) return nothing();

  const parts = swapParts(c, quote, fee);
  const placed = place(c, Object.values(parts), list);
  const transfers = (some: readonly Part[]): Transfer[] =>
    some.flatMap((each) => [
      ...placedAs(placed, each, 'token.transferChecked'),
      ...placedAs(placed, each, 'transferFee.transferCheckedWithFee'),
    ]);
  const sum = (items: readonly Transfer[], of: (item: Transfer) => bigint) =>
    items.reduce((total, item) => total + of(item), 0n);

  const nativeFee = placedAs(placed, parts.nativeFee, 'system.transfer').reduce(
    (s, i) => s + i.args.lamports,
    0n,
  );
  const paidIn = sum(transfers([parts.pay, parts.payWithFee]), (i) => i.args.amount);
  const tokenFee = sum(transfers([parts.tokenFee, parts.tokenFeeWithFee]), (i) => i.args.amount);
  const arrived = sum(transfers([parts.receive, parts.receiveWithFee]), (i) => arriving(c, i));
  const serviceFee = nativeFee + tokenFee;
  const amountIn = paidIn + (fee.side === 'input' ? serviceFee : 0n);
  const amountOut = arrived - (fee.side === 'output' ? serviceFee : 0n);

  // A program that cannot be read may pay the pool and take out of it; the simulation shows what that comes to.
  const isRead = c.opaque.length === 0;
  expectAmount(
    list,
    'what leaves is the quoted input',
    amountIn <= quote.inAmount && (amountIn > 0n || !isRead),
    amountIn,
    quote.inAmount,
  );
  if (isRead) {
    expectAmount(
      list,
      'what arrives is at least the quoted minimum',
      amountOut >= quote.minOut && amountOut > 0n,
      amountOut,
      quote.minOut,
    );
  }
  // The service's fee is an instruction of its own beside those of the program (docs/contract.md C-TRADE-07).
  expectAmount(list, 'service fee is the stated one', serviceFee === fee.amount, serviceFee, fee.amount);
  const mostOut: Amounts = new Map([[assetOf(quote.inputMint), quote.inAmount]]);
  add(mostOut, 'SOL', MAX_TRACKING_LAMPORTS);
  return {
    recipients: transfers([parts.pay, parts.payWithFee, parts.tokenFee, parts.tokenFeeWithFee])
      .map((i) => ({ address: i.accounts.destination.address, role: 'payment' as const }))
      .concat(
        placedAs(placed, parts.nativeFee, 'system.transfer').map((i) => ({
          address: i.accounts.to.address,
          role: 'payment' as const,
        })),
      ),
    leastIn: new Map([[assetOf(quote.outputMint), quote.minOut]]),
    mostOut,
    mostRent: rentOf(c.facts, MOST_ACCOUNT_BYTES) * accountsOfOthers(fee, isRead),
    mints: [quote.inputMint, quote.outputMint],
    reach: [quote.inputMint, quote.outputMint],
    trade: {
      inputMint: quote.inputMint,
      outputMint: quote.outputMint,
      amountIn: isRead ? amountIn : quote.inAmount,
      amountOut: isRead ? amountOut : quote.minOut,
      quotedOut: quote.outAmount,
      serviceFee,
      serviceFeeBase: fee.side === 'input' ? quote.inAmount : quote.outAmount + fee.amount,
    },
  };
}

/**
 * Accounts of others whose rent the taker may pay: none for a fee in SOL, one for a fee in a token, and one that a
 * program which cannot be read may keep for each trader.
 */
const accountsOfOthers = (fee: StatedFee, isRead: boolean): bigint =>
  (fee.mint === WSOL_MINT ? 0n : 1n) + (isRead ? 0n : 1n);

function swapParts(c: DecisionContext, quote: Quote, fee: StatedFee) {
  const { wallet } = c;
  const usesSol = quote.inputMint === WSOL_MINT || quote.outputMint === WSOL_MINT;
  const isOwn = (account: Address, mint: Address, program: Address) =>
    isOwnTokenAccount(c, account, mint, program);
  const ownWrapped = (account: Address) => isOwnAssociated(c, account, WSOL_MINT, TOKEN_PROGRAM);
  const ownsNothingOf = (account: Address) => !c.own.has(tokenAccountAt(c, account)?.owner ?? '');

  /** From our account to another owner's. */
  const leaves =
    (mint: Address) =>
    ({ program, accounts }: Transfer) =>
      accounts.mint.address === mint &&
      accounts.authority.address === wallet &&
      isOwn(accounts.source.address, mint, program) &&
      !isOwn(accounts.destination.address, mint, program);
  /** From another owner's account to ours. */
  const arrives =
    (mint: Address) =>
    ({ program, accounts }: Transfer) =>
      accounts.mint.address === mint &&
      ownsNothingOf(accounts.source.address) &&
      !isOwn(accounts.source.address, mint, program) &&
      isOwnAssociated(c, accounts.destination.address, mint, program) &&
      all(staysOurs(c, accounts.destination.address, mint, program));
  /** Between others, with the wallet at most as their delegate: the pool's own fee on a sale. */
  const between =
    (mint: Address) =>
    ({ program, accounts }: Transfer) =>
      accounts.mint.address === mint &&
      tokenAccountAt(c, accounts.source.address) !== undefined &&
      ownsNothingOf(accounts.source.address) &&
      !isOwn(accounts.source.address, mint, program) &&
      !isOwn(accounts.destination.address, mint, program);
  const isFee = (i: Transfer) =>
    fee.mint !== WSOL_MINT && leaves(fee.mint)(i) && i.args.amount === fee.amount;
  const once = [0, 1] as const;
  const two = [0, 2] as const;

  return {
    ownAccount: part(
      'own token account',
      'associatedToken.createIdempotent',
      two,
      ({ accounts }) =>
        accounts.payer.address === wallet &&
        accounts.owner.address === wallet &&
        [quote.inputMint, quote.outputMint].includes(accounts.mint.address),
    ),
    feeAccount: part(
      'fee token account',
      'associatedToken.createIdempotent',
      once,
      ({ accounts }) =>
        // A fee in SOL needs no account: one made for it would only be rent for another owner (T15).
        fee.mint !== WSOL_MINT &&
        accounts.payer.address === wallet &&
        !c.own.has(accounts.owner.address) &&
        accounts.mint.address === fee.mint,
    ),
    wrap: part(
      'wrapping',
      'system.transfer',
      once,
      ({ accounts, args }) =>
        quote.inputMint === WSOL_MINT &&
        accounts.from.address === wallet &&
        ownWrapped(accounts.to.address) &&
        all(
          atMost('wrapped amount', args.lamports, quote.inAmount),
          staysOurs(c, accounts.to.address, WSOL_MINT, TOKEN_PROGRAM),
        ),
    ),
    sync: part(
      'wrapped balance',
      'token.syncNative',
      once,
      ({ accounts }) => usesSol && ownWrapped(accounts.account.address),
    ),
    // The fee is distinguished from the payment by its amount; where both are equal, it does not matter which is which.
    tokenFee: part('service fee', 'token.transferChecked', once, isFee),
    tokenFeeWithFee: part('service fee', 'transferFee.transferCheckedWithFee', once, isFee),
    nativeFee: part('service fee', 'system.transfer', once, (i): Verdict => nativeFeeFits(c, fee, i)),
    tracking: part(
      'tracking transfer',
      'system.transfer',
      once,
      ({ accounts, args }) =>
        accounts.from.address === wallet &&
        !c.own.has(accounts.to.address) &&
        args.lamports <= MAX_TRACKING_LAMPORTS,
    ),
    pay: part('payment', 'token.transferChecked', two, leaves(quote.inputMint)),
    payWithFee: part('payment', 'transferFee.transferCheckedWithFee', two, leaves(quote.inputMint)),
    receive: part('proceeds', 'token.transferChecked', once, arrives(quote.outputMint)),
    receiveWithFee: part('proceeds', 'transferFee.transferCheckedWithFee', once, arrives(quote.outputMint)),
    poolFee: part('pool fee', 'token.transferChecked', once, between(quote.outputMint)),
    poolFeeWithFee: part('pool fee', 'transferFee.transferCheckedWithFee', once, between(quote.outputMint)),
    unwrap: part(
      'unwrapping',
      'token.closeAccount',
      once,
      ({ accounts }) =>
        usesSol &&
        ownWrapped(accounts.account.address) &&
        accounts.owner.address === wallet &&
        accounts.destination.address === wallet,
    ),
  };
}

/** A native fee: to the treasury where it is known, of exactly the stated amount. */
function nativeFeeFits(
  c: DecisionContext,
  fee: StatedFee,
  { accounts, args }: InstructionOf<'system.transfer'>,
): Verdict {
  if (fee.mint !== WSOL_MINT || accounts.from.address !== c.wallet || c.own.has(accounts.to.address))
    return false;
  const treasury = c.facts.serviceAddresses.find((each) => each.label === 'treasury')?.address;
  const toTreasury = treasury === accounts.to.address;
  if (args.lamports !== fee.amount && !toTreasury && args.lamports <= MAX_TRACKING_LAMPORTS) return false;
  return all(
    exactly('who gets the service fee', accounts.to.address, treasury === undefined || toTreasury, treasury),
    exactly('service fee in lamports', args.lamports, args.lamports === fee.amount, fee.amount),
  );
}

/** What arrives of a transfer: without the fee the bytes state, or the most the mint may withhold. */
function arriving(c: DecisionContext, { kind, accounts, args }: Transfer): bigint {
  const stated = kind === 'token.transferChecked' ? 0n : args.fee;
  const withheld = withheldFee(c, accounts.mint.address, args.amount);
  return args.amount - (stated > withheld ? stated : withheld);
}
