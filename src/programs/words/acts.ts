/**
 * Acts as sentences a person understands. Templates only: names of tokens and memos come from outside and are left to
 * the caller, who knows how to mark them. Amounts are never rounded.
 */
import { decimal, listWords, percent, several } from '../../base/words.ts';
import type { Address } from '../../transaction/types.ts';
import type { Act, ActOf, Right } from '../acts.ts';
import { programName } from '../index.ts';
import { addressList, changedWords, createdWords } from './earners.ts';
import { actAmount, assetName, bounded, holderName, type Naming, sol, withWarning } from './naming.ts';
import { depositWords, poolWords, positionWords, settingsWords } from './pools.ts';

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
  claim: claimWords,
  openAccount: ({ account, kind, owner, mint, payer, deposit, ifMissing }, n) =>
    `an account for ${mint === undefined ? KINDS[kind] : assetName(mint, n)} is made at ${n.address(account)}` +
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
    (surcharge === undefined ? '' : `; the metadata program takes ${sol(surcharge)} above the deposit`),
  freeze: ({ account, frozen }, n) => `${holderName(account, n)} is ${frozen ? 'frozen' : 'released'}`,
  mintRule: (act, n) => `the token ${n.address(act.mint)} gets the rule "${act.rule}"${ruleWords(act, n)}`,
  accountRule: ({ account, rule, on }, n) =>
    `the rule "${rule}" is switched ${on ? 'on' : 'off'} for the account ${n.address(account)}`,
  setRight: ({ right, of, to, amount }, n) => {
    const over = `the right ${rightWords(right)} ${n.address(of)}`;
    if (to === null) return `${over} is given up for good`;
    const most = amount === undefined ? '' : `, for at most ${decimal(amount)} base units`;
    return `${withWarning(to, n)} gets ${over}${most}`;
  },
  createConfig: createdWords,
  extendConfig: createdWords,
  changeShares: changedWords,
  setManager: ({ base, manager }, n) =>
    `${withWarning(manager, n)} may change from now on who earns the fees of ${n.address(base)}`,
  createPartner: ({ partner, bps }, n) => `${n.address(partner)} becomes a partner with ${percent(bps)}`,
  createPoolConfig: settingsWords,
  createPool: poolWords,
  openPosition: positionWords,
  addLiquidity: depositWords,
  lockLiquidity: ({ position }, n) => `liquidity of the position ${n.address(position)} is locked for good`,
  tableCreate: ({ table, authority, payer }, n) =>
    `an address table is made at ${n.address(table)}; ${withWarning(authority, n)} controls it and may close it and take its deposit; ${n.address(payer)} pays that`,
  tableExtend: tableWords,
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

/** Who a claim pays, and who may take a part of it: the bytes name those accounts and say no amount for them. */
function claimWords(act: ActOf<'claim'>, n: Naming): string {
  const { what, from, payouts } = act;
  const main = mainPayouts(act).map((payout) => {
    const owed = n.known?.owed(act, payout);
    const limits = [
      ...(bounded(payout.most) ? [`at most ${actAmount(payout.most, payout.asset, n)}`] : []),
      ...(owed === undefined
        ? []
        : [`${actAmount(owed, payout.asset, n)} is set aside before this transaction`]),
    ];
    return `${assetName(payout.asset, n)} to ${holderName(payout.to, n)}${limits.length === 0 ? '' : ` (${limits.join('; ')})`}`;
  });
  const parts = payouts.filter((payout) => !mainPayouts(act).includes(payout));
  return (
    `${what} ${/^(?:a |everything)/.test(what) ? 'is' : 'are'} paid out of ${n.address(from)}: ${listWords(main)}` +
    (parts.length === 0
      ? ''
      : `; a part of it may go to ${listWords(parts.map(({ to }) => holderName(to, n)))}: whether and how much, these bytes do not say`)
  );
}

/** The first account a claim names for each asset: those after it take parts of the same. */
export const mainPayouts = ({ payouts }: ActOf<'claim'>) =>
  payouts.filter(({ asset }, index) => payouts.findIndex((each) => each.asset === asset) === index);

/** What a right lets its holder do, where it has a name of its own; it is followed by what the right is over. */
const RIGHTS: ReadonlyMap<Right, string> = new Map([
  ['owner', 'to control everything in the account'],
  ['delegate', 'to take tokens out of the account'],
  ['close authority', 'to close the account'],
  ['mint authority', 'to make more of the token'],
  ['freeze authority', 'to freeze accounts of the token'],
  ['metadata authority', 'to change name and symbol of the token'],
]);

export const rightWords = (right: Right): string => RIGHTS.get(right) ?? `"${right}" over`;

const KINDS = { token: 'tokens', nonce: 'a nonce', multisig: 'several signers', data: 'data of a program' };

const programOf = (program: Address, n: Naming): string =>
  programName(program) ?? `the program ${n.address(program)}`;
const ownerOf = (owner: Address, n: Naming): string => programName(owner) ?? n.address(owner);

const authorityWords = (may: string, who: Address | null | undefined, n: Naming): string =>
  who === undefined ? '' : `; ${may} ${who === null ? 'no one' : withWarning(who, n).replace(/,$/, '')}`;

/** What a table is given: how many addresses are the reader's, are known here, and are not, and all of them. */
function tableWords({ table, addresses }: ActOf<'tableExtend'>, n: Naming): string {
  const added = `${several(addresses.length, 'address', 'addresses')} ${addresses.length === 1 ? 'is' : 'are'} added to the address table ${n.address(table)}, which makes later transactions shorter and gives no right`;
  const own = addresses.filter((address) => n.known?.isOwn(address) === true);
  const named = addresses.filter((address) => !own.includes(address) && n.isNamed?.(address) === true);
  const rest = addresses.filter((address) => !own.includes(address) && !named.includes(address));
  const part = (of: readonly Address[], what: string) =>
    of.length === 0 ? [] : [`${decimal(BigInt(of.length))} ${what} (${addressList(of, n)})`];
  return `${added}: ${listWords([
    ...part(own, 'of the wallet'),
    ...part(named, 'known here by name'),
    ...part(rest, 'not known here'),
  ])}`;
}

/** What a rule of a mint says: every field with its value. Metadata is its maker's text; what is removed is said. */
function ruleWords({ rule, values }: ActOf<'mintRule'>, n: Naming): string {
  const fields = Object.entries(values).map(([field, value]) => {
    if (rule === 'metadata') return `${n.quoted(field)} ${value === null ? 'removed' : n.quoted(`${value}`)}`;
    if (value === null) return `${fieldWords(field)} none`;
    if (field === 'basisPoints' && typeof value === 'number') return `${percent(value)} of each transfer`;
    if (field === 'rate' && typeof value === 'number') return `${percent(value)} a year`;
    if (typeof value !== 'string') return `${fieldWords(field)} ${decimal(BigInt(value))}`;
    return `${fieldWords(field)} ${isAddress(value) ? n.address(value) : value}`;
  });
  return fields.length === 0 ? '' : `: ${listWords(fields)}`;
}

/** `configAuthority` as `config authority`. */
const fieldWords = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export const isAddress = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);
