/**
 * Verifies a fee share config on chain: reads the accounts of the known program from our own RPC and compares them
 * with the request. The existence of a config does not show who earns (T63). Its address is derived from the token
 * and its quote, never taken from an answer.
 */
import { several } from '../../base/format.ts';
import {
  countOfClaimers,
  requestedClaimers,
  requestedManager,
  textOf,
} from '../../policy/decide/operations/request.ts';
import type { AccountLayout } from '../../programs/account.ts';
import type { ClaimerShare } from '../../programs/acts.ts';
import { poolConfig } from '../../programs/dbc/accounts.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import {
  FEE_SHARE_PROGRAM,
  feeShareAuthorityAddress,
  feeShareConfigAddress,
  partnerConfigAddress,
} from '../../programs/feeShare/addresses.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { SYSTEM_PROGRAM, WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { accountsOfType } from './accountsOfType.ts';
import { Findings } from './findings.ts';

type Fields = Readonly<Record<string, unknown>>;
export type FieldsOf<L> = L extends AccountLayout<string, infer F> ? F : never;
type FeeShareConfig = FieldsOf<typeof feeShareConfig>;

/** Returns the token and quote of a request; `undefined` if it names no mint. */
export function pairOf(request: Fields): { readonly mint: Address; readonly quoteMint: Address } | undefined {
  const mint = textOf(request, 'baseMint') ?? textOf(request, 'tokenMint');
  const quoteMint = textOf(request, 'quoteMint') ?? WSOL_MINT;
  return mint === undefined || !isAddress(mint) || !isAddress(quoteMint) ? undefined : { mint, quoteMint };
}

/** Returns the derived fee share config address for the token of a request. */
export function configAddressOf(request: Fields): Address | undefined {
  const pair = pairOf(request);
  return pair && feeShareConfigAddress(pair.mint, pair.quoteMint);
}

/** Where to look for a pair's config that is not at the known program's address. */
interface Elsewhere {
  readonly mint: Address;
  /** Absent if the request names no quote: any quote of the token matches. */
  readonly quoteMint?: Address | undefined;
  /** The config address from the service's answer. */
  readonly named?: Address | undefined;
  /** Accounts of the landed transactions. */
  readonly touched: readonly Address[];
}

/** A fee share config and its owner program. */
interface Share {
  readonly program: Address;
  readonly quoteMint: Address;
  readonly config: FeeShareConfig;
}

/**
 * Reads the fee share config of a pair. Fees in a quote other than SOL are shared by an unsupported program: its
 * config is at the address derived from that program, the token and the quote.
 */
export async function readFeeShare(
  chain: Chain,
  found: Findings,
  account: AccountFact | undefined,
  about: Elsewhere,
): Promise<Share | undefined> {
  const { mint, quoteMint } = about;
  const share =
    account?.exists !== true && quoteMint !== WSOL_MINT
      ? await findElsewhere(chain, found, about)
      : readKnown(found, account, mint, quoteMint);
  if (share === undefined) return undefined;
  const { config } = share;
  found.equal('token', config.baseMint, mint);
  found.equal('quote', config.quoteMint, share.quoteMint);
  found.expect(config.isInitFinalized === 1, 'list of claimers (not finalized: claimers can still be added)');
  found.expect(config.isUpdateLocked !== 1, 'list of claimers (an update is in progress)');
  return share;
}

/** Reads a config of the known program. */
function readKnown(
  found: Findings,
  account: AccountFact | undefined,
  mint: Address,
  quoteMint: Address = WSOL_MINT,
): Share | undefined {
  const config = found.read(
    'fee share config',
    feeShareConfigAddress(mint, quoteMint),
    account,
    feeShareConfig,
  );
  return config && { program: FEE_SHARE_PROGRAM, quoteMint, config };
}

/**
 * Finds a config owned by an unsupported program. If there is none in the known layout, records whether an account
 * exists.
 */
async function findElsewhere(chain: Chain, found: Findings, about: Elsewhere): Promise<Share | undefined> {
  const { mint, quoteMint, named, touched } = about;
  const candidates = named === undefined ? touched : [named, ...touched];
  const read = (await accountsOfType(chain, candidates, feeShareConfig, 'any')).find(
    ({ address, program, fields }) =>
      address === feeShareConfigAddress(mint, quoteMint ?? fields.quoteMint, program),
  );
  if (read !== undefined) {
    const { address, program, fields } = read;
    found.verified.push(`its fee share config ${address} belongs to the unsupported program ${program}`);
    return { program, quoteMint: quoteMint ?? fields.quoteMint, config: fields };
  }
  if (quoteMint === undefined) return readKnown(found, undefined, mint);
  const [shown] = named === undefined ? [] : (await chain.accounts([named], 'confirmed', 0)).value;
  if (shown?.exists === true && shown.owner !== SYSTEM_PROGRAM) {
    found.unsupported.push(
      `its fee share config ${shown.address} belongs to the unsupported program ${shown.owner}: its claimers were not verified`,
    );
    return undefined;
  }
  found.lasting = true;
  found.unread.push(
    `fee share config${named === undefined ? '' : ` ${named}`} of token ${mint} (fees in a quote other than SOL are shared by an unsupported program, and our RPC does not show this account)`,
  );
  return undefined;
}

/** A config request and the relevant parts of its answer. */
export interface ConfigRequest {
  readonly request: Fields;
  readonly wallet: Address;
  /** The curve config and fee share config named by the answer; used only to know where to look. */
  readonly venueConfigKey?: unknown;
  readonly feeShareConfig?: unknown;
  /** Accounts of the landed transactions. */
  readonly touched: readonly Address[];
}

