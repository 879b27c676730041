/** `countersign sandbox`: invalid options are reported before anything starts. */
import { expect, test } from 'vitest';
import { sandboxCommand } from '../../src/cli/sandbox.ts';
import { run } from './terminal.ts';

test.each([[{ clock: 'fast' }, 'The clock is auto or manual.']])(
  '%j is refused by the sandbox with the accepted values',
  async (options, sentence) => {
    const { error } = await run(sandboxCommand, { home: '/nowhere', options });
    expect(String(error)).toContain(sentence);
  },
);
