/**
 * Verifies a launch on chain: reads the accounts of the known programs from our own RPC and checks the token and its
 * link, the pool's parameters, and that the token's fee share earns from the pool. Curve launches and pool launches
 * differ in where liquidity is. Nothing is taken from an answer.
 */
import { several } from '../../base/format.ts';
import type { TokenNames } from '../../plan/notes.ts';
import type { Plan } from '../../plan/types.ts';
import { buyOf } from '../../policy/decide/operations/launch/parts.ts';
import { textOf } from '../../policy/decide/operations/request.ts';
import * as dammV2 from '../../programs/dammV2/accounts.ts';
import { positionNftAccountAddress } from '../../programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../../programs/dbc/accounts.ts';
import { dbcPoolAddress } from '../../programs/dbc/addresses.ts';
import { feeShareConfigAddress } from '../../programs/feeShare/addresses.ts';
import { mintOf, tokenAccountOf } from '../../programs/token/accounts.ts';
import { metadata } from '../../programs/tokenMetadata/accounts.ts';
import { metadataAddress } from '../../programs/tokenMetadata/addresses.ts';
import type { AccountFact, Chain, LandedTransaction } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { accountsOfType, type Typed } from './accountsOfType.ts';
import { changesOf } from './balances.ts';
import { authorityOf, type FieldsOf, pairOf, readFeeShare } from './configOnChain.ts';
import { Findings, readFact } from './findings.ts';

type Position = Typed<FieldsOf<typeof dammV2.position>>;

/** The launch endpoint that puts positions into a custody: no fee share, and an unsupported program. */
const CUSTODY = 'dammLaunch';
const POOLS_OF_THEIR_OWN = ['dammLaunchV2', CUSTODY];

/** One launch and its landed transactions. */
interface Launch {
  readonly chain: Chain;
  readonly plan: Plan;
  readonly mint: Address;
  readonly quoteMint: Address;
  readonly landed: readonly LandedTransaction[];
  /** Names under which the token was registered here. */
  readonly named?: TokenNames | undefined;
  readonly found: Findings;
}

/** Compares a launch with its request. Rejects with `ChainError` when the RPC is unavailable. */
export async function checkLaunch(
  chain: Chain,
  plan: Plan,
  landed: readonly LandedTransaction[],
  named?: TokenNames,
): Promise<Findings> {
  const found = new Findings();
  const pair = pairOf(plan.request.fields);
  if (pair === undefined) {
    found.unread.push('token (the request names no mint)');
    return found;
  }
  const launch = { chain, plan, ...pair, landed, named, found };
  const earns = await checkToken(launch);
  const check = POOLS_OF_THEIR_OWN.includes(plan.request.endpoint) ? checkPool : checkCurvePool;
  await check(launch, earns);
  return found;
}

/**
 * Checks the token, its link, its finalized config and the first buy. Returns the address that must earn from the
 * pool; `undefined` if it could not be read.
 */
async function checkToken({ chain, plan, mint, quoteMint, landed, named, found }: Launch) {
  const { fields } = plan.request;
  const config = feeShareConfigAddress(mint, quoteMint);
  const [token, described, share] = (await chain.accounts([mint, metadataAddress(mint), config], 'confirmed'))
    .value;
  const state = mintOf(token);
  if (state === undefined) {
    found.unread.push(`token at ${mint} (our RPC shows no mint at this address)`);
  } else {
    found.equal('mint authority of the token', state.mintAuthority ?? null, null);
    found.equal('freeze authority of the token', state.freezeAuthority ?? null, null);
    const read = readFact(described, metadata);
    const texts = 'fields' in read ? read.fields : state.metadata;
    if (texts === undefined) found.unread.push(`name of the token at ${metadataAddress(mint)}`);
    else {
      const { name, symbol } = named ?? texts;
      found.expect(texts.uri === textOf(fields, 'ipfs'), 'metadata link of the token');
      found.expect(texts.name === name && texts.symbol === symbol, 'name of the token');
    }
  }
  if (buyOf(fields) > 0n) {
    const bought = changesOf(plan.wallet, ...landed).get(mint) ?? 0n;
    found.expect(bought > 0n, 'first buy (no token arrived in the wallet)');
  }
  if (plan.request.endpoint === CUSTODY) {
    found.verified.push('its fees are held by an unsupported custody program and were not verified');
    return undefined;
  }
  const requested = textOf(fields, 'feeShareConfig');
  const claimers = await readFeeShare(chain, found, share, {
    ...{ mint, quoteMint, touched: landed.flatMap(({ accounts }) => accounts) },
    named: requested !== undefined && isAddress(requested) ? requested : undefined,
  });
  if (claimers === undefined) return undefined;
  if (requested !== undefined)
    found.equal('fee share config', feeShareConfigAddress(mint, quoteMint, claimers.program), requested);
  found.verified.push(
    `its fees go to the fee share of ${several(claimers.config.claimers.length, 'claimer')}`,
  );
  return authorityOf(mint, claimers);
}

