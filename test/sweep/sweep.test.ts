/**
 * A part of the sweep that is the same every time: one stage of each operation, every instruction appended and sent
 * through the relay, a third of them at the other places. `npm run sweep` runs all of it (docs/fuzzing.md).
 */
import { describe, expect, it } from 'vitest';
import { stage } from '../policy/recorded/stages.ts';
import { CATALOGUE } from './catalogue.ts';
import { entryOf, fire, KINDS, type Kind, readOpenList } from './openList.ts';
import { NETWORKS, on, POLICIES } from './policies.ts';
import { Running } from './running.ts';
import { decideOn, owned, PLACEMENTS, type Shot, SWEPT_STAGES, shotsOf } from './sweep.ts';

const SLICED: readonly string[] = [
  'config v1',
  'manager update to more',
  'custody table closed',
  'direct launch',
  'swap of SOL',
  'position claim',
  'holding claim',
  'vault claim',
];
const THIRD = 3;

const sliceOf = (name: string): Shot[] =>
  shotsOf([name]).filter(
    ({ candidate, placement }) =>
      placement === 'appended' ||
      placement === 'relayed' ||
      (CATALOGUE.indexOf(candidate) + PLACEMENTS.indexOf(placement)) % THIRD === 0,
  );

const listed = readOpenList();
const kinds = Object.keys(KINDS).filter((kind): kind is Kind => kind in KINDS);

describe('the sweep', () => {
  it('knows the public interfaces: over a hundred instructions of stock programs and of the service each', () => {
    const ofService = CATALOGUE.filter(({ name }) => /^(feeShare|dbc|damm)/.test(name));
    expect(ofService.length).toBeGreaterThanOrEqual(100);
    expect(CATALOGUE.length - ofService.length).toBeGreaterThanOrEqual(150);
    expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
    expect(Object.keys(owned.accounts).length).toBeGreaterThanOrEqual(18);
  });

  it.each(SWEPT_STAGES)('begins with an honest stage that is allowed and runs: %s', (name) => {
    for (const network of NETWORKS)
      expect(decideOn(on(network, stage(name)), POLICIES[network]).effect).toBe('allow');
    expect(new Running(name).failed).toBeUndefined();
  });

  it.each(SLICED)('finds in a stage exactly what is listed: %s', (name) => {
    const running = new Running(name);
    const [appeared, vanished]: [string[], string[]] = [[], []];
    let [fits, harmful] = [0, 0];
    for (const shot of sliceOf(name)) {
      const result = fire(shot, running, shot.placement === 'appended');
      if (result.effect === undefined) continue;
      fits++;
      if (result.effect === 'deny' && result.harms.length > 0) harmful++;
      for (const kind of kinds) {
        const entry = entryOf(kind, shot);
        const shows = result.kinds.includes(kind);
        if (shows && !listed.has(entry)) appeared.push(entry);
        if (!shows && listed.has(entry)) vanished.push(entry);
      }
    }
    // An entry that no longer shows has to leave the list: npm run sweep -- --write.
    expect({ appeared, vanished }).toEqual({ appeared: [], vanished: [] });
    // It aims well: most shots fit, and many that were refused would have done harm.
    expect(fits).toBeGreaterThan(400);
    expect(harmful).toBeGreaterThan(25);
  });
});
