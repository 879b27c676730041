/** Performs "Add a program in an hour" of CONTRIBUTING.md. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WalkThrough } from './walkThrough.ts';

const walk = new WalkThrough('Add a program');

describe('the hour of CONTRIBUTING.md', () => {
  beforeAll(() => walk.open());
  afterAll(() => walk.close());

  it('can be performed as written, tests included', () => {
    walk.perform();
    const page = walk.read('docs/programs.md');
    expect(page).toContain('## Stake');
    expect(page).toContain('| `stake.withdraw` | `04000000` | lamports |');
    expect(page).toContain('`DelegateStake` `02000000`');
  });

  it('leaves files that are formatted, linted, without drift, and that the compiler accepts', () => {
    walk.checkWritten();
    const config = { extends: './tsconfig.json', include: ['src/programs', 'test/programs/stake.test.ts'] };
    writeFileSync(join(walk.copy, 'tsconfig.walk.json'), JSON.stringify(config));
    walk.run('npx', ['tsc', '--noEmit', '-p', 'tsconfig.walk.json']);
  });

  it('touches no file of the sources but the index, beside its own folder', () => {
    const sources = walk.blocks.flatMap(({ info }) => /^file=(src\/\S+)$/.exec(info)?.[1] ?? []);
    const beside = sources.filter((file) => !file.startsWith('src/programs/stake/'));
    expect(new Set(beside)).toEqual(new Set(['src/programs/index.ts']));
  });
});
