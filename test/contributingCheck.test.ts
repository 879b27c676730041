/** Performs "Change a check in ten minutes" of CONTRIBUTING.md. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WalkThrough } from './walkThrough.ts';

const walk = new WalkThrough('Change a check');

describe('the change of a check in CONTRIBUTING.md', () => {
  beforeAll(() => walk.open());
  afterAll(() => walk.close());

  it('begins with an attack that passes on the code as it is, and a twin that is let through', () => {
    const test = walk.blocks.find(({ info }) => info.startsWith('file=test/'))?.text ?? '';
    const path = join(walk.copy, 'test/policy/before.test.ts');
    writeFileSync(path, test);
    const { status, stdout } = spawnSync('npx', ['vitest', 'run', path], {
      cwd: walk.copy,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    });
    rmSync(path);
    expect(status).not.toBe(0);
    expect(stdout).toContain('1 failed | 1 passed');
    expect(stdout).toContain('× an address that has a 9 where a known one has a g');
  });

  it('can be performed as written, tests included', () => {
    walk.perform();
  });

  it('leaves files that are formatted, linted and without drift', () => {
    walk.checkWritten();
  });
});
