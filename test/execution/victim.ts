/**
 * Process that is killed during execution. Bundled and spawned by the test: submits a plan, reports a given point, and
 * blocks there until killed.
 */
import { newHolder } from '../../src/ledger/sqlite/leases.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { Home, type HomeOptions } from './home.ts';

const [place = '', file = '', planId = '', point = ''] = process.argv.slice(2);
const { secretKey, ...where } = JSON.parse(place);

function reached(): Promise<never> {
  process.stdout.write('reached\n');
  return new Promise(() => setInterval(() => {}, 1000));
}

const hook = (ledger: Ledger): Ledger => ({
  ...ledger,
  reserve: async (request) => (point === 'decided' ? reached() : ledger.reserve(request)),
  journalSigned: async (...row) => {
    if (point === 'signed') return reached();
    const outcome = await ledger.journalSigned(...row);
    return point === 'journaled' ? reached() : outcome;
  },
  journalMove: async (signature, state, change) => {
    await ledger.journalMove(signature, state, change);
    if (point === 'landed' && state === 'confirmed') return reached();
  },
});
const chain: HomeOptions['chain'] = (port) => ({
  ...port,
  send: async (bytes) => {
    const answer = await port.send(bytes);
    return point === 'sent' ? reached() : answer;
  },
});
const wallet = { address: where.address, secretKey: Uint8Array.from(secretKey) };
const plain = Home.over({ ...where, wallet }, file);
const home = Home.over({ ...where, wallet }, file, {
  chain,
  deps: { ledger: hook(plain.ledger), holder: newHolder() },
});
await home.submit(planId);
