/**
 * Environment of the agents: a live server of the built command with every toolset, a sandbox in a separate process, a
 * policy that denies some requests and requires approval for others, and an approver at a terminal.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLSETS } from '../../src/server/catalogue.ts';
import { CHEAP_PASSPHRASES } from '../e2e/cheapPassphrases.ts';
import {
  createHome,
  type Fields,
  liveEnvironment,
  object,
  objects,
  someAddress,
  startSandbox,
  startServer,
} from '../e2e/harness.ts';
import { runHere } from '../e2e/inProcess.ts';
import { typeInto } from '../e2e/typist.ts';
import { type Agent, agentOf, type Form } from './agent.ts';

/** Daily SOL limit, in lamports. */
const DAY_MAX = '8000000000';

export interface Day {
  readonly agent: Agent;
  /** Wallet owner at a terminal. */
  readonly person: {
    approve(planId: string): Promise<void>;
    deny(planId: string, reason: string): Promise<void>;
    freeze(): Promise<void>;
    unfreeze(): Promise<void>;
  };
  /** Wallets of the address book. */
  readonly friends: readonly string[];
  /** Advances the chain by slots. */
  pass(slots: number): Promise<void>;
  close(): Promise<void>;
}

const PASSPHRASE = 'a passphrase of a test';

/** Returns the sandbox template with a reachable daily limit; changed splits require approval, launches may not tip. */
const changed = (file: Fields, friends: readonly string[]): Fields => ({
  ...file,
  addressBook: friends.map((address, index) => ({ label: `friend ${index}`, address })),
  limits: objects(file.limits).map((limit) => (limit.id === 'sol-day' ? { ...limit, max: DAY_MAX } : limit)),
  rules: objects(file.rules).map((rule) => {
    const { tip: _, ...untipped } = rule;
    if (rule.id === 'launch') return untipped;
    return rule.id === 'new-split' ? { ...rule, effect: 'require_approval' } : rule;
  }),
});

export async function startDay(form: Form): Promise<Day> {
  const sandbox = await startSandbox(['--set', 'slot-ms=100']);
  const wallet = createHome();
  await sandbox.rpc('requestAirdrop', [wallet.address, 100_000_000_000]);
  const env: Record<string, string> = {
    ...liveEnvironment(wallet, sandbox),
    ...CHEAP_PASSPHRASES,
    HOME: wallet.home,
    COUNTERSIGN_NO_BROWSER: '1',
    COUNTERSIGN_ROOT_URL: sandbox.rootUrl,
    COUNTERSIGN_RPC_URL: sandbox.rpcUrl,
  };
  const runs = async (args: readonly string[]): Promise<void> => {
    const { code, err } = await runHere(args, env);
    if (code !== 0) throw new Error(`countersign ${args.join(' ')}: ${err}`);
  };
  const types = async (args: readonly string[], ...questions: string[]): Promise<string> => {
    const terminal = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env };
    const answers = questions.map((question) => ({ question, answer: PASSPHRASE }));
    const { code, shown } = await typeInto(args, terminal, answers);
    if (code !== 0) throw new Error(`countersign ${args.join(' ')}: ${shown}`);
    return shown;
  };
  const policy = join(wallet.home, 'policy.json');
  const init = ['policy', 'init', '--template', 'sandbox', '--profile', 'contract', '--out', policy];
  await runs([...init, '--wallet', wallet.address]);
  const friends = [someAddress(), someAddress()];
  const file = changed(object(JSON.parse(readFileSync(policy, 'utf8'))), friends);
  writeFileSync(policy, JSON.stringify(file), { mode: 0o600 });
  const shown = await types(['owner', 'create'], 'New owner passphrase:', 'The same again:');
  const [, owner = ''] = /COUNTERSIGN_OWNER_PUBLIC_KEY=(\w+)/.exec(shown) ?? [];
  env.COUNTERSIGN_OWNER_PUBLIC_KEY = owner;
  const server = await startServer(['--live', '--policy', policy, '--toolsets', TOOLSETS.join(',')], env);
  return {
    agent: agentOf(server, form),
    friends,
    person: {
      approve: async (planId) => {
        await types(['approve', planId], 'Owner passphrase:');
      },
      deny: (planId, reason) => runs(['deny', planId, '--reason', reason, '--yes']),
      freeze: () => runs(['freeze']),
      unfreeze: async () => {
        await types(['unfreeze'], 'Owner passphrase:');
      },
    },
    pass: async (slots) => {
      await sandbox.control('advance-slots', { slots });
    },
    close: async () => {
      await server.stop();
      sandbox.stop();
      rmSync(wallet.home, { recursive: true, force: true });
    },
  };
}
