/** Home that trades against a sandbox, with an owner key and a SOL limit of three swaps. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/index.ts';
import type { Command } from '../../src/cli/command.ts';
import { doctorCommand } from '../../src/cli/doctor/doctor.ts';
import { backupCommand } from '../../src/cli/homes/backup.ts';
import { restoreCommand } from '../../src/cli/homes/restore.ts';
import { historyCommand } from '../../src/cli/money/history.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerCommand } from '../../src/cli/records/ledger.ts';
import { createCountersign } from '../../src/index.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { withOwner } from '../approval/owner.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { run } from './terminal.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
const AMOUNT = 20_000_000n;
/** Statuses after which a plan is submitted again. */
const UNFINISHED: readonly unknown[] = ['running', 'unknown'];
const COMMANDS: Readonly<Record<string, Command>> = {
  audit: auditCommand,
  backup: backupCommand,
  doctor: doctorCommand,
  history: historyCommand,
  restore: restoreCommand,
};

/** Creates a home with a wallet, an owner key and a SOL limit of three swaps. */
export async function tradingHome() {
  const sandbox = await startSandbox({ slotMs: 400 });
  onTestFinished(() => sandbox.close());
  const home = temporaryHome();
  const file = (name: string, text: string) => {
    const path = join(home, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { address, secretKey } = sandbox.wallet;
  const owner = await withOwner(home);
  const env = {
    // Notes about restored backups: of this machine, and of another one.
    XDG_DATA_HOME: join(home, 'data'),
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_WALLET_FILE: file('wallet.json', JSON.stringify([...secretKey])),
    COUNTERSIGN_API_KEY: sandbox.apiKey,
    COUNTERSIGN_ROOT_URL: sandbox.rootUrl,
    COUNTERSIGN_OWNER_PUBLIC_KEY: (await owner()) ?? '',
  };
  const made = policyTemplate('sandbox', { wallet: address, network: sandbox.genesisHash });
  const limits = made.limits.map((limit) =>
    'asset' in limit && limit.asset === 'SOL' && limit.window !== 'transaction'
      ? { ...limit, max: `${4n * AMOUNT}` }
      : limit,
  );
  const policy = file('policy.json', JSON.stringify({ ...made, limits }));
  const { rootUrl, rpcUrl } = sandbox;
  /** Opens a server of this home, or of a home restored from it. */
  const open = (at = home) => createCountersign({ mode: 'live', home: at, rootUrl, rpcUrl, policy, env });
  const command = (
    words: string[],
    typed?: string[],
    more: Record<string, string | boolean | undefined> = {},
    at = home,
    machine: Record<string, string> = {},
  ) =>
    run(COMMANDS[words[0] ?? ''] ?? ledgerCommand, {
      home: at,
      env: { ...env, ...machine },
      words: words.slice(1),
      options: { live: true, 'rpc-url': rpcUrl, 'root-url': rootUrl, policy, ...more },
      ...(typed === undefined ? {} : { typed }),
    });
  const elsewhere = file('elsewhere.json', JSON.stringify({ ...made, limits, network: SOL }));
  return { home, wallet: address, open, command, elsewhere, chain: sandbox.chain };
}

/** Swaps once. Returns the outcome's status, or the refusal code. */
export async function swap(server: ReturnType<typeof createCountersign>): Promise<string> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent } = await server.callTool(name, args);
    return JSON.parse(JSON.stringify(structuredContent));
  };
  const feed = await call('get_launch_feed', {});
  const outputMint = /"tokenMint":"(\w+)"/.exec(JSON.stringify(feed))?.[1];
  const quote = await call('get_swap_quote', { inputMint: SOL, outputMint, amount: `${AMOUNT}` });
  const requestId = /"requestId":"([\w-]+)"/.exec(JSON.stringify(quote))?.[1];
  if (requestId === undefined) return quote.code ?? 'no quote';
  const built = await call('create_swap', { requestId });
  const planId = built.plan?.planId;
  if (planId === undefined) return built.code ?? 'nothing';
  let done = await call('submit_plan', { planId, waitSeconds: 20 });
  while (UNFINISHED.includes(done.plan?.status)) {
    done = await call('submit_plan', { planId, waitSeconds: 20 });
  }
  return done.plan?.status === 'complete'
    ? 'complete'
    : (done.plan?.decision?.reasonCodes?.[0] ?? done.code ?? done.plan?.status);
}