/** Compares the config of a token with the request: every claimer, share, manager and partner, and its curve. */
export async function checkConfig(chain: Chain, requested: ConfigRequest): Promise<Findings> {
  const { request, wallet, touched, feeShareConfig: named } = requested;
  const pair = pairOf(request);
  if (pair === undefined) return withoutMint();
  const found = new Findings();
  const isNamed = typeof named === 'string' && isAddress(named);
  const share = await readSplit(chain, request, found, {
    ...pair,
    touched,
    named: isNamed ? named : undefined,
  });
  if (share !== undefined) {
    const { program, config } = share;
    const partner = textOf(request, 'partner') ?? null;
    // A config of one claimer may have no manager if the request names none.
    const isOptional = textOf(request, 'admin') === undefined && countOfClaimers(request) === 1;
    if (config.manager !== null || !isOptional)
      found.equal('admin', config.manager, requestedManager(request, wallet));
    found.equal('partner', config.partner, partner);
    found.equal(
      'partnerConfig',
      config.partnerConfig,
      partner === null ? null : partnerConfigAddress(partner, program),
    );
    found.verified.push(
      `${several(config.claimers.length, 'claimer')} with the requested shares; ${config.manager ?? 'no key'} may change them`,
    );
  }
  if (request.flow === 'dbc' && !found.lasting) await checkCurve(chain, requested, pair, found, share);
  return found;
}

/**
 * Checks the curve config that the landed transactions created or, if they created none, the one named by the answer.
 */
async function checkCurve(
  chain: Chain,
  { request, venueConfigKey, touched }: ConfigRequest,
  pair: { readonly mint: Address; readonly quoteMint: Address },
  found: Findings,
  share: Share | undefined,
): Promise<void> {
  const named = typeof venueConfigKey === 'string' && isAddress(venueConfigKey) ? venueConfigKey : undefined;
  const landed = await accountsOfType(chain, touched, poolConfig);
  const terms =
    landed.length > 0 || named === undefined ? landed : await accountsOfType(chain, [named], poolConfig);
  if (terms.length === 0) {
    found.unread.push(`terms of the curve${named === undefined ? '' : ` at ${named}`}`);
    return;
  }
  if (named !== undefined && terms.every(({ address }) => address !== named)) {
    found.differs.push(
      `terms of the curve (the service names ${named}, but ${terms[0]?.address} was created)`,
    );
  }
  const minFee = request.enableFirstSwapWithMinFee === true ? 1 : 0;
  for (const { address, fields } of terms) {
    found.equal('quote of the curve', fields.quoteMint, pair.quoteMint);
    if (share !== undefined)
      found.equal('fee claimer of the curve', fields.feeClaimer, authorityOf(pair.mint, share));
    found.expect(
      fields.enableFirstSwapWithMinFee === minFee,
      'firstSwapMinFee (minimum fee on the first swap)',
    );
    found.verified.push(
      `the terms of its curve are ${address}${share === undefined ? '' : ', which pay those claimers'}`,
    );
  }
}

/** Returns the address that must earn at the venues for a config's claimers to be paid. */
export const authorityOf = (mint: Address, { program, quoteMint }: Share): Address =>
  feeShareAuthorityAddress(mint, quoteMint, program);

/** Compares only the claimers and shares, the part an update changes. Update requests name no quote. */
export async function checkSplit(
  chain: Chain,
  request: Fields,
  touched: readonly Address[],
): Promise<Findings> {
  const pair = pairOf(request);
  if (pair === undefined) return withoutMint();
  const found = new Findings();
  const share = await readSplit(chain, request, found, { mint: pair.mint, touched });
  if (share !== undefined)
    found.verified.push(`${several(share.config.claimers.length, 'claimer')} with the requested shares`);
  return found;
}

function withoutMint(): Findings {
  const found = new Findings();
  found.unread.push('fee share config (the request names no mint)');
  return found;
}

/**
 * Returns the config of a request's token and records differences in claimers and shares; without a config, `found`
 * gives the reason.
 */
async function readSplit(chain: Chain, request: Fields, found: Findings, about: Elsewhere) {
  const address = feeShareConfigAddress(about.mint, about.quoteMint);
  const share = await readFeeShare(
    chain,
    found,
    (await chain.accounts([address], 'confirmed')).value[0],
    about,
  );
  if (share !== undefined)
    found.differs.push(...claimersDiffer(share.config.claimers, requestedClaimers(request)));
  return share;
}

/**
 * Returns the claimers whose shares differ from the request, by address. Shares of a wallet listed twice are added.
 */
function claimersDiffer(claimers: readonly ClaimerShare[], wanted: readonly ClaimerShare[]): string[] {
  const has = new Map<Address, number>();
  for (const { wallet, bps } of claimers) has.set(wallet, (has.get(wallet) ?? 0) + bps);
  const requested = new Map(wanted.map(({ wallet, bps }) => [wallet, bps]));
  return [...new Set([...requested.keys(), ...has.keys()])].flatMap((address) => {
    const [now, then] = [has.get(address), requested.get(address)];
    if (now === then) return [];
    if (now === undefined) return [`claimer ${address} (requested with ${then} basis points, is missing)`];
    if (then === undefined) return [`claimer ${address} (has ${now} basis points, was not requested)`];
    return [`share of ${address} (asked for ${then} basis points, has ${now})`];
  });
}
