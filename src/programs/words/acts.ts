/**
 * Acts as sentences a person understands. Templates only: names of tokens and memos come from outside and are left to
 * the caller, who knows how to mark them. Amounts are never rounded.
 */
import { decimal, listWords, percent, SOL_DECIMALS, several } from '../../base/words.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { Act, ActOf, Asset, Earner, Holder } from '../acts.ts';
import { programName } from '../index.ts';

/** How addresses and amounts are written. */
export interface Naming {
  /** An address as the reader knows it: `your wallet`, or the address. */
  readonly address: (address: Address) => string;
  /** Decimals of a mint, where they are known. */
  readonly decimals?: (mint: Address) => number | undefined;
  /** Text from outside, marked as such. */
  readonly quoted: (text: string) => string;
}

/** What an act does, as one sentence without a full stop. */
export function actWords(act: Act, naming: Naming): string {
  // Every kind of act has its words: the table is checked against the union by the compiler.
  const words = WORDS[act.act] as (act: Act, naming: Naming) => string;
  return words(act, naming);
}

type Words = { readonly [K in Act['act']]: (act: ActOf<K>, naming: Naming) => string };

const WORDS: Words = {
  transfer: ({ asset, amount, from, to, fee }, n) =>
    `${actAmount(amount, asset, n)} goes from ${holderName(from, n)} to ${holderName(to, n)}` +
    (fee === undefined || fee === 0n ? '' : `; the token withholds ${actAmount(fee, asset, n)} of it`),
  tip: ({ amount, to }, n) => `a tip of ${sol(amount)} goes to the block builders' address ${n.address(to)}`,
  mintTo: ({ amount, mint, to }, n) => `${actAmount(amount, mint, n)} is made new for ${holderName(to, n)}`,
  burn: ({ amount, mint, from }, n) => `${actAmount(amount, mint, n)} of ${holderName(from, n)} is destroyed`,
  swap: ({ venue, input, output, mostIn, leastOut, source, destination, referral, feesBps }, n) =>
    `a trade on ${venue}: at most ${actAmount(mostIn, input, n)} leaves ${holderName(source, n)}, ` +
    `at least ${actAmount(leastOut, output, n)} arrives in ${holderName(destination, n)}` +
    (referral === undefined
      ? ''
      : `; the referrer's account ${n.address(referral)} is paid a part of the fee`) +
    Object.entries(feesBps ?? {})
      .filter(([, bps]) => bps > 0)
      .map(([name, bps]) => `; ${name} fee ${percent(bps)}`)
      .join(''),
  claim: ({ what, from, payouts }, n) =>
    `${what} ${payouts.length > 1 ? 'are' : 'is'} paid out of ${n.address(from)}: ${listWords(
      payouts.map(
        ({ asset, to, most }) =>
          `${assetName(asset, n)} to ${holderName(to, n)}${most === undefined || most >= U64_MAX ? '' : ` (at most ${actAmount(most, asset, n)})`}`,
      ),
    )}`,
  openAccount: ({ account, kind, owner, mint, payer, deposit, ifMissing }, n) =>
    `an account for ${KINDS[kind]}${mint === undefined ? '' : ` of ${assetName(mint, n)}`} is made at ${n.address(account)}` +
    (owner === undefined ? '' : `, under the control of ${ownerOf(owner, n)}`) +
    (payer === undefined ? '' : `; ${n.address(payer)} pays its deposit`) +
    (typeof deposit === 'bigint' ? ` of ${sol(deposit)}` : '') +
    (ifMissing === true ? ', unless it is there already' : ''),
  closeAccount: ({ account, refundTo }, n) =>
    `${holderName(account, n)} is closed; the SOL in it goes to ${n.address(refundTo)}`,
  createMint: ({ mint, decimals, mintAuthority, freezeAuthority }, n) =>
    `the token ${n.address(mint)} is made${decimals === undefined ? '' : ` with ${several(decimals, 'decimal')}`}` +
    authorityWords('more of it can be made by', mintAuthority, n) +
    authorityWords('accounts of it can be frozen by', freezeAuthority, n),
  setMetadata: ({ mint, name, symbol, updateAuthority, mutable, surcharge }, n) =>
    `the token ${n.address(mint)} gets the name ${n.quoted(name)} and the symbol ${n.quoted(symbol)}` +
    (mutable === false ? ', for good' : authorityWords('they can be changed by', updateAuthority, n)) +
    (surcharge === undefined ? '' : `; the metadata program takes ${sol(surcharge)}`),
  freeze: ({ account, frozen }, n) => `${holderName(account, n)} is ${frozen ? 'frozen' : 'released'}`,
  mintRule: ({ mint, rule }, n) => `the token ${n.address(mint)} gets the rule "${rule}"`,
  accountRule: ({ account, rule, on }, n) =>
    `the rule "${rule}" is switched ${on ? 'on' : 'off'} for the account ${n.address(account)}`,
  setRight: ({ right, of, to, amount }, n) =>
    to === null
      ? `the right "${right}" over ${n.address(of)} is given up for good`
      : `${n.address(to)} gets the right "${right}" over ${n.address(of)}` +
        (amount === undefined ? '' : `, for at most ${decimal(amount)} base units`),
  createConfig: (act, n) =>
    `a fee share is set up for the token ${n.address(act.base)}: ${earnersOf(act, n)}`,
  extendConfig: (act, n) =>
    `earners are added to the fee share of ${n.address(act.base)}: ${earnersOf(act, n)}`,
  changeShares: (act, n) =>
    `the fee share of ${n.address(act.base)} is changed at places ${act.fromIndex} to ${act.toIndex}: ${earnersOf(act, n)}`,
  setManager: ({ base, manager }, n) =>
    `${n.address(manager)} may change from now on who earns the fees of ${n.address(base)}`,
  createPartner: ({ partner, bps }, n) => `${n.address(partner)} becomes a partner with ${percent(bps)}`,
  createPoolConfig: ({ venue, config, quote, feeClaimer, leftoverReceiver }, n) =>
    `settings for pools on ${venue} are made at ${n.address(config)}, in ${assetName(quote, n)}: ` +
    `${n.address(feeClaimer)} earns the fees, ${n.address(leftoverReceiver)} gets what is left over`,
  createPool: ({ venue, pool, base, quote, creator, token, surcharge }, n) =>
    `a pool on ${venue} is opened at ${n.address(pool)} for ${n.address(base)} against ${assetName(quote, n)}; ` +
    `its creator is ${n.address(creator)}` +
    (token === undefined ? '' : `; the token is called ${n.quoted(token.name)} (${n.quoted(token.symbol)})`) +
    (surcharge === undefined ? '' : `; ${sol(surcharge)} is taken above the deposits`),
  openPosition: ({ position, owner }, n) =>
    `a position is opened at ${n.address(position)}; ${n.address(owner)} controls it and its fees`,
  addLiquidity: ({ deposits, position }, n) =>
    `${listWords(
      deposits.map(({ asset, from, most }) =>
        most === undefined || most >= U64_MAX
          ? `an amount of ${assetName(asset, n)} the bytes do not bound, from ${holderName(from, n)}`
          : `at most ${actAmount(most, asset, n)} from ${holderName(from, n)}`,
      ),
    )} goes into the position ${n.address(position)}`,
  lockLiquidity: ({ position }, n) => `liquidity of the position ${n.address(position)} is locked for good`,
  tableCreate: ({ table, payer }, n) =>
    `an address table is made at ${n.address(table)}; ${n.address(payer)} pays its deposit`,
  tableExtend: ({ table, addresses }, n) =>
    `${several(addresses.length, 'address', 'addresses')} ${addresses.length === 1 ? 'is' : 'are'} added to the address table ${n.address(table)}`,
  tableDeactivate: ({ table }, n) => `the address table ${n.address(table)} is retired`,
  tableFreeze: ({ table }, n) => `the address table ${n.address(table)} can never be changed or closed again`,
  tableClose: ({ table, refundTo }, n) =>
    `the address table ${n.address(table)} is closed; its deposit goes to ${n.address(refundTo)}`,
  computeBudget: ({ setting, value }) => `${setting} is set to ${decimal(value)}`,
  memo: ({ text }, n) => `a note is written: ${n.quoted(text)}`,
  useNonce: ({ nonce }, n) =>
    `the nonce ${n.address(nonce)} is used, so that the transaction never goes stale`,
  nothing: ({ what }) => `${what} (nothing moves)`,
  named: ({ program, instruction }, n) =>
    `"${instruction}" of ${programOf(program, n)} is known by name only; it is never part of an operation`,
  unread: ({ program, reason }, n) =>
    `this instruction of ${programOf(program, n)} cannot be read: ${reason}`,
};

