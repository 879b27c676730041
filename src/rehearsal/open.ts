/** Rehearsals of a server, with a shared process and cache. */
import { join } from 'node:path';
import type { Chain } from '../rpc/types.ts';
import { createPlayer } from './player.ts';
import { createProgramCache } from './programCache.ts';
import { createRehearsal, type Rehearse } from './rehearse.ts';
import { createTurn } from './turn.ts';

export interface Rehearsal {
  readonly rehearse: Rehearse;
  /** Ends the process. */
  close(): void;
}

/** Creates rehearsals on a chain; starts no process. `home`: folder of the program cache; in memory if absent. */
export function openRehearsal(chain: Pick<Chain, 'accounts'>, home: string | undefined): Rehearsal {
  const player = createPlayer();
  const file = (name: string) => (home === undefined ? undefined : join(home, 'rehearsal', name));
  const parts = {
    chain,
    player,
    cache: createProgramCache(file('programs')),
    turn: createTurn(file('lock')),
  };
  return { rehearse: createRehearsal(parts), close: player.close };
}
