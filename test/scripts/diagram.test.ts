import { describe, expect, it } from 'vitest';
import { architectureDiagram, arrowsOf } from '../../scripts/diagram.ts';
import { type Import, importsBelow } from '../../scripts/imports.ts';

const imports = importsBelow(process.cwd(), ['src', 'tools']).filter(({ to }) =>
  /^(src|tools)\/.*\.ts$/.test(to),
);
const drawn = [...architectureDiagram(process.cwd()).matchAll(/^ {2}(\w+) (?:-->|-\.->) (\w+)$/gm)].map(
  ([, from = '', to = '']) => ({ from, to }),
);

/** Every pair of folders of which the first needs the second, near or far. */
function reachable(arrows: readonly { from: string; to: string }[]): Set<string> {
  const pairs = new Set(arrows.map(({ from, to }) => `${from} ${to}`));
  for (let size = -1; size !== pairs.size; ) {
    size = pairs.size;
    for (const pair of [...pairs]) {
      const [from, middle] = pair.split(' ');
      for (const arrow of arrows) if (arrow.from === middle) pairs.add(`${from} ${arrow.to}`);
    }
  }
  return pairs;
}

describe('the picture of the architecture', () => {
  it('shows only arrows that are imports, and loses none of them', () => {
    const real = arrowsOf(imports);
    expect(drawn.length).toBeGreaterThan(10);
    expect(real.map(({ from, to }) => `${from} ${to}`)).toEqual(
      expect.arrayContaining(drawn.map(({ from, to }) => `${from} ${to}`)),
    );
    expect(reachable(drawn)).toEqual(reachable(real));
  });

  it('tells arrows that are needed at once from those loaded on demand', () => {
    const edge = (from: string, to: string, kind: Import['kind']): Import => ({ from, to, kind });
    expect(
      arrowsOf([
        edge('src/cli/a.ts', 'src/server/b.ts', 'dynamic'),
        edge('src/cli/c.ts', 'src/server/d.ts', 'static'),
        edge('src/cli/e.ts', 'src/sandbox/f.ts', 'dynamic'),
        edge('src/cli/g.ts', 'src/clock.ts', 'static'),
      ]),
    ).toEqual([
      { from: 'cli', to: 'server', solid: true },
      { from: 'cli', to: 'sandbox', solid: false },
    ]);
  });
});