const U64_MAX = 2n ** 64n - 1n;
const KINDS = { token: 'tokens', nonce: 'a nonce', multisig: 'several signers', data: 'data of a program' };

const sol = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;

/** `SOL`, or a token by its address. */
export const assetName = (asset: Asset | undefined, n: Naming): string => {
  if (asset === undefined) return 'a token the accounts do not show';
  if (asset === 'SOL') return 'SOL';
  return asset === WSOL_MINT ? 'wrapped SOL' : `the token ${n.address(asset)}`;
};

/** An amount with what it counts, never rounded; in base units where the decimals are not known. */
export function actAmount(amount: bigint, asset: Asset | undefined, n: Naming): string {
  if (asset === 'SOL') return sol(amount);
  if (asset === WSOL_MINT) return `${decimal(amount, SOL_DECIMALS)} wrapped SOL`;
  const known = asset === undefined ? undefined : n.decimals?.(asset);
  if (known !== undefined) return `${decimal(amount, known)} of ${assetName(asset, n)}`;
  return `${decimal(amount)} base ${amount === 1n ? 'unit' : 'units'} of ${assetName(asset, n)}`;
}

/** An account, with its owner where that is known. */
export const holderName = ({ account, owner }: Holder, n: Naming): string =>
  owner === undefined || owner === account
    ? n.address(account)
    : `${n.address(owner)}'s account ${n.address(account)}`;

const programOf = (program: Address, n: Naming): string =>
  programName(program) ?? `the program ${n.address(program)}`;
const ownerOf = (owner: Address, n: Naming): string => programName(owner) ?? n.address(owner);

const authorityWords = (may: string, who: Address | null | undefined, n: Naming): string =>
  who === undefined ? '' : who === null ? `; ${may} no one` : `; ${may} ${n.address(who)}`;

function earnersOf(
  { earners, final }: { readonly earners: readonly Earner[]; readonly final: boolean },
  n: Naming,
): string {
  const shares = earners.map(({ wallet, bps }) => `${n.address(wallet)} earns ${percent(bps)}`);
  return `${listWords(shares)}${final ? '; no earner can be added afterwards' : '; more may follow'}`;
}
