/**
 * `countersign demo --attacks`: plays the attacks of docs/safety.md on a real server. Each must be refused for the expected
 * reason with nothing signed; a trial on the chain shows its loss; and the same request, answered honestly, must land.
 */

import { AGENT_ROUNDS } from './rounds/agentRounds.ts';
import { playRound } from './rounds/round.ts';
import { roundsExcept } from './rounds/rounds.ts';
import { SERVER_ROUNDS } from './rounds/serverRounds.ts';
import { TIME_ROUNDS } from './rounds/timeRounds.ts';
import { PLAYED_HERE, TRUST_ROUNDS } from './rounds/trustRounds.ts';
import type { Row } from './row.ts';
import { ATTACKS } from './service/index.ts';
import { jsonTable, type Output, personTable } from './table.ts';
import { openWorld, type World, type WorldOptions } from './world/world.ts';

export interface AttackOptions extends WorldOptions {
  json: boolean;
  /** The script that `node` runs as `countersign`. */
  command: string;
  out: Output;
  /** Milliseconds, from any start. */
  now(): number;
}

/** Plays every attack, in the order of the threat model. Returns the exit code: 0 only if every row held. */
export async function runAttacks(options: AttackOptions): Promise<number> {
  const { json, command, out, now } = options;
  const startedAt = now();
  let world: World | undefined;
  const table = json ? jsonTable(out) : personTable(out, () => world);
  const rows: Row[] = [];
  try {
    world = await openWorld(command, options);
    for (const { play } of allRounds()) {
      const row = await play(world);
      rows.push(row);
      table.add(row);
    }
  } finally {
    await world?.close();
  }
  table.finish(rows, Math.round((now() - startedAt) / 100) / 10);
  return rows.every(({ ok }) => ok) ? 0 : 1;
}

/** Returns the rounds in the order of the threat model. */
function allRounds(): { row: string; play: (world: World) => Promise<Row> }[] {
  return [
    ...roundsExcept(PLAYED_HERE).map((round) => ({
      row: ATTACKS.get(round.attack)?.row ?? '',
      play: (world: World) => playRound(world, round),
    })),
    ...[...AGENT_ROUNDS, ...SERVER_ROUNDS, ...TIME_ROUNDS, ...TRUST_ROUNDS].map(({ head, play }) => ({
      row: head.row,
      play,
    })),
  ].sort((a, b) => placeOf(a.row) - placeOf(b.row));
}

/** For attacks that are listed out of numerical order: the number of the row each follows in the threat model. */
const LATER: Readonly<Record<number, number>> = {
  63: 55,
  64: 55,
  65: 26,
  66: 26,
  67: 31,
  68: 55,
  71: 26,
  75: 26,
  91: 55,
  92: 55,
  93: 55,
  180: 31,
  176: 23,
};

/** Returns the sort position of an attack in the threat model. */
function placeOf(row: string): number {
  const number = Number(row.slice(1));
  const after = LATER[number];
  return after === undefined ? number : after + number / 100;
}
