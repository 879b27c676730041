/**
 * Counts false denials over random legitimate requests: `npm run benign -- 300 --seed 1`. Fails when a decision differs
 * from the one its template declares.
 */
import { parseArgs } from 'node:util';
import { countDenialsAfresh } from '../test/policy/benign.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });
const result = await countDenialsAfresh(Number(values.seed ?? 1), Number(positionals[0] ?? 300));
console.log(JSON.stringify(result, null, 2));
if (result.examples.length > 0) process.exitCode = 1;
