/**
 * What is wrong where a check did not hold, and what to do about it, by the name of the check. A name says what should
 * be true, so a sentence that showed it would say the opposite of what was found.
 */
import { EVERY_ASSET, simulatedCheck, TERMS } from '../reasons.ts';

/** A sentence without its last dot, and what a person can do where the code alone does not say it. */
interface Fault {
  readonly says: string;
  /** What stands before the bound that was not kept; `allowed` unless said otherwise. */
  readonly bound?: string;
  /** Instead of the remedy of the code; empty where none helps. */
  readonly remedy?: string;
}

const AT_LEAST = 'at least';
const FILE = 'in the policy file';

/** What is wrong where a check did not hold; none where the sentence of its code says it. */
export const FAULTS: Readonly<Partial<Record<string, Fault>>> = {
  // Rules, and what they let.
  'wallet is one of the policy': {
    says: 'The policy names no such wallet, so no rule of it is about this',
    remedy: `A person can add the wallet to "wallets" ${FILE}.`,
  },
  'token is one of the policy': {
    says: 'The policy lists the tokens it is about, and this token is not among them',
    remedy: `A person can add the token to tokens.mints ${FILE}.`,
  },
  'transfer fee of the bought token is below one half': {
    says: 'Transfers of the token cost half of it or more, now or from a later epoch on',
    remedy: '',
  },
  'within the hours of a rule': {
    says: 'It is outside the hours in which a rule of the policy allows this',
    remedy: `Ask again within those hours; a person can change the hours of the rule ${FILE}.`,
  },
  [TERMS.share]: {
    says: 'Less of the quoted amount is sure to arrive than the rule asks for',
    bound: AT_LEAST,
  },
  [TERMS.fee]: { says: 'The service fee is above what the rule allows' },
  [TERMS.rate]: { says: 'The rate is below the lowest the rule allows', bound: AT_LEAST },
  [TERMS.firstBuy]: {
    says: 'The first buy brings less of the supply than the rule asks for what it pays',
    bound: AT_LEAST,
  },
  [EVERY_ASSET]: { says: 'Something would leave the wallet for which the policy has no limit' },

  'lookup table is used by a later stage': { says: 'No later stage of the plan uses the lookup table' },

  // Bytes against what the service declares of them.
  'format is the declared one': { says: 'The transaction is not in the format the service declares' },
  'format is one the policy allows': {
    says: 'The transaction is in a format the policy does not allow',
    remedy: `A person can add the format to transaction.formats ${FILE}.`,
  },
  'signers are the declared ones': { says: 'The signers are not the ones the service declares' },
  'every signer is needed': { says: 'A key would sign that no instruction uses' },
  'other signatures are there': {
    says: 'Another key has to sign before the wallet, and its signature is missing',
    remedy: 'The key named must sign the bytes elsewhere first.',
  },
  'wallet can sign here': {
    says: 'This home has no key of the wallet, so it cannot sign',
    remedy: 'Sign the bytes elsewhere, or use the home that holds the key of the wallet.',
  },
  'declared height is a number': { says: 'The height the service declares is not a number' },
  'every account is known': {
    says: 'The transaction names a place in a lookup table at which the table holds no address',
  },
  'every stage of the plan can be read': {
    says: 'Another stage of the plan names accounts of a lookup table that are not known yet',
    remedy: 'Review the plan again once the stages before it have landed.',
  },

  // What was asked for.
  'plan was made for this network': { says: 'The plan was made for another network than the one in use' },
  'what the request names as addresses are addresses': { says: 'The request names an address that is none' },
  'stage belongs to the operation': { says: 'The plan holds a stage that is no part of what was asked for' },
  'the recipient is another wallet': {
    says: 'What is sent there might never be used: the recipient is not another wallet',
    remedy: 'Check the address: name the wallet that is to be paid.',
  },
  'quote was fetched here': {
    says: 'The swap stands on a quote that this home did not fetch',
    remedy: 'Ask for a quote, then for the swap.',
  },
  'quote is for this wallet': { says: 'The quote is for another wallet' },
  'quote is for the mints that were asked': { says: 'The quote is for other tokens than were asked for' },
  'quote is for the amount that was asked': { says: 'The quote is for another amount than was asked for' },
  'quoted minimum keeps the slippage that was asked': {
    says: 'The quote lets less arrive than the slippage that was asked for',
    bound: AT_LEAST,
  },
  'quote is traded once': {
    says: 'Another swap has traded this quote, and a quote is good for one swap',
    remedy: 'Ask for a new quote, then for the swap.',
  },
  'fee is taken from a side of the swap': {
    says: 'The service takes its fee in a token that is neither sold nor bought',
  },
  'what leaves is the quoted input': { says: 'More would leave than was quoted' },
  'service fee is the stated one': { says: 'The fee the bytes take is not the fee the service states' },
  'what arrives is at least the quoted minimum': {
    says: 'Less is sure to arrive than was quoted',
    bound: AT_LEAST,
  },
  'table names each address once': { says: 'The lookup table would name an address twice, which costs rent' },
  'the plan writes exactly the earners that were asked for': {
    says: 'The plan writes other earners or shares than were asked for',
    bound: 'asked for',
  },
  'the list of earners is ended once': { says: 'The plan does not end the list of earners once' },
  'wallet manages the config': {
    says: 'The wallet does not manage the config, so it cannot change who earns',
    bound: 'needed',
  },
  'fee share config is the one of the token': {
    says: 'The fee share config is not the finished one of the token',
    bound: 'of',
  },
  'who earns from the curve': {
    says: 'Another key than the fee share of the token would earn from the curve',
  },
  'terms of the curve are on the chain': { says: 'The terms of the curve are not on the chain yet' },
  'quote of the curve': { says: 'The curve trades in another quote than was asked for' },
  'no key can make more of the token': { says: 'A key could make more of the token later' },
  'all liquidity is locked for good': {
    says: 'Liquidity of the launch would stay unlocked, so it could be taken out again',
    bound: 'must be locked',
  },
  'the fee share of the token gets half of the liquidity': {
    says: 'The fee share of the token would get less than half of the liquidity',
    bound: 'fee share',
  },
  'the supply is minted to the account the pool is filled from': {
    says: 'Part of the supply is minted to an account that does not fill the pool',
  },
  'the whole supply goes into the pool': {
    says: 'Part of the supply would stay outside the pool',
    bound: AT_LEAST,
  },
  'launched token can be frozen by no stranger': { says: 'Another key could freeze the launched token' },
  [simulatedCheck('no stranger can mint more of the launched token')]: {
    says: 'The simulation shows that another key could mint more of the launched token',
  },
  'transfer fee is within the limits asked for': {
    says: 'The transfer fee of a token is above the limits that were asked for',
  },
  'bytes match the request: earners in their places': {
    says: 'The bytes put other earners or shares in a place than were asked for',
    bound: 'asked for',
  },
  'bytes match the request: payment': { says: 'The request names no payment that can be read' },
  'bytes match the request: the tip comes with what it is for': {
    says: 'A tip would be paid without what it is for',
  },

  // What the wallet would lose or not get.
  'bytes match the request: no other key can take what arrives': {
    says: 'Another key could take what arrives',
  },
  'bytes match the request: who gets the rent': { says: 'The rent would come back to another account' },
  [simulatedCheck('no more leaves than the bytes say')]: {
    says: 'The simulation shows that more would leave the wallet than the bytes say',
  },
  [simulatedCheck('no more leaves than was asked for')]: {
    says: 'The simulation shows that more would leave the wallet than was asked for',
  },
  [simulatedCheck('what was promised arrives')]: {
    says: 'The simulation shows that less would arrive than was promised',
    bound: AT_LEAST,
  },
  [simulatedCheck('claim pays the wallet')]: {
    says: 'The simulation shows that the wallet would get nothing from the claim',
  },
  'every writable account was watched': {
    says: 'The simulation did not show every account that the transaction may change',
  },
  'a second RPC agrees': { says: 'An amount this large needs a second RPC that sees the same' },

  // Powers of others over a token.
  'token can be looked at': {
    says: 'Our RPC does not show the token, so the powers of other keys over it are not known',
    remedy: 'Check that the address of the token is right; ask again once our RPC shows it.',
  },
  'launched token gives no other key a power over it': {
    says: 'The launched token would give another key a power over it',
    remedy: '',
  },
};
