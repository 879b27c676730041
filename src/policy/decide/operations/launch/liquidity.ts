/**
 * Liquidity of a pool launch, over all its stages: the whole supply in the pool, all liquidity permanently locked, and at
 * least half of it in a position of the token's fee share (T93).
 */
import { amountOfAsset, decimal } from '../../../../base/format.ts';
import { LAUNCH_DECIMALS } from '../../../../contract/constants.ts';
import type { ActOf } from '../../../../programs/acts.ts';
import { associatedTokenAddress } from '../../../../transaction/derive.ts';
import { TOKEN_2022_PROGRAM } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { sum } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import type { Run } from '../run.ts';

/** Rounding may leave one part in this many of the supply outside the pool. */
const ROUNDING = 1_000n;

const added = (run: Run): readonly ActOf<'addLiquidity'>[] =>
  run.all.filter((act) => act.act === 'addLiquidity');

/** Formats a share of the liquidity as a percentage, rounded down. */
export const partOf = (part: bigint, whole: bigint): string =>
  whole === 0n ? `${part} of ${whole}` : `${decimal((part * 1_000_000n) / whole, 4)}%`;

/** Checks that all liquidity of `due` is permanently locked and that the fee share holds at least half of it. */
export function checkPositions(run: Run, due: Run, authority: Address, list: Checklist): void {
  const positions = new Map<Address, { added: bigint; locked: bigint }>();
  const at = (position: Address) => {
    const known = positions.get(position) ?? { added: 0n, locked: 0n };
    positions.set(position, known);
    return known;
  };
  for (const act of due.all) {
    if (act.act === 'openPosition') at(act.position);
    if (act.act === 'addLiquidity') at(act.position).added += act.liquidity;
    if (act.act === 'lockLiquidity') at(act.position).locked += act.liquidity;
  }
  const open = [...positions].find(([, { added, locked }]) => locked !== added);
  list.expect(open === undefined, 'REQUEST_MISMATCH', 'liquidityLocked', {
    observed: open && `${partOf(open[1].locked, open[1].added)} locked`,
    allowed: 'all of it',
  });
  if (!run.all.some(({ act }) => act === 'createPool')) return;
  const moved = (nft: Address) => associatedTokenAddress(authority, nft, TOKEN_2022_PROGRAM);
  const given = run.all.flatMap((act) =>
    act.act === 'openPosition' &&
    (act.owner === authority ||
      run.all.some(
        (other) => other.act === 'transfer' && other.to.account === moved(act.nftMint) && other.amount === 1n,
      ))
      ? [at(act.position).added]
      : [],
  );
  const whole = sum([...positions.values()].map((each) => each.added));
  const earns = sum(given);
  // Half of an odd number may be rounded down.
  const held = given.length > 0 && earns * 2n + 1n >= whole;
  list.expect(held, 'REQUEST_MISMATCH', 'feeShareHalf', {
    observed: given.length === 0 ? 'no position' : partOf(earns, whole),
    allowed: authority,
  });
}

/**
 * Checks that the whole supply goes into the pool, because another key could sell a remainder to buyers. The deposits are
 * computed at the opening price, so all liquidity must precede the first swap.
 */
export function checkSupply(run: Run, mint: Address, supply: bigint, list: Checklist): void {
  if (!run.all.some(({ act }) => act === 'createPool')) return;
  const liquidity = added(run);
  const [first] = liquidity;
  const most = first?.deposits.find(({ asset }) => asset === mint)?.most;
  const whole = sum(liquidity.map((act) => act.liquidity));
  const pooled =
    first === undefined || most === undefined || first.liquidity === 0n
      ? 0n
      : (most * whole) / first.liquidity;
  const bought = run.all.findIndex(({ act }) => act === 'swap');
  const isFirst = bought < 0 || bought > run.all.findLastIndex(({ act }) => act === 'addLiquidity');
  const sources = new Set(liquidity.flatMap(({ deposits }) => deposits.map(({ from }) => from.account)));
  const stray = run.all.find(
    (act) => act.act === 'mintTo' && act.mint === mint && !sources.has(act.to.account),
  );
  const format = (units: bigint) => amountOfAsset(units, mint, LAUNCH_DECIMALS);
  list.expect(stray === undefined, 'REQUEST_MISMATCH', 'supplyMinted', {
    observed: stray?.act === 'mintTo' ? stray.to.account : undefined,
  });
  list.expect(
    isFirst && supply > 0n && pooled * ROUNDING >= supply * (ROUNDING - 1n),
    'REQUEST_MISMATCH',
    'supplyPooled',
    { observed: isFirst ? format(pooled) : 'liquidity after the first buy', allowed: format(supply) },
  );
}
