/** Number of port calls (chain, ledger and others) of a plan, from request to completion. */
import { expect, it } from 'vitest';
import { createGather } from '../../src/execution/deciding/gather.ts';
import { createExecution } from '../../src/execution/execution.ts';
import type { ExecutionDeps } from '../../src/execution/ports.ts';
import { useHomes } from './homes.ts';
import { configRequest } from './requests.ts';

const { start } = useHomes();

/** Wraps a port and records its calls by name. */
const noting = <T extends object>(name: string, port: T, calls: string[]): T =>
  new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        calls.push(`${name}.${String(key)}`);
        return Reflect.apply(member, target, args);
      };
    },
  });

it('a config of one stage makes at most 45 port calls beside its status polls', async () => {
  const home = await start();
  const fields = await configRequest(home, 1);
  const calls: string[] = [];
  const chain = noting('chain', home.deps.chain, calls);
  const { policy, gather } = noting(
    'home',
    { policy: home.deps.policy, gather: createGather({ chain }) },
    calls,
  );
  const deps: ExecutionDeps = {
    ...home.deps,
    chain,
    ledger: noting('ledger', home.deps.ledger, calls),
    wallets: noting('wallets', home.deps.wallets, calls),
    service: noting('service', home.deps.service, calls),
    policy,
    gather,
  };
  const execution = createExecution(deps);
  const begun = await execution.begin('feeShareConfig', fields);
  const answer = await deps.service.call('feeShareConfig', fields);
  const { plan } = await execution.open('feeShareConfig', fields, answer, { begun });
  await execution.submit(plan?.planId ?? '', 30, () => {}, new AbortController().signal);

  expect((await execution.snapshot(plan?.planId ?? '')).planNote?.status).toBe('complete');
  const counted = calls.filter((call) => call !== 'chain.statuses' && call !== 'home.gather');
  expect(counted.slice(0, counted.lastIndexOf('ledger.planRows')), counted.join('\n')).toHaveLength(45);
  // One inspection when the plan is built, one decision for its signature.
  expect(calls.filter((call) => call === 'home.gather')).toHaveLength(2);
  await execution.stop();
});
