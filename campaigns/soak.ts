/**
 * `npm run soak -- --calls 10000`: the given number of tool calls to one process of the built server in its embedded
 * sandbox, with its memory and open files over time. Linux only.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../test/e2e/harness.ts';

const { values } = parseArgs({ options: { calls: { type: 'string' } } });
const calls = Number(values.calls ?? 10_000);
const print = (line: string) => process.stdout.write(`${line}\n`);

const server = await startServer([], { COUNTERSIGN_HOME: mkdtempSync(join(tmpdir(), 'soak-')) });
const pid = server.child.pid ?? 0;
const measure = () => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    residentMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
};

const started = Date.now();
const first = measure();
let errors = 0;
for (let call = 1; call <= calls; call++) {
  const [name, args] = pick(call);
  const { isError } = await server.call(name, args);
  if (isError) errors += 1;
  if (call % Math.ceil(calls / 20) === 0) {
    print(JSON.stringify({ call, errors, ...measure(), seconds: Math.round((Date.now() - started) / 1000) }));
  }
}
const last = measure();
print(JSON.stringify({ calls, errors, first, last, seconds: Math.round((Date.now() - started) / 1000) }));
await server.stop('SIGTERM');

/** Picks a call: reads of the home and of the service (until the hourly quota is used up), and one refused call. */
function pick(call: number): [string, Record<string, unknown>] {
  switch (call % 5) {
    case 0:
      return ['get_policy', {}];
    case 1:
      return ['list_plans', {}];
    case 2:
      return ['get_wallet', {}];
    case 3:
      return ['get_plan', { planId: `plan-${String(call).padStart(20, '0')}` }];
    default:
      return ['list_supported_quote_tokens', { launch: 'custody' }];
  }
}
