/**
 * Deposits a transaction asks of a wallet: SOL that lies in an account as long as it exists. Priced from the sizes of
 * the accounts; one that exists already costs nothing, and none is counted twice. Pure.
 */
import type { Act, ActOf } from '../../../programs/acts.ts';
import { NFT_MINT_BYTES, TOKEN_ACCOUNT_BYTES } from '../../../programs/dammV2/acts.ts';
import { positionNftAccountAddress } from '../../../programs/dammV2/addresses.ts';
import {
  feeShareAuthorityAddress,
  PROGRAM_CONFIG,
  partnerConfigAddress,
} from '../../../programs/feeShare/addresses.ts';
import { METADATA_BYTES, metadataAddress } from '../../../programs/tokenMetadata/addresses.ts';
import type { Known } from '../../../programs/words/naming.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { StepAct } from '../known.ts';
import type { AccountAt } from '../surroundings.ts';

/** Lamports for each byte of an account, and bytes each account is charged above its own. */
const [LAMPORTS_A_BYTE, OVERHEAD] = [6_960n, 128];
const [TOKEN_BYTES, TABLE_BYTES, ADDRESS_BYTES, POOL_CONFIG_BYTES, PARTNER_BYTES, POSITION_BYTES] = [
  165, 56, 32, 1_048, 128, 408,
];
/** A mint of the Token program, and one of Token-2022 with every rule and text it is given here. */
const [MINT_BYTES, LARGEST_MINT_BYTES] = [82, 1_024];
/** A token account of Token-2022 with everything a mint can ask it to hold. */
const LARGEST_TOKEN_BYTES = 195;
/** A fee share: the list of earners and what each has earned, without the earners, and for each of them. */
const [EARNERS_BYTES, EARNER_BYTES, SHARE_BYTES, EARNED_BYTES] = [184, 34, 104, 8];

const rentOf = (bytes: number): bigint => BigInt(OVERHEAD + bytes) * LAMPORTS_A_BYTE;

export interface Deposit {
  readonly account: Address;
  /** What the account is, for a person. */
  readonly what: string;
  /** Most it costs; absent where the bytes do not fix its size. */
  readonly lamports?: bigint;
  /** The account exists and grows. */
  readonly grows: boolean;
  /** Step of this transaction in which the wallet gets it back. */
  readonly returnedIn?: number;
}

/**
 * What an account that a wallet pays for by amount is, where the amount is no more than the deposit of a token or a
 * token account that the same transaction makes of it; `undefined` for every other payment.
 */
export function plainDeposit(
  { account, owner = '', kind, deposit }: ActOf<'openAccount'>,
  steps: readonly StepAct[],
): 'token' | ActOf<'openAccount'> | undefined {
  if (kind !== 'data' || typeof deposit !== 'bigint' || !TOKEN_PROGRAMS.includes(owner)) return undefined;
  const isStock = owner === TOKEN_PROGRAM;
  for (const { act } of steps) {
    if (act.act === 'createMint' && act.mint === account)
      return deposit <= rentOf(isStock ? MINT_BYTES : LARGEST_MINT_BYTES) ? 'token' : undefined;
    if (act.act === 'openAccount' && act.kind === 'token' && act.account === account)
      return deposit <= rentOf(isStock ? TOKEN_BYTES : LARGEST_TOKEN_BYTES) ? act : undefined;
  }
  return undefined;
}

interface Asked {
  readonly account: Address;
  readonly what: string;
  readonly bytes?: number | undefined;
  /** What the bytes say it costs. */
  readonly paid?: bigint;
  readonly grows?: boolean;
}

/** The deposits a wallet pays, in order. */
export function depositsOf(
  steps: readonly StepAct[],
  wallet: Address,
  known: Known,
  accountAt: AccountAt,
): Deposit[] {
  const found: Deposit[] = [];
  for (const [index, { act, step }] of steps.entries()) {
    for (const { account, what, bytes, paid, grows = false } of askedBy(act, wallet, steps, step, known)) {
      const counted = found.some((each) => each.account === account && !(grows || each.grows));
      if (counted || (!grows && accountAt(account))) continue;
      const closing = steps
        .slice(index + 1)
        .find(({ act: later }) => closes(later, account) && 'refundTo' in later && later.refundTo === wallet);
      // A table or a list that is made in this very transaction and then extended is one account.
      const first = found.find((each) => each.account === account);
      const lamports = bytes === undefined ? paid : grows ? BigInt(bytes) * LAMPORTS_A_BYTE : rentOf(bytes);
      found.push({
        account,
        what,
        grows: grows && first === undefined,
        ...(lamports === undefined ? {} : { lamports }),
        ...(closing === undefined || closing.step < step ? {} : { returnedIn: closing.step }),
      });
    }
  }
  return found;
}

/** Tokens made by an instruction itself, without an account made for them before. */
const mintsMade = (steps: readonly StepAct[], step: number): readonly Address[] =>
  steps.flatMap(({ act, step: at }) =>
    at === step &&
    act.act === 'createMint' &&
    !steps.some(({ act: other }) => other.act === 'openAccount' && other.account === act.mint)
      ? [act.mint]
      : [],
  );

const closes = (act: Act, account: Address): boolean =>
  (act.act === 'closeAccount' && act.account.account === account) ||
  (act.act === 'tableClose' && act.table === account);