/** Checks the curve pool: created by the wallet under the requested config, which pays the token's fee share. */
async function checkCurvePool(
  { chain, plan, mint, quoteMint, found }: Launch,
  earns: Address | undefined,
): Promise<void> {
  const configKey = textOf(plan.request.fields, 'configKey') ?? '';
  if (!isAddress(configKey)) {
    found.unread.push('terms of the curve (the request names none)');
    return;
  }
  const address = dbcPoolAddress(configKey, mint, quoteMint);
  const [pool, terms] = (await chain.accounts([address, configKey], 'confirmed')).value;
  const made = found.read('pool', address, pool, virtualPool);
  if (made !== undefined) {
    found.equal('terms of the pool', made.config, configKey);
    found.equal('creator of the pool', made.creator, plan.wallet);
    found.equal('token of the pool', made.baseMint, mint);
    found.verified.push(
      `the pool ${address} on the curve was created by ${plan.wallet} under the requested terms`,
    );
  }
  const under = found.read('terms of the curve', configKey, terms, poolConfig);
  if (under === undefined) return;
  found.equal('quote of the curve', under.quoteMint, quoteMint);
  if (earns !== undefined) found.equal('fee claimer of the curve', under.feeClaimer, earns);
}

/** Checks a launch pool: all liquidity of the launch is permanently locked, and the fee share holds a position. */
async function checkPool(
  { chain, mint, quoteMint, landed, found }: Launch,
  earns: Address | undefined,
): Promise<void> {
  const touched = landed.flatMap(({ accounts }) => accounts);
  const pools = (await accountsOfType(chain, touched, dammV2.pool)).filter(({ fields }) => {
    const mints = [fields.tokenAMint, fields.tokenBMint];
    return mints.includes(mint) && mints.includes(quoteMint);
  });
  const [pool] = pools;
  if (pool === undefined || pools.length > 1) {
    found.unread.push(`pool of the token (${several(pools.length, 'pool')} in the landed transactions)`);
    return;
  }
  const positions = (await accountsOfType(chain, touched, dammV2.position)).filter(
    ({ fields }) => fields.pool === pool.address,
  );
  if (positions.length === 0) {
    found.unread.push(`positions of the pool ${pool.address} (none in the landed transactions)`);
    return;
  }
  for (const { address, fields } of positions) {
    const open = fields.unlockedLiquidity + fields.vestedLiquidity;
    found.expect(open === 0n, `liquidity of position ${address} (not all of it is permanently locked)`);
  }
  const locked = positions.reduce((sum, { fields }) => sum + fields.permanentLockedLiquidity, 0n);
  found.verified.push(
    `the pool ${pool.address} is of this token, and the liquidity of its ${several(positions.length, 'position')} is permanently locked`,
  );
  if (earns !== undefined) await checkShare(chain, positions, { earns, locked }, found);
}

/** Checks that the fee share owns a launch position with liquidity: the holder of its NFT owns a position. */
async function checkShare(
  chain: Chain,
  positions: readonly Position[],
  { earns, locked }: { readonly earns: Address; readonly locked: bigint },
  found: Findings,
): Promise<void> {
  const places = positions.flatMap(({ fields: { nftMint } }) => [
    positionNftAccountAddress(nftMint),
    associatedTokenAddress(earns, nftMint, TOKEN_2022_PROGRAM),
  ]);
  const holders = places.length === 0 ? [] : (await chain.accounts(places, 'confirmed')).value;
  const held = positions.filter(({ fields }) =>
    holders.some((account) => holds(account, fields.nftMint, earns)),
  );
  const share = held.reduce((sum, { fields }) => sum + fields.permanentLockedLiquidity, 0n);
  found.expect(share > 0n, `position of the fee share (${earns} holds none with liquidity)`);
  if (share > 0n) {
    found.verified.push(`its fee share holds ${(share * 100n) / locked}% of that liquidity`);
  }
}

function holds(account: AccountFact, nft: Address, owner: Address): boolean {
  const held = account.owner === TOKEN_2022_PROGRAM ? tokenAccountOf(account) : undefined;
  return held?.mint === nft && held.owner === owner && held.amount === 1n;
}
