/**
 * The effects of a changed stage compared with the honest one, from the chain and not the policy: both are simulated on
 * the same state and compared by account, signers, memos and network fee.
 */

import type { Stage } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { transactionFee } from '../../src/programs/solana/fee.ts';
import { readMint, readTokenAccount, type TokenAccountState } from '../../src/programs/token/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import {
  MEMO_V1_PROGRAM,
  MEMO_V3_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';

/** Maximum cost of the whole supply of a launched token, by quote (`SOL` or a mint), base units. */
export type HighestValues = readonly { readonly quote: string; readonly max: string }[];

export const read = (stage: Stage): DecodedTransaction => stage.transaction.read();

const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const EQUIVALENT = 'equivalent';
/** Lamports of a tracking transfer in a swap (T23). */
const MAX_TRACKING = 5_000n;
/** Claim requests state no amount. */
const CLAIMS = ['holding_claim', 'position_claim', 'vault_claim', 'deployer_claim'];

/**
 * Compares a changed stage with the honest one: `equivalent` (same signers, memos and accounts, no higher fee), `left
 * open: …` (different only in unspecified fields, and the wallet no worse off), or `worse: …`.
 */
export function compare(honest: DecisionInputs, changed: DecisionInputs, values: HighestValues): string {
  const [before, after] = [honest.simulation, changed.simulation];
  if (before.status !== 'done' || after.status !== 'done' || after.error !== null)
    return 'worse: no simulation';
  const [was, is] = [read(honest.stage), read(changed.stage)];
  const fees = transactionFee(is).total - transactionFee(was).total;
  const sponsored = is.staticAccounts[0] !== honest.plan.wallet;
  const [one, other] = [outcomeOf(honest, before), outcomeOf(changed, after)];

  for (const asset of new Set([...one.net.keys(), ...other.net.keys()])) {
    const less = (one.net.get(asset) ?? 0n) - (other.net.get(asset) ?? 0n);
    const allowance = asset === 'SOL' && !sponsored && fees > 0n ? fees : 0n;
    if (less <= allowance) continue;
    const brought = other.net.get(asset) ?? 0n;
    if (CLAIMS.includes(honest.plan.operation) && brought > 0n) return 'left open: how much a claim brings';
    if (isFairPrice(honest, asset, brought, other.supplies, values))
      return 'left open: the price, within its bound';
    const tracking = honest.plan.operation === 'swap' && asset === 'SOL' && less <= MAX_TRACKING;
    return tracking ? 'left open: up to 5,000 lamports of tracking' : `worse: ${less} less of ${asset}`;
  }
  if (one.authorities !== other.authorities) return 'worse: other authorities';
  if (one.named !== other.named) return 'worse: an address the request names is left otherwise';
  if (one.config !== other.config) return 'worse: the config says something else';
  if (one.link !== other.link) return 'worse: the token has another link';
  if (fees > 0n) return 'left open: the network fee, within its limit';
  if (requiredSigners(was).join() !== requiredSigners(is).join()) return 'left open: another co-signer';
  if (memosOf(was).join() !== memosOf(is).join()) return 'left open: a memo';
  return one.all === other.all
    ? EQUIVALENT
    : 'left open: accounts of the service, rent or a gain of the wallet';
}

/** Returns whether a swap delivers the quote's minimum, or a first buy its share at the rule's highest value. */
function isFairPrice(
  { plan, quote }: DecisionInputs,
  asset: string,
  brought: bigint,
  supplies: ReadonlyMap<string, bigint>,
  values: HighestValues,
): boolean {
  if (plan.operation === 'swap')
    return asset === quote?.quote.outputMint && brought >= BigInt(String(quote?.quote.minOutAmount));
  if (plan.operation !== 'launch' || asset !== plan.request.tokenMint) return false;
  const {
    initialBuyQuoteAmount,
    initialBuyQuoteRaw,
    initialBuyLamports,
    quoteMint = WSOL_MINT,
  } = plan.request;
  const paid = BigInt(String(initialBuyQuoteAmount ?? initialBuyQuoteRaw ?? initialBuyLamports));
  const value = values.find(({ quote: named }) => named === (quoteMint === WSOL_MINT ? 'SOL' : quoteMint));
  const supply = supplies.get(asset);
  return value !== undefined && supply !== undefined && brought * BigInt(value.max) >= supply * paid;
}