/** Accounts an act makes, or makes larger, at the wallet's cost. */
function askedBy(
  act: Act,
  wallet: Address,
  steps: readonly StepAct[],
  step: number,
  known: Known,
): readonly Asked[] {
  if (!('payer' in act) || act.payer !== wallet) return [];
  switch (act.act) {
    case 'openAccount':
      return act.deposit === 'rent' ? [tokenAccount(act, wallet)] : paidDeposit(act, wallet, steps);
    case 'createPool':
      return act.makes.map(({ account, bytes }) => ({ account, bytes, what: poolPart(act, account) }));
    case 'openPosition':
      return [
        { account: act.position, bytes: POSITION_BYTES, what: 'the position' },
        { account: act.nftMint, bytes: NFT_MINT_BYTES, what: "the position's NFT" },
        {
          account: positionNftAccountAddress(act.nftMint),
          bytes: TOKEN_ACCOUNT_BYTES,
          what: "the NFT's account",
        },
      ];
    case 'setMetadata':
      return [
        { account: metadataAddress(act.mint), bytes: METADATA_BYTES, what: "the token's metadata" },
        ...mintsMade(steps, step).map((account) => ({ account, what: 'the token' })),
      ];
    case 'createConfig':
      return newShare(act);
    case 'extendConfig':
      return grown(act, act.earners.length);
    case 'changeShares':
      return grown(act, act.earners.length - (act.toIndex - act.fromIndex));
    case 'createPartner': {
      const account = partnerConfigAddress(act.partner);
      return [
        { account, bytes: PARTNER_BYTES, what: "the partner's config" },
        { ...ownTokens(account, WSOL_MINT), what: "the partner's token account" },
      ];
    }
    case 'createPoolConfig':
      return [{ account: act.config, bytes: POOL_CONFIG_BYTES, what: 'the settings' }];
    case 'tableCreate':
      return [{ account: act.table, bytes: TABLE_BYTES, what: 'the address table' }];
    case 'tableExtend':
      return act.addresses.length === 0
        ? []
        : [
            {
              account: act.table,
              bytes: act.addresses.length * ADDRESS_BYTES,
              what: 'the address table',
              grows: true,
            },
          ];
    case 'claim':
      return act.payouts.flatMap(({ asset, to }) => {
        if (asset === 'SOL' || to.owner === undefined || to.owner === PROGRAM_CONFIG) return [];
        const own = ownTokens(to.owner, asset);
        const what = `${whose(to.owner, wallet, known)} account for ${asset === WSOL_MINT ? 'wrapped SOL' : 'the token'}`;
        return own.account === to.account ? [{ ...own, what }] : [];
      });
    default:
      return [];
  }
}

const whose = (owner: Address, wallet: Address, known: Known): string => {
  if (owner === wallet) return "the wallet's";
  return known.feeShareOf(owner) === undefined ? "another owner's" : "the fee share's";
};

const ownTokens = (owner: Address, mint: Address) => ({
  account: associatedTokenAddress(owner, mint, TOKEN_PROGRAM),
  bytes: TOKEN_BYTES,
});

/** A token or token account whose deposit is paid before it is made. */
function paidDeposit(
  act: ActOf<'openAccount'>,
  wallet: Address,
  steps: readonly StepAct[],
): readonly Asked[] {
  const found = plainDeposit(act, steps);
  if (found === undefined || typeof act.deposit !== 'bigint') return [];
  const what = found === 'token' ? 'the token' : tokenAccount(found, wallet).what;
  return [{ account: act.account, what, paid: act.deposit }];
}

/** Accounts of the Token program have one size; those of Token-2022 at most what a mint can ask for. */
function tokenAccount({ account, owner, mint }: ActOf<'openAccount'>, wallet: Address): Asked {
  const of = owner === wallet ? 'of the wallet' : 'of another owner';
  // The address says that it is for wrapped SOL, also where the mint stands in a table that is not known.
  const isWrapped =
    mint === WSOL_MINT || (owner !== undefined && ownTokens(owner, WSOL_MINT).account === account);
  const what = `a token account ${of}${isWrapped ? ' for wrapped SOL' : ''}`;
  const plain =
    isWrapped || (owner !== undefined && mint !== undefined && ownTokens(owner, mint).account === account);
  return { account, what, bytes: plain ? TOKEN_BYTES : LARGEST_TOKEN_BYTES };
}

function poolPart({ pool, base, surchargeOn }: ActOf<'createPool'>, account: Address): string {
  if (account === pool) return 'the pool';
  if (account === surchargeOn) return "the token's metadata";
  return account === base ? 'the token' : 'accounts of the pool';
}

const newShare = ({ config, base, quote, earners }: ActOf<'createConfig'>): readonly Asked[] => {
  const account = feeShareAuthorityAddress(base, quote);
  const count = earners.length;
  return [
    { account: config, bytes: EARNERS_BYTES + count * EARNER_BYTES, what: 'the list of earners' },
    { account, bytes: SHARE_BYTES + count * EARNED_BYTES, what: 'the fee share' },
    { ...ownTokens(account, quote), what: "the fee share's token account" },
  ];
};

function grown(
  { config, base, quote }: ActOf<'extendConfig' | 'changeShares'>,
  more: number,
): readonly Asked[] {
  if (more <= 0) return [];
  const account = feeShareAuthorityAddress(base, quote);
  return [
    { account: config, bytes: more * EARNER_BYTES, what: 'the list of earners', grows: true },
    { account, bytes: more * EARNED_BYTES, what: 'the fee share', grows: true },
  ];
}
