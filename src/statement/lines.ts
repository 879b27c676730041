/** Statement lines of a stage, from its acts and a view of the chain. SOL and wrapped SOL are one asset. */
import type { Act } from '../programs/acts.ts';
import { positionNftAccountAddress } from '../programs/dammV2/addresses.ts';
import type { Address } from '../transaction/types.ts';
import { linesOfAct } from './acts.ts';
import { addTo, isAmount, only } from './aggregate.ts';
import type { Line, MadeAs, MadeKind, StageLines } from './types.ts';
import type { ChainView, StageActs } from './view.ts';

/** Returns the lines of a stage. */
export function linesOf(stage: StageActs, view: ChainView): StageLines {
  const acts = stage.calls.flatMap((call) => call.acts);
  // Existing accounts and those named in the request keep their addresses.
  const made = acts
    .flatMap(madeBy)
    .filter(([, { of }]) => !stage.fixed.has(of) && of !== stage.wallet && !view.exists(of));
  const ofActs = stage.calls.flatMap(({ program, acts: mine }) =>
    mine.flatMap((act) => {
      const lines = linesOfAct(act, program, stage, view);
      return typeof lines === 'string' ? [] : lines;
    }),
  );
  const claimed = [...feeLines(stage), ...withArrivals(ofActs, stage)];
  const lines = [...claimed, ...unsupportedAmounts(claimed, stage)];
  return {
    lines: [...lines, ...issuerLines(lines, view), ...codeLines(stage, view)],
    made: Object.fromEntries(made),
  };
}

/** Returns the accounts that an act creates, with their roles; a position's NFT accounts share its role. */
function madeBy(act: Act): readonly (readonly [Address, MadeAs])[] {
  const as = (kind: MadeKind, of: Address, ...others: Address[]) =>
    [of, ...others].map((address) => [address, { kind, of }] as const);
  if (act.act === 'createPool') return as('pool', act.pool);
  if (act.act === 'createPoolConfig') return as('config', act.config);
  if (act.act === 'createPartner') return as('config', act.partnerConfig);
  if (act.act === 'openPosition')
    return as('position', act.position, act.nftMint, positionNftAccountAddress(act.nftMint));
  if (act.act === 'tableCreate') return as('table', act.table);
  if (act.act === 'createMint') return as('mint', act.mint);
  return act.act === 'openAccount' ? as('account', act.account) : [];
}

function feeLines({ feePayer, wallet, fee }: StageActs): readonly Line[] {
  if (feePayer !== wallet) return [];
  const paid = { asset: 'SOL', atMost: fee, to: 'validators', owner: 'validators' } as const;
  return [{ id: 'pays', source: 'transaction', ...paid, why: 'networkFee', returns: 'never' }];
}

/** Sets the amount of the first simulated receipt of each asset: the simulated gain beyond enforced receipts. */
function withArrivals(lines: readonly Line[], { arrivals }: StageActs): readonly Line[] {
  const left = new Map(arrivals);
  // Receipts that only the simulation shows are zero here.
  for (const line of only(lines, 'receives')) addTo(left, line.asset, -line.atLeast);
  return lines.map((line) => {
    if (line.id !== 'receives' || line.enforcedBy !== 'simulation') return line;
    const atLeast = left.get(line.asset) ?? 0n;
    left.set(line.asset, 0n);
    return { ...line, atLeast: clampToZero(atLeast) };
  });
}

const clampToZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

/** Returns lines for the amounts that unsupported instructions take and bring beyond other lines. */
function unsupportedAmounts(
  lines: readonly Line[],
  { wallet, arrivals, leaves }: StageActs,
): readonly Line[] {
  const [program] = only(lines, 'unsupported').map((line) => line.program);
  if (program === undefined) return [];
  const taken = [...(leaves ?? [])].map(([asset, most]): Line => {
    const stated = only(lines, 'pays').filter((line) => line.asset === asset);
    const atMost = clampToZero(stated.reduce((left, line) => left - line.atMost, most));
    const to = { to: program, owner: program, why: 'unsupported', returns: 'never' } as const;
    return { id: 'pays', source: 'transaction', asset, atMost, ...to };
  });
  const brought = [...(arrivals ?? [])]
    .filter(([asset]) => only(lines, 'receives').every((line) => line.asset !== asset))
    .map(([asset, atLeast]): Line => {
      const of = { from: program, into: wallet, enforcedBy: 'simulation' } as const;
      return { id: 'receives', source: 'transaction', asset, atLeast, ...of };
    });
  return [...taken, ...brought];
}

/** Returns lines for the issuer powers over each token that the wallet pays or receives. */
function issuerLines(lines: readonly Line[], view: ChainView): readonly Line[] {
  const assets = new Set(lines.filter(isAmount).map(({ asset }) => asset));
  return [...assets].flatMap((mint) =>
    view.issuerPowers(mint).map((power): Line => ({ id: 'issuer', source: 'chain', mint, ...power })),
  );
}

function codeLines({ calls }: StageActs, view: ChainView): readonly Line[] {
  return [...new Set(calls.map(({ program }) => program))].flatMap((program): readonly Line[] => {
    const code = view.code(program);
    return code === undefined ? [] : [{ id: 'code', source: 'chain', program, ...code }];
  });
}
