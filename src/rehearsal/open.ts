/** The rehearsals of a server: one process and one cache for all its callers. */
import { join } from 'node:path';
import type { Chain } from '../rpc/types.ts';
import { createPlayer } from './player.ts';
import { createProgramCache } from './programCache.ts';
import { createRehearsal, type Rehearse } from './rehearse.ts';
import { createTurn } from './turn.ts';

export interface Rehearsal {
  readonly rehearse: Rehearse;
  /** Ends its process. */
  close(): void;
}

/** Opens rehearsals over a chain; `home`: where code of programs is kept, in memory alone without one. Starts nothing. */
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
