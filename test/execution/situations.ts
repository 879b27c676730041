/**
 * Situations of a run as text: all inputs distinguished by `nextAction`, with equal stages named once. `situationOf`
 * names a situation, `built` makes one from its name.
 *
 * Stages: `landed`, `in flight`, `ready`, `waiting`, `expired`, `failed`; `worked on` is in progress in this run,
 * `done` is finished for this round. Properties of the plan and the run follow the bar.
 */
import { BEGINNING, isRebuildable, type Run } from '../../src/execution/run/next.ts';
import { isInFlight, isLanded, type PlanSnapshot, type StageState } from '../../src/execution/status.ts';
import type { Plan } from '../../src/plan/types.ts';
import { CLAIMS, type Given, snapshot } from './snapshots.ts';

/** Patience of runs; a run that used up its requests ends. */
export const PATIENCE = { askAgainMs: 500, askAgainMaxMs: 5_000, askAgainTimes: 12 };

const STOP = { status: 'denied', code: 'NO_RULE', note: 'No rule allows it.' } as const;
const isEmpty = ({ states }: PlanSnapshot) => states.every(({ stage }) => stage.optional);

export function situationOf(snapshot: PlanSnapshot, run: Run): string {
  const { plan, states, cancelled } = snapshot;
  const required = states.filter(({ stage }) => !stage.optional);
  const stages = [...new Set(required.map((state) => statusOf(state, run)))].sort();
  const untouched = !run.previewed && states.length > 1 && states.every(({ row }) => row === undefined);
  const special = [
    ...(isRebuildable(plan) ? [] : ['swap']),
    ...(plan.request.endpoint === 'feeShareConfig' ? ['config'] : []),
    ...(plan.readiness?.status === 'setup_required' ? ['more setup'] : []),
    ...(untouched ? ['untouched'] : []),
    ...(run.stale ? ['too old'] : []),
    ...(run.found === undefined ? [] : [run.found]),
    ...(run.stop === undefined ? [] : ['told to end']),
    ...(run.attempts >= PATIENCE.askAgainTimes ? ['patience over'] : []),
    ...(cancelled ? ['cancelled'] : []),
    ...(run.stopping ? ['stopping'] : []),
  ];
  return `${isEmpty(snapshot) ? 'no stages' : stages.join(', ')} | ${special.join(', ')}`.trim();
}

function statusOf({ stage, status }: StageState, { working, begun }: Run): string {
  if (working.has(stage.id)) return isLanded(status) ? 'landed worked on' : `${group(status)} worked on`;
  const begins = status === 'ready' || isInFlight(status);
  return begins && begun.has(stage.id) ? `${group(status)} done` : group(status);
}

const group = (status: StageState['status']): string =>
  isLanded(status) ? 'landed' : isInFlight(status) ? 'in flight' : status;

const ROWS: Readonly<Record<string, Partial<Given>>> = {
  landed: { row: 'confirmed' },
  'in flight': { row: 'sent' },
  ready: {},
  waiting: {},
  expired: { row: 'expired' },
  failed: { row: 'failed' },
};

/** Returns the plan and the run of a named situation. */
export function built(situation: string): { readonly snapshot: PlanSnapshot; readonly run: Run } {
  const [stages = '', special = ''] = situation.split('|').map((part) => part.trim());
  const has = (word: string) => special.split(', ').includes(word);
  const named = stages === 'no stages' ? [] : stages.split(', ');
  // Single-stage plans have no whole-plan inspection.
  const names = has('untouched') && named.length === 1 ? [...named, ...named] : named;
  const base = (name: string) => name.replace(/ (worked on|done)$/, '');
  const free = names.find((name) => base(name) !== 'landed' && base(name) !== 'waiting');
  const given = names.map(
    (id, i): Given => ({
      id: names.indexOf(id) < i ? `${id} too` : id,
      ...ROWS[base(id)],
      dependsOn: base(id) === 'waiting' ? [free ?? ''] : [],
    }),
  );
  const plan: Partial<Plan> = {
    ...CLAIMS,
    ...(has('swap') ? { operation: 'swap' } : {}),
    ...(has('config') ? { request: { endpoint: 'feeShareConfig', fields: {}, digest: 'd'.repeat(64) } } : {}),
    ...(has('more setup') ? { readiness: { status: 'setup_required' } } : {}),
  };
  const found = (['noEffect', 'notSeen', 'nothingNew'] as const).find(has);
  const run: Run = {
    ...BEGINNING,
    previewed: !has('untouched'),
    working: new Set(names.filter((name) => name.endsWith(' worked on'))),
    begun: new Set(names.filter((name) => / (worked on|done)$/.test(name))),
    stale: has('too old'),
    attempts: has('patience over') ? PATIENCE.askAgainTimes : 0,
    stopping: has('stopping'),
    ...(found === undefined ? {} : { found }),
    ...(has('told to end') ? { stop: STOP } : {}),
  };
  return { snapshot: snapshot(given, plan, [], has('cancelled')), run };
}
