/**
 * The scene of the attack table: a sandbox in this process with a manual clock, and the server under attack in another
 * process. The wallet's key is used here only in trials of the chain.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRecord } from '../../../src/base/record.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { ChainAccount } from '../../chain/types.ts';
import { type ToolAnswer, text } from '../../demo/session.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox.ts';
import { startSandbox } from '../sandbox.ts';
import { secondWallet } from '../service/index.ts';
import { attackPolicy, friendOf } from './policy.ts';
import { type Answer, type AttackedServer, openServer } from './server.ts';
import { advanceSlotsAfterLandings } from './slots.ts';

const SLOT_MS = 400;
/** The friend's account exists, so that a small tip can arrive. */
const FRIEND_LAMPORTS = 1_000_000_000n;

export interface World {
  readonly sandbox: Sandbox;
  readonly wallet: Address;
  readonly server: AttackedServer;
  readonly policy: PolicyFile;
  /** A further server over the same sandbox, with a home and a policy of its own. */
  another(options: OtherOptions): Promise<OtherServer>;
  /** Receives the accounts before and after a trial, for an independent judgement. */
  readonly witness: Witness | undefined;
  close(): Promise<void>;
}

/** An account with its address. */
export type SeenAccount = ChainAccount & { readonly address: Address };

/** Accounts before the trial, after the refused bytes, and after the honest answer (before the trial if there is none). */
export interface Sighting {
  /** The owner's wallets. */
  readonly owners: readonly Address[];
  readonly before: readonly SeenAccount[];
  readonly after: readonly SeenAccount[];
  readonly honest: readonly SeenAccount[];
}
export type Witness = (sighting: Sighting) => void;

/** Options of a further server. */
export interface OtherOptions {
  readonly policy?: string;
  readonly rpcUrl?: string;
  readonly secondRpcUrl?: string;
  readonly person?: readonly Answer[];
}

export interface OtherServer {
  readonly server: AttackedServer;
  /** The policy file, where there is one. */
  readonly policyFile: string;
}

export interface WorldOptions {
  /** Seed of the chain's keys. Random by default. */
  readonly seed?: string;
  readonly witness?: Witness;
  /** As of the sandbox. */
  readonly programs?: SandboxOptions['programs'];
}

/** Starts sandbox and server. */
export async function openWorld(
  command: string,
  { witness, programs, seed = crypto.randomUUID() }: WorldOptions = {},
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-attacks-'));
  const sandbox = await startSandbox({
    ...{ seed, clock: 'manual', slotMs: SLOT_MS, profile: 'bags' },
    ...(programs === undefined ? {} : { programs }),
  });
  const closing: (() => Promise<unknown>)[] = [() => sandbox.close()];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await sandbox.service.ready();
    sandbox.chain.airdrop(friendOf(sandbox), FRIEND_LAMPORTS);
    sandbox.advanceSlots(2);
    advanceSlotsAfterLandings(sandbox.chain);
    const walletFile = join(folder, 'wallet.json');
    await writeFile(walletFile, JSON.stringify([...sandbox.wallet.secretKey]), { mode: 0o600 });
    let servers = 0;
    const another: World['another'] = async ({ policy, rpcUrl, secondRpcUrl, person }) => {
      servers += 1;
      const home = join(folder, `home-${servers}`);
      const policyFile = join(folder, `policy-${servers}.json`);
      if (policy !== undefined) {
        await writeFile(policyFile, policy, { mode: 0o600 });
        await chmod(policyFile, 0o600);
      }
      const server = await openServer({
        command,
        home,
        rootUrl: sandbox.rootUrl,
        rpcUrl: rpcUrl ?? sandbox.rpcUrl,
        ...(secondRpcUrl === undefined ? {} : { secondRpcUrl }),
        apiKey: sandbox.apiKey,
        walletFile,
        ...(policy === undefined ? {} : { policy: policyFile }),
        ...(person === undefined ? {} : { person }),
      });
      closing.push(() => server.close());
      return { server, policyFile };
    };
    const policy = attackPolicy(sandbox, secondWallet(sandbox.service));
    const { server } = await another({ policy: JSON.stringify(policy) });
    return {
      sandbox,
      wallet: sandbox.wallet.address,
      server,
      policy,
      another,
      witness,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A tool call that was answered with an error. */
export class ToolRefusal extends Error {
  readonly code: string;
  /** The server's own sentence. */
  readonly statement: string;

  constructor(tool: string, { text, data }: ToolAnswer) {
    const [line = ''] = text.split('\n', 1);
    super(`${tool}: ${line}`);
    this.code = typeof data.code === 'string' ? data.code : (/^[A-Z_]+/.exec(line)?.[0] ?? 'UNKNOWN');
    this.statement = line;
  }
}

/** Returns the data of a successful call. Throws ToolRefusal otherwise. */
export function worked(tool: string, answer: ToolAnswer): Record<string, unknown> {
  if (answer.isError) throw new ToolRefusal(tool, answer);
  return answer.data;
}

/** The id of the plan in a build result. */
export const planIdOf = (built: Record<string, unknown>): string => text(asRecord(built.plan), 'planId');
