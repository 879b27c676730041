/** A round: a request to the hostile service, which must be refused, and the same one to the honest service. */

import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import type { TransactionRecord } from '../../chain/types.ts';
import { failedRow, type Row, type RowHead } from '../row.ts';
import { ATTACKS, type Attack } from '../service/index.ts';
import { landedBy, type Refusal, submitted } from '../world/refusal.ts';
import { type WhatIf, whatIf } from '../world/whatIf.ts';
import { ToolRefusal, type World } from '../world/world.ts';
import { landHonestPlan, type Prepare } from './asks.ts';
import { policyWith, through } from './elsewhere.ts';

export interface Round {
  /** Name in the registry of attacks. */
  readonly attack: string;
  /** Name in the table, if an attack is played more than once. */
  readonly as?: string;
  readonly ask: Prepare;
  /** Why the bytes cannot be shown in a trial. */
  readonly notExecuted?: string;
  /** Number of transactions that land in the trial. Default: all. */
  readonly landing?: number;
  /** They land and fail: only the fee is lost. */
  readonly fails?: true;
  /** Changes of the policy, on a server of its own. */
  readonly policy?: (common: PolicyFile) => Partial<PolicyFile>;
}

/** An attack by name. Throws RangeError for an unknown one. */
export function attackOf(name: string): Attack {
  const attack = ATTACKS.get(name);
  if (attack === undefined) throw new RangeError(`no attack is called ${name}`);
  return attack;
}

/** Plays a round. Never rejects: an error is in the row. */
export async function playRound(common: World, round: Round): Promise<Row> {
  const { row, does, takes, code } = attackOf(round.attack);
  const head: RowHead = { step: round.as ?? round.attack, row, does, takes, expectedCode: code };
  try {
    const world =
      round.policy === undefined
        ? common
        : (await through(common, { policy: policyWith(common, round.policy) })).world;
    return await playRoundIn(world, head, round);
  } catch (error) {
    return failedRow(head, error);
  }
}

/** Plays a round through the server of this world. */
export async function playRoundIn(world: World, head: RowHead, round: Round): Promise<Row> {
  const request = await round.ask(world);
  const { refused, shown } = await underAttack(world, round, request);
  if (shown === undefined) return rowOf(head, refused, { notExecuted: round.notExecuted ?? '' });
  const twin = await landedBy(world, await landHonestPlan(world, request));
  if (round.fails === true) return shownRow(head, refused, shown, twin, { fails: true });
  return shownRow(head, refused, shown, twin, { against: twin });
}

/** Requests and submits while the service is hostile, and tries out the refused bytes. */
async function underAttack(
  world: World,
  { attack: name, notExecuted, landing }: Round,
  request: () => Promise<Record<string, unknown>>,
): Promise<{ refused: Refusal; shown: WhatIf | undefined }> {
  const { hostile } = world.sandbox.service;
  try {
    hostile.use(name);
    hostile.begin();
    // The attacker's accounts must be confirmed before the server reads them.
    world.sandbox.advanceSlots(2);
    const built = await request().catch(asRefusal);
    if (built instanceof ToolRefusal) return { refused: outright(built), shown: undefined };
    world.sandbox.advanceSlots(2);
    const refused = await submitted(world, built);
    const shown =
      notExecuted === undefined
        ? whatIf(world, refused.stages.slice(0, landing), ATTACKS.get(name))
        : undefined;
    return { refused, shown };
  } finally {
    hostile.use(undefined);
    world.sandbox.advanceSlots(2);
  }
}

function asRefusal(error: unknown): ToolRefusal {
  if (error instanceof ToolRefusal) return error;
  throw error;
}

/** The refusal of an answer without a plan. */
const outright = ({ code, statement }: ToolRefusal): Refusal => ({
  planId: '',
  codes: [code],
  explain: statement,
  signed: false,
  // The policy did not decide about it.
  singleCheck: 'answer is a plan for what was asked',
  stages: [],
});

/** The steps after a refusal: the trial of the bytes, and the honest twin. */
interface Aftermath {
  readonly notExecuted?: string;
  readonly shown?: WhatIf;
  readonly fails?: boolean | undefined;
  readonly lostIfSigned?: ReturnType<WhatIf['lossAgainst']>;
  readonly twinSignature?: string | undefined;
}

/** Returns the row of a trial and its honest twin. Compares with no transaction unless `against` is given. */
export const shownRow = (
  head: RowHead,
  refused: Omit<Refusal, 'stages' | 'planId'>,
  shown: WhatIf,
  twin: readonly TransactionRecord[],
  { against, fails }: { readonly against?: readonly TransactionRecord[]; readonly fails?: true } = {},
): Row => {
  const lostIfSigned = shown.lossAgainst(against);
  return rowOf(head, refused, { shown, fails, lostIfSigned, twinSignature: twin.at(-1)?.signature });
};

/** Returns the row of a refusal and its aftermath. */
export function rowOf(head: RowHead, refused: Omit<Refusal, 'stages' | 'planId'>, after: Aftermath): Row {
  const { shown, notExecuted, lostIfSigned, twinSignature, fails = false } = after;
  const { signed, codes, explain, singleCheck } = refused;
  const wasRefused = !signed && codes.includes(head.expectedCode);
  const wasShown = shown === undefined || (shown.failed === fails && twinSignature !== undefined);
  return {
    ...head,
    ok: wasRefused && wasShown,
    executed: shown !== undefined,
    ...(notExecuted === undefined ? {} : { notExecuted }),
    signed,
    codes,
    explain,
    singleCheck,
    ...(lostIfSigned === undefined ? {} : { lostIfSigned }),
    ...(twinSignature === undefined ? {} : { twinSignature }),
  };
}
