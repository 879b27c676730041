/** The owner of a position is the last one, by right or by the position's NFT. */
import { expect, it } from 'vitest';
import { shownLines } from '../../src/presentation/statement/shownLines.ts';
import { statementOf } from '../../src/statement/aggregate.ts';
import type { Line } from '../../src/statement/types.ts';
import { at, SCOPE, STRANGER, WALLET } from './chain.ts';

const [POSITION, POOL, MAKER, SHARE] = [at('position'), at('pool'), at('maker'), at('fee share')];
const transactionSource = { source: 'transaction' } as const;
const owner = (party: string): Line => ({
  ...transactionSource,
  id: 'controls',
  right: 'owner',
  of: POSITION,
  party,
});
const passedTo = (to: string): Line => ({
  ...{ ...transactionSource, id: 'moves', asset: POSITION, amount: 1n, from: MAKER, to },
});
const position = (liquidity: bigint): Line => ({
  ...{ ...transactionSource, id: 'position', pool: POOL, of: POSITION, liquidity, deposits: [] },
});

function ownerShown(...changes: Line[]): unknown[] {
  const lines = [position(0n), owner(MAKER), position(8n), ...changes];
  const made = { [POSITION]: { kind: 'position', of: POSITION } } as const;
  const stages = [{ lines, made, state: 'this' }] as const;
  const run = { scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [] };
  return shownLines(statementOf(run), WALLET).flatMap((line) =>
    line.id === 'controls' || line.id === 'earns' ? [line.party] : [],
  );
}

it.each([
  ['the creator, if nothing changes', [], MAKER],
  ['the receiver of the token', [passedTo(SHARE)], SHARE],
  ['the receiver of the right after the token was transferred', [passedTo(SHARE), owner(STRANGER)], STRANGER],
  ['the receiver of the token after the right', [owner(STRANGER), passedTo(SHARE)], SHARE],
])('is %s', (_, changes, last) => {
  const shown = ownerShown(...changes);
  expect(shown).toContain(last);
  expect(new Set(shown)).toEqual(new Set([last]));
});
