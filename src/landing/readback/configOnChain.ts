/**
 * What a fee share config really says, read from the accounts of the real program by our own RPC and compared with
 * what was asked for. That a config exists does not show who earns (T63). Where a config is follows from the token and
 * its quote, never from an answer.
 */
import { several } from '../../base/words.ts';
import { askedEarners, askedManager, textOf } from '../../policy/decide/operations/request.ts';
import type { AccountLayout } from '../../programs/account.ts';
import type { Earner } from '../../programs/acts.ts';
import { poolConfig } from '../../programs/dbc/accounts.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import {
  feeShareAuthorityAddress,
  feeShareConfigAddress,
  partnerConfigAddress,
} from '../../programs/feeShare/addresses.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
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

/**
 * The config account read. A quote other than SOL is shared by a program that is not read: its configs are elsewhere.
 */
export function readFeeShare(
  found: Findings,
  account: AccountFact | undefined,
  { mint, quoteMint }: { readonly mint: Address; readonly quoteMint: Address },
): FeeShareConfig | undefined {
  const address = feeShareConfigAddress(mint, quoteMint);
  if (account?.exists !== true && quoteMint !== WSOL_MINT) {
    found.lasting = true;
    found.unread.push(
      `fee share config of this token (fees in another token than SOL are shared by a program that cannot be read)`,
    );
    return undefined;
  }
  const config = found.read('fee share config', address, account, feeShareConfig);
  if (config === undefined) return undefined;
  found.equal('token', config.baseMint, mint);
  found.equal('quote', config.quoteMint, quoteMint);
  found.expect(config.isInitFinalized === 1, 'list of earners (it is not finished, more can still be added)');
  found.expect(config.isUpdateLocked !== 1, 'list of earners (a change of it is not finished)');
  return config;
}

/** A config request, and what is known of how it was answered. */
export interface AskedConfig {
  readonly request: Fields;
  readonly wallet: Address;
  /** The curve's terms as the answer names them; believed only for where to look, and where to look alone. */
  readonly venueConfigKey?: unknown;
  /** Accounts of what landed. */
  readonly touched: readonly Address[];
}

/** Compares the config of a token with the request for it: every earner, share, manager and partner, and its curve. */
export async function checkConfig(chain: Chain, asked: AskedConfig): Promise<Findings> {
  const { request, wallet } = asked;
  const { found, pair, config } = await readSplit(chain, request);
  if (pair === undefined || config === undefined) return found;
  const partner = textOf(request, 'partner') ?? null;
  found.equal('admin', config.manager, askedManager(request, wallet));
  found.equal('partner', config.partner, partner);
  found.equal('partnerConfig', config.partnerConfig, partner === null ? null : partnerConfigAddress(partner));
  found.says.push(
    `${several(config.earners.length, 'earner')} with the shares asked for, whom ${config.manager ?? 'no key'} may change`,
  );
  if (request.flow === 'dbc') await checkCurve(chain, asked, pair, found);
  return found;
}

/** The terms of the curve: made by what landed, or, when that made none, where the answer says. */
async function checkCurve(
  chain: Chain,
  { request, venueConfigKey, touched }: AskedConfig,
  pair: { readonly mint: Address; readonly quoteMint: Address },
  found: Findings,
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
    found.equal(
      'who earns from the curve',
      fields.feeClaimer,
      feeShareAuthorityAddress(pair.mint, pair.quoteMint),
    );
    found.expect(
      fields.enableFirstSwapWithMinFee === minFee,
      'firstSwapMinFee (whether the first swap pays the lowest fee)',
    );
    found.says.push(`the terms of its curve are ${address}, and they pay those earners`);
  }
}

/** Compares only who earns how much, which is what a changed split changes. */
export async function checkSplit(chain: Chain, request: Fields): Promise<Findings> {
  const { found, config } = await readSplit(chain, request);
  if (config !== undefined)
    found.says.push(`${several(config.earners.length, 'earner')} with the shares asked for`);
  return found;
}

/** The config of a request's token, with what differs in who earns how much; without one, `found` says why. */
async function readSplit(chain: Chain, request: Fields) {
  const found = new Findings();
  const pair = pairOf(request);
  if (pair === undefined) {
    found.unread.push('fee share config (the request names no mint)');
    return { found };
  }
  const address = feeShareConfigAddress(pair.mint, pair.quoteMint);
  const config = readFeeShare(found, (await chain.accounts([address], 'confirmed')).value[0], pair);
  if (config !== undefined) found.differs.push(...earnersDiffer(config.earners, askedEarners(request)));
  return { found, pair, config };
}

/** Who earns otherwise than asked, by address. A wallet that stands in the list twice earns both shares. */
function earnersDiffer(earners: readonly Earner[], wanted: readonly Earner[]): string[] {
  const has = new Map<Address, number>();
  for (const { wallet, bps } of earners) has.set(wallet, (has.get(wallet) ?? 0) + bps);
  const asked = new Map(wanted.map(({ wallet, bps }) => [wallet, bps]));
  return [...new Set([...asked.keys(), ...has.keys()])].flatMap((address) => {
    const [now, then] = [has.get(address), asked.get(address)];
    if (now === then) return [];
    if (now === undefined) return [`claimer ${address} (asked for ${then} basis points, is not in it)`];
    if (then === undefined) return [`claimer ${address} (has ${now} basis points, was not asked for)`];
    return [`share of ${address} (asked for ${then} basis points, has ${now})`];
  });
}
