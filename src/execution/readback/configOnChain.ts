/**
 * What a fee share config really says, read from the accounts of the real program by our own RPC and compared with
 * what was asked for. That a config exists does not show who earns (T63). Where a config is follows from the token and
 * its quote, never from an answer.
 */
import { several } from '../../base/format.ts';
import {
  askedClaimers,
  askedManager,
  countOfClaimers,
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

/** The token and the quote a request is about; `undefined` when it names no mint. */
export function pairOf(request: Fields): { readonly mint: Address; readonly quoteMint: Address } | undefined {
  const mint = textOf(request, 'baseMint') ?? textOf(request, 'tokenMint');
  const quoteMint = textOf(request, 'quoteMint') ?? WSOL_MINT;
  return mint === undefined || !isAddress(mint) || !isAddress(quoteMint) ? undefined : { mint, quoteMint };
}

/** Where the fee share config of a request's token is, if the real program has it. */
export function configAddressOf(request: Fields): Address | undefined {
  const pair = pairOf(request);
  return pair && feeShareConfigAddress(pair.mint, pair.quoteMint);
}

/** Where the config of a pair is looked for when it is not at the address of the known program. */
interface Elsewhere {
  readonly mint: Address;
  /** Absent where the request names none: any quote of the token. */
  readonly quoteMint?: Address | undefined;
  /** The config as the service names it. */
  readonly named?: Address | undefined;
  /** Accounts of what landed. */
  readonly touched: readonly Address[];
}

/** A fee share config, and the program that keeps it. */
interface Share {
  readonly program: Address;
  readonly quoteMint: Address;
  readonly config: FeeShareConfig;
}

/**
 * Reads the fee share config of a pair. Fees in another quote than SOL are shared by a program that is not supported: its
 * config is the account at the address that follows from that program, the token and the quote.
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
  found.expect(
    config.isInitFinalized === 1,
    'list of claimers (it is not finished, more can still be added)',
  );
  found.expect(config.isUpdateLocked !== 1, 'list of claimers (a change of it is not finished)');
  return share;
}

/** The config that the known program keeps. */
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

/** The config that a program which is not supported keeps; without one in the known layout, whether an account is there. */
async function findElsewhere(chain: Chain, found: Findings, about: Elsewhere): Promise<Share | undefined> {
  const { mint, quoteMint, named, touched } = about;
  const candidates = named === undefined ? touched : [named, ...touched];
  const read = (await accountsOfType(chain, candidates, feeShareConfig, 'any')).find(
    ({ address, program, fields }) =>
      address === feeShareConfigAddress(mint, quoteMint ?? fields.quoteMint, program),
  );
  if (read !== undefined) {
    const { address, program, fields } = read;
    found.says.push(`its fee share config ${address} is kept by program ${program}, which is not supported`);
    return { program, quoteMint: quoteMint ?? fields.quoteMint, config: fields };
  }
  if (quoteMint === undefined) return readKnown(found, undefined, mint);
  const [shown] = named === undefined ? [] : (await chain.accounts([named], 'confirmed', 0)).value;
  if (shown?.exists === true && shown.owner !== SYSTEM_PROGRAM) {
    found.unsupported.push(
      `its fee share config ${shown.address} exists and is kept by program ${shown.owner}, which is not supported: who earns was not verified`,
    );
    return undefined;
  }
  found.lasting = true;
  found.unread.push(
    `fee share config${named === undefined ? '' : ` ${named}`} of token ${mint} (fees in another quote than SOL are shared by a program that is not supported, and our RPC does not show this account)`,
  );
  return undefined;
}

/** A config request, and what is known of how it was answered. */
export interface AskedConfig {
  readonly request: Fields;
  readonly wallet: Address;
  /** The curve's terms and the config as the answer names them; believed only for where to look. */
  readonly venueConfigKey?: unknown;
  readonly feeShareConfig?: unknown;
  /** Accounts of what landed. */
  readonly touched: readonly Address[];
}

/** Compares the config of a token with the request for it: every claimer, share, manager and partner, and its curve. */
export async function checkConfig(chain: Chain, asked: AskedConfig): Promise<Findings> {
  const { request, wallet, touched, feeShareConfig: named } = asked;
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
    // A config of one claimer may have no manager where the request names none.
    const isOptional = textOf(request, 'admin') === undefined && countOfClaimers(request) === 1;
    if (config.manager !== null || !isOptional)
      found.equal('admin', config.manager, askedManager(request, wallet));
    found.equal('partner', config.partner, partner);
    found.equal(
      'partnerConfig',
      config.partnerConfig,
      partner === null ? null : partnerConfigAddress(partner, program),
    );
    found.says.push(
      `${several(config.claimers.length, 'claimer')} with the shares asked for, whom ${config.manager ?? 'no key'} may change`,
    );
  }
  if (request.flow === 'dbc' && !found.lasting) await checkCurve(chain, asked, pair, found, share);
  return found;
}

