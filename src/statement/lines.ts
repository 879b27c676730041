/** The lines of one stage, from its acts and a view of the chain. SOL and wrapped SOL are one asset. */
import type { Act } from '../programs/acts.ts';
import type { Address } from '../transaction/types.ts';
import { linesOfAct } from './acts.ts';
import type { Line, MadeKind, StageLines } from './types.ts';
import type { ChainView, StageActs } from './view.ts';

/** Returns the lines of a stage. */
export function linesOf(stage: StageActs, view: ChainView): StageLines {
  const acts = stage.calls.flatMap((call) => call.acts);
  const made = acts
    .flatMap((act) => madeBy(act, view))
    .filter(([address]) => !stage.fixed.has(address) && address !== stage.wallet);
  const ofActs = stage.calls.flatMap(({ program, acts: mine }) =>
    mine.flatMap((act) => {
      const lines = linesOfAct(act, program, stage, view);
      return typeof lines === 'string' ? [] : lines;
    }),
  );
  const lines = [...feeLines(stage), ...withArrivals(ofActs, stage)];
  return {
    lines: [...lines, ...issuerLines(lines, view), ...codeLines(stage, view)],
    made: Object.fromEntries(made),
  };
}

/** Accounts an act makes. An account that is there already keeps its address. */
function madeBy(act: Act, view: ChainView): readonly (readonly [Address, MadeKind])[] {
  if (act.act === 'createPool') return [[act.pool, 'pool']];
  if (act.act === 'createPoolConfig') return [[act.config, 'config']];
  if (act.act === 'createPartner') return [[act.partnerConfig, 'config']];
  if (act.act === 'openPosition') return [[act.position, 'position']];
  if (act.act === 'tableCreate') return [[act.table, 'table']];
  if (act.act === 'createMint') return [[act.mint, 'mint']];
  return act.act === 'openAccount' && !view.exists(act.account) ? [[act.account, 'account']] : [];
}

function feeLines({ feePayer, wallet, fee }: StageActs): readonly Line[] {
  if (feePayer !== wallet) return [];
  const paid = { asset: 'SOL', atMost: fee, to: 'validators', owner: 'validators' } as const;
  return [{ id: 'pays', source: 'transaction', ...paid, why: 'networkFee', returns: 'never' }];
}

/** Gives the first claim of an asset what the simulation shows to arrive beyond what programs enforce. */
function withArrivals(lines: readonly Line[], { arrivals }: StageActs): readonly Line[] {
  const left = new Map(arrivals);
  for (const line of lines) {
    if (line.id === 'receives' && line.enforcedBy !== 'simulation')
      left.set(line.asset, (left.get(line.asset) ?? 0n) - line.atLeast);
  }
  return lines.map((line) => {
    if (line.id !== 'receives' || line.enforcedBy !== 'simulation') return line;
    const atLeast = left.get(line.asset) ?? 0n;
    left.set(line.asset, 0n);
    return { ...line, atLeast: atLeast > 0n ? atLeast : 0n };
  });
}

/** Powers over each token that the wallet pays or receives. */
function issuerLines(lines: readonly Line[], view: ChainView): readonly Line[] {
  const assets = lines.flatMap((line) => (line.id === 'pays' || line.id === 'receives' ? line.asset : []));
  return [...new Set(assets)]
    .filter((mint) => mint !== 'SOL')
    .flatMap((mint) =>
      view.issuerPowers(mint).map((power): Line => ({ id: 'issuer', source: 'chain', mint, ...power })),
    );
}

function codeLines({ calls }: StageActs, view: ChainView): readonly Line[] {
  return [...new Set(calls.map(({ program }) => program))].flatMap((program): readonly Line[] => {
    const code = view.code(program);
    return code === undefined ? [] : [{ id: 'code', source: 'chain', program, ...code }];
  });
}
