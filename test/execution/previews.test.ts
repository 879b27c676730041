/** Conditions for a second whole-plan inspection of a multi-stage plan before its first signature. */
import { expect, it } from 'vitest';
import { createGather } from '../../src/execution/deciding/gather.ts';
import { sha256Base64 } from '../../src/execution/deciding/secondRpc.ts';
import { createExecution } from '../../src/execution/execution.ts';
import type { ExecutionDeps } from '../../src/execution/ports.ts';
import type { LookupTableFact } from '../../src/rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../src/transaction/programs.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home } from './home.ts';
import { useHomes } from './homes.ts';
import { configRequest } from './requests.ts';

const { start } = useHomes();

/** Events between the two inspections. */
interface Meanwhile {
  readonly home: Home;
  /** Advances the program's clock only. */
  later(ms: number): void;
  /** Activates another policy with the same rules. */
  changePolicy(): void;
}

const TABLE = testKey('table').address;

/** Puts other contents into a lookup table that the plan's stages depend on. */
function putTable({ sandbox }: Home, content: number): void {
  const data = Uint8Array.of(content);
  sandbox.chain.setAccount(TABLE, { lamports: 1n, owner: LOOKUP_TABLE_PROGRAM, executable: false, data });
  sandbox.advanceSlots(5);
}

/** Returns the stages inspected on submit of a multi-stage plan, before its first signature. */
async function countInspections(meanwhile: (world: Meanwhile) => unknown): Promise<number> {
  const home = await start();
  const fields = await configRequest(home, 30);
  putTable(home, 1);
  let [passed, hash, looks] = [0, '', 0];
  const gather = createGather({ chain: home.deps.chain });
  const deps: ExecutionDeps = {
    ...home.deps,
    clock: { ...home.deps.clock, now: () => home.deps.clock.now() + passed },
    policy: async () => {
      const policy = await home.deps.policy();
      return hash === '' ? policy : { ...policy, hash };
    },
    gather: async (input) => {
      if (input.purpose === 'preview') looks += 1;
      const inputs = await gather(input);
      const [account] = (await home.deps.chain.accounts([TABLE], 'confirmed')).value;
      const dataSha256 = sha256Base64(account?.data ?? '');
      const table = {
        table: TABLE,
        addresses: [],
        dataSha256,
        slot: 9,
        lastExtendedSlot: 0,
        source: 'chain',
      };
      return { ...inputs, tables: [...inputs.tables, table as LookupTableFact] };
    },
  };
  const execution = createExecution(deps);
  const answer = await deps.service.call('feeShareConfig', fields);
  const { plan } = await execution.open('feeShareConfig', fields, answer);
  const built = looks;
  expect(built).toBe(plan?.stages.length);
  await meanwhile({
    home,
    later: (ms) => {
      passed = ms;
    },
    changePolicy: () => {
      hash = 'e'.repeat(64);
    },
  });
  await execution.submit(plan?.planId ?? '', 0, () => {}, new AbortController().signal);
  await execution.idle();
  await execution.stop();
  return Math.min(looks - built, built);
}

it('does not inspect again within a minute if no input has changed', async () => {
  expect(await countInspections(({ home }) => home.sandbox.advanceSlots(5))).toBe(0);
});

it.each<[string, (world: Meanwhile) => unknown]>([
  ['after a minute', ({ later }) => later(61_000)],
  ['under another policy', ({ changePolicy }) => changePolicy()],
  ['after a freeze', ({ home }) => home.ledger.freeze('a test')],
  [
    'after an input account changed',
    ({ home }) => {
      home.sandbox.chain.airdrop(home.wallet, 1_000_000n);
      home.sandbox.advanceSlots(5);
    },
  ],
  ['after a lookup table changed', ({ home }) => putTable(home, 2)],
])('inspects again %s', async (_, meanwhile) => {
  expect(await countInspections(meanwhile)).toBeGreaterThan(1);
});