/** The terms of the curve: made by what landed, or, when that made none, where the answer says. */
async function checkCurve(
  chain: Chain,
  { request, venueConfigKey, touched }: AskedConfig,
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
    found.differs.push(`terms of the curve (the service names ${named}, made were ${terms[0]?.address})`);
  }
  const minFee = request.enableFirstSwapWithMinFee === true ? 1 : 0;
  for (const { address, fields } of terms) {
    found.equal('quote of the curve', fields.quoteMint, pair.quoteMint);
    if (share !== undefined)
      found.equal('who earns from the curve', fields.feeClaimer, authorityOf(pair.mint, share));
    found.expect(
      fields.enableFirstSwapWithMinFee === minFee,
      'firstSwapMinFee (whether the first swap pays the lowest fee)',
    );
    found.says.push(
      `the terms of its curve are ${address}${share === undefined ? '' : ', and they pay those claimers'}`,
    );
  }
}

/** Who must earn at the venues, so that the claimers of a config are paid. */
export const authorityOf = (mint: Address, { program, quoteMint }: Share): Address =>
  feeShareAuthorityAddress(mint, quoteMint, program);

/** Compares only who earns how much, which is what a changed split changes. A request for one names no quote. */
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
    found.says.push(`${several(share.config.claimers.length, 'claimer')} with the shares asked for`);
  return found;
}

function withoutMint(): Findings {
  const found = new Findings();
  found.unread.push('fee share config (the request names no mint)');
  return found;
}

/** The config of a request's token, with what differs in who earns how much; without one, `found` says why. */
async function readSplit(chain: Chain, request: Fields, found: Findings, about: Elsewhere) {
  const address = feeShareConfigAddress(about.mint, about.quoteMint);
  const share = await readFeeShare(
    chain,
    found,
    (await chain.accounts([address], 'confirmed')).value[0],
    about,
  );
  if (share !== undefined)
    found.differs.push(...claimersDiffer(share.config.claimers, askedClaimers(request)));
  return share;
}

/** Who earns otherwise than asked, by address. A wallet that stands in the list twice earns both shares. */
function claimersDiffer(claimers: readonly ClaimerShare[], wanted: readonly ClaimerShare[]): string[] {
  const has = new Map<Address, number>();
  for (const { wallet, bps } of claimers) has.set(wallet, (has.get(wallet) ?? 0) + bps);
  const asked = new Map(wanted.map(({ wallet, bps }) => [wallet, bps]));
  return [...new Set([...asked.keys(), ...has.keys()])].flatMap((address) => {
    const [now, then] = [has.get(address), asked.get(address)];
    if (now === then) return [];
    if (now === undefined) return [`claimer ${address} (asked for ${then} basis points, is not in it)`];
    if (then === undefined) return [`claimer ${address} (has ${now} basis points, was not asked for)`];
    return [`share of ${address} (asked for ${then} basis points, has ${now})`];
  });
}
