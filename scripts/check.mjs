/** `npm run check`: runs its parts at the same time and prints the output of each once it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PARTS = {
  types: 'tsc --noEmit -p .',
  'lint and format': 'biome check .',
  'generated files': 'node scripts/run.mjs scripts/gen.ts --check',
  'unused code': 'knip --no-progress',
  architecture: 'vitest run test/architecture.test.ts',
};

// npm puts the tools on the path; a shell finds them on every platform.
await Promise.all(
  Object.entries(PARTS).map(async ([name, command]) => {
    const part = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [part.stdout, part.stderr]) stream.on('data', (chunk) => output.push(chunk));
    const [code] = await once(part, 'close');
    if (code !== 0) process.exitCode = 1;
    console.log(`== ${name}: ${code === 0 ? 'passed' : 'failed'}\n${Buffer.concat(output)}`);
  }),
);
