/** Names parties, amounts, tokens and programs in a statement. */
import { decimal, shortAddress } from '../../base/format.ts';
import { PLATFORM_VAULT, PROGRAM_CONFIG } from '../../programs/feeShare/addresses.ts';
import { programName } from '../../programs/index.ts';
import type { Ref, Role } from '../../statement/types.ts';
import { assetOf } from '../../statement/view.ts';
import type { Address } from '../../transaction/types.ts';
import { amountWords, assetName, type TokenUnit } from './amounts.ts';

/** The text for a party, and whether the owner knows it. */
export interface Named {
  readonly text: string;
  readonly isKnown: boolean;
  readonly isOwn: boolean;
  readonly isProgram: boolean;
}

export interface Names {
  /** Names a key. Its owner may also create a token at it, so token names are never used. */
  party(ref: Ref | Role | null): Named;
  /** Names the object of a right or an income: a token or any other account. */
  account(ref: Ref): Named;
  /** Formats an amount, `0.5 SOL`; in base units if the decimals are unknown. */
  amount(units: bigint, asset: unknown): string;
  token(mint: unknown): string;
  program(address: Address): string;
}

/** Input of names. */
export interface Known {
  readonly wallet: Address;
  readonly label: (address: Address) => string | undefined;
  readonly isOwn: (address: Address) => boolean;
  readonly tokens: ReadonlyMap<string, TokenUnit>;
  /** The authority of the token's fee share, a program address that receives for the claimers. */
  readonly feeShare?: Address | undefined;
}

const ROLES: Readonly<Record<Role, string>> = {
  market: 'the market',
  validators: 'the validators',
  blockBuilder: 'the block builder',
  stagePayer: 'the key that pays the network fee',
};
const MADE = {
  position: 'position',
  table: 'lookup table',
  config: 'config',
  mint: 'token',
  pool: 'pool',
  account: 'account',
} as const;

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
/** Returns the ordinal of an index from 0; empty for the first, which is often the only one. */
const ordinal = (n: number): string => (n === 0 ? '' : `${n + 1}${ENDINGS[ORDINALS.select(n + 1)] ?? 'th'} `);

const isRole = (ref: string): ref is Role => Object.hasOwn(ROLES, ref);

/** Creates names from policy labels and known tokens. */
export function namesOf({ wallet, label, isOwn, tokens, feeShare }: Known): Names {
  const named = (text: string, more: Partial<Named> = {}): Named => ({
    ...{ text, isKnown: true, isOwn: false, isProgram: false },
    ...more,
  });
  const party: Names['party'] = (ref) => {
    if (ref === null) return named('no key');
    if (typeof ref !== 'string') return named(`the ${ordinal(ref.n)}new ${MADE[ref.made]}`);
    if (isRole(ref)) return named(ROLES[ref]);
    if (ref === wallet) return named('your wallet', { isOwn: true });
    if (ref === PROGRAM_CONFIG || ref === PLATFORM_VAULT) return named('the platform');
    if (ref === feeShare) return named(`the token's fee share (${ref})`, { isProgram: true });
    const known = label(ref);
    if (known !== undefined) return named(`${known} (${ref})`, { isOwn: isOwn(ref) });
    const program = programName(ref);
    if (program !== undefined) return named(program, { isProgram: true });
    return named(`${ref} (not in your address book)`, { isKnown: false });
  };
  const account: Names['account'] = (ref) =>
    typeof ref === 'string' && tokens.has(ref) ? named(assetName(ref, tokens.get(ref))) : party(ref);
  const token = (mint: unknown): string => {
    if (typeof mint !== 'string') return account(mint as Ref).text;
    if (assetOf(mint) === 'SOL') return 'SOL';
    return assetName(mint, tokens.get(mint));
  };
  return {
    party,
    account,
    token,
    amount: (units, asset) =>
      typeof asset === 'string'
        ? amountWords(units, assetOf(asset), tokens)
        : `${decimal(units)} base units of ${token(asset)}`,
    program: (address) => programName(address) ?? shortAddress(address),
  };
}