/** The simulated effects of a stage, computed without policy code. */
function outcomeOf(
  { plan }: DecisionInputs,
  { before, after }: { before: readonly AccountFact[]; after: readonly AccountFact[] },
) {
  const { wallet, request, answer } = plan;
  const net = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => net.set(asset, (net.get(asset) ?? 0n) + amount);
  const authorities: string[] = [];
  const named: string[] = [];
  const changes: string[] = [];
  const people = PEOPLE.flatMap((field) => request[field] ?? []).filter((each) => each !== wallet);
  const supplies = new Map<string, bigint>();
  let [config, link] = ['', ''];
  for (const [i, now] of after.entries()) {
    for (const [account, sign] of [
      [before[i], -1n],
      [now, 1n],
    ] as const) {
      const token = account && tokenAccount(account);
      if (account === undefined || (account.address !== wallet && token?.owner !== wallet)) continue;
      add('SOL', sign * BigInt(account.lamports));
      if (token !== undefined && token.mint !== WSOL_MINT) add(token.mint, sign * token.amount);
    }
    const state = [now.address, now.lamports, now.owner, now.executable, now.data].join();
    if (
      state !==
      [now.address, before[i]?.lamports, before[i]?.owner, before[i]?.executable, before[i]?.data].join()
    )
      changes.push(state);
    const token = tokenAccount(now);
    if (now.address === wallet) authorities.push(`${now.owner} ${now.data}`);
    if (token?.owner === wallet && (token.delegate ?? token.closeAuthority) !== undefined)
      authorities.push(`${now.address} ${token.delegate} ${token.closeAuthority} ${token.state}`);
    if (people.includes(now.address) || people.includes(token?.owner ?? ''))
      named.push(...changes.filter((each) => each === state));
    const mint = mintOf(now);
    if (mint !== undefined) supplies.set(now.address, mint.supply);
    if (now.address === answer.feeShareConfig) config = now.data;
    if (now.owner === METADATA_PROGRAM) link += now.data;
  }
  const text = (list: readonly string[]) => list.toSorted().join('\n');
  return {
    net,
    authorities: text(authorities),
    named: text(named),
    config,
    link,
    supplies,
    all: text(changes),
  };
}

/** Request fields that name a receiving wallet. */
// An omitted tip is no loss of the wallet's; a tip to another address is.
const PEOPLE = ['feeClaimerWallet', 'partner', 'admin', 'claimersArray', 'walletA', 'walletB'];

function tokenAccount(account: AccountFact): TokenAccountState | undefined {
  return ofToken(account, readTokenAccount);
}
const mintOf = (account: AccountFact) => ofToken(account, readMint);

function ofToken<T>({ owner, data, exists }: AccountFact, parse: (data: Uint8Array) => T): T | undefined {
  if (!exists || !TOKEN_PROGRAMS.includes(owner)) return undefined;
  try {
    return parse(Buffer.from(data, 'base64'));
  } catch {
    return undefined;
  }
}

/** Memos in order with their signers: the service reads them from the chain. */
function memosOf(transaction: DecodedTransaction): string[] {
  const { staticAccounts, instructions } = transaction;
  return instructions.flatMap(({ programIndex, accountIndexes, data }) =>
    [MEMO_V1_PROGRAM, MEMO_V3_PROGRAM].includes(staticAccounts[programIndex] ?? '')
      ? [`${Buffer.from(data).toString('hex')} ${[...accountIndexes].map((i) => staticAccounts[i])}`]
      : [],
  );
}
