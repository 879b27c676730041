/** Asks about trades and other payments: unnamed payees and high network fees, first purchases (T183) and prices (T181). */
import { amountOfAsset, percent } from '../../../base/format.ts';
import { pool as dammPool } from '../../../programs/dammV2/accounts.ts';
import { DAMM_V2_PROGRAM } from '../../../programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../../../programs/dbc/accounts.ts';
import { DBC_PROGRAM } from '../../../programs/dbc/addresses.ts';
import { curveOutput, type ExactIn, poolOutput } from '../../../programs/poolTerms/output.ts';
import type { TransactionFee } from '../../../programs/solana/fee.ts';
import { isJitoTip } from '../../../programs/solana/system.ts';
import { highestTransferFee } from '../../../programs/token2022/extensions.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Rule } from '../../file/schema.ts';
import type { Checklist } from '../checklist.ts';
import { assetOf, type DecisionContext, formatAmount, mintAt } from '../decisionContext.ts';
import { accountOf } from '../operations/chain.ts';
import type { Matched, Trade, UnnamedPayment } from '../operations/operation.ts';
import { isLocalChain } from '../unsupported/entries.ts';

/** Usual priority fee in lamports: in 181 recorded transactions, the 75th percentile is 9,000. */
const USUAL_PRIORITY_LAMPORTS = 100_000n;
/** A fee above this multiple of the base fee plus the usual priority fee asks. */
const MAX_USUAL_FEES = 4n;

/** Asks about payments to unnamed keys and about an unusual network fee. */
export function askAboutPayments(
  c: DecisionContext,
  unnamed: readonly UnnamedPayment[],
  list: Checklist,
): void {
  for (const { why, to, asset, amount } of unnamed) {
    const paid = amountOfAsset(amount, asset);
    if (isJitoTip(to)) list.ask('PAYEE_UNKNOWN', why, { observed: `${paid} to ${to}` });
    else list.ask('PAYEE_UNKNOWN', why, { params: { payee: to }, observed: paid });
  }
  const most = usualFee(c.fee);
  if (c.own.has(c.feePayer) && c.fee.total > most)
    list.ask('NETWORK_FEE_HIGH', 'networkFee', {
      params: { times: Number(MAX_USUAL_FEES) },
      observed: amountOfAsset(c.fee.total, 'SOL'),
      allowed: amountOfAsset(most, 'SOL'),
    });
}

const usualFee = ({ base }: TransactionFee): bigint => MAX_USUAL_FEES * (base + USUAL_PRIORITY_LAMPORTS);

/**
 * Asks about a swap that buys a token which is not in the policy's list and was never bought or launched by this home. Tokens
 * that were received, or bought by another wallet, do not count.
 */
export function askAboutPurchase(
  { inputs, policy }: DecisionContext,
  { trade }: Matched,
  rule: Rule | undefined,
  list: Checklist,
): void {
  const mint = trade?.outputMint;
  if (mint === undefined || mint === WSOL_MINT || policy.tokens.mints?.includes(mint)) return;
  const setting = rule?.operation === 'swap' ? rule.firstPurchase : undefined;
  if ((setting ?? (isLocalChain(inputs) ? 'allow' : 'ask')) === 'allow') return;
  const params = { mint };
  if (inputs.held) list.pass('firstPurchase', { params, observed: 'bought or launched here before' });
  else list.ask('FIRST_PURCHASE', 'firstPurchase', { params });
}

/** Default deviation below the second price, in basis points; a rule's `maxPriceDeviationBps` overrides it. */
export const MAX_PRICE_DEVIATION_BPS = 500;
const ALL_BPS = 10_000n;

/** Asks about a swap whose output is too far below the second price. Skipped if there is no second price. */
export function askAboutPrice(
  c: DecisionContext,
  { trade }: Matched,
  rule: Rule | undefined,
  list: Checklist,
): void {
  const second = trade && secondPrice(c, trade);
  if (trade === undefined || second === undefined) return;
  const most =
    (rule?.operation === 'swap' ? rule.maxPriceDeviationBps : undefined) ?? MAX_PRICE_DEVIATION_BPS;
  const { inputMint, outputMint, venueIn, venueOut } = trade;
  const format = (amount: bigint, mint: Address) => formatAmount(c, amount, assetOf(mint));
  const observed = `at least ${format(venueOut, outputMint)} for ${format(venueIn, inputMint)}`;
  const allowed = format(second.output, outputMint);
  const below = percent(Number(((second.output - venueOut) * ALL_BPS) / (second.output || 1n)));
  const seen = { params: { pool: second.pool, most: percent(most), below }, observed, allowed };
  if (venueOut * ALL_BPS >= second.output * (ALL_BPS - BigInt(most))) list.pass('secondPrice', seen);
  else list.ask('PRICE_DEVIATES', 'secondPrice', seen);
}

interface SecondPrice {
  readonly pool: Address;
  /** Output in base units, net of the transfer fees of both tokens. */
  readonly output: bigint;
}

/**
 * Returns the best output that the token's curve, or a pool with an address derived from both mints, would
 * give now for the same input. A decoy pool at a bad price thus cannot replace a good one.
 */
function secondPrice(c: DecisionContext, trade: Trade): SecondPrice | undefined {
  const { inputMint: input, outputMint: output, venueIn } = trade;
  const swap = { input, output, amountIn: afterTransfer(c, input, venueIn) };
  let best: SecondPrice | undefined;
  for (const account of c.inputs.accounts) {
    const brings = outputOf(c, account, swap);
    if (brings !== undefined && (best === undefined || brings > best.output))
      best = { pool: account.address, output: brings };
  }
  return best && { ...best, output: afterTransfer(c, output, best.output) };
}

function outputOf(c: DecisionContext, account: AccountFact, swap: ExactIn): bigint | undefined {
  const now = { slot: BigInt(c.inputs.slot), seconds: BigInt(Math.floor(c.inputs.time / 1_000)) };
  if (account.owner === DAMM_V2_PROGRAM) {
    const pool = accountOf(account, dammPool);
    return pool && poolOutput(pool, swap, now);
  }
  if (account.owner !== DBC_PROGRAM) return undefined;
  const curve = accountOf(account, virtualPool);
  const config = curve && accountOf(c.accounts.get(curve.config), poolConfig);
  return curve && config && curveOutput(curve, config, swap, now);
}

function afterTransfer(c: DecisionContext, mint: Address, amount: bigint): bigint {
  const fee = mintAt(c, mint)?.transferFee;
  return fee === undefined ? amount : amount - highestTransferFee(fee, amount);
}
