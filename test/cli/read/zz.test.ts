import { it } from 'vitest';
import { readCommand } from '../../../src/cli/read/read.ts';
import { STAGES, stage } from '../../policy/recorded/stages.ts';
import { run } from '../terminal.ts';
it('prints', async () => {
  for (const name of STAGES) {
    const r = await run(readCommand, { home: '/nonexistent', words: [stage(name).stage.transaction], options: {}, columns: 100 });
    console.log('#####', name, '\n', r.error, r.out);
  }
});
