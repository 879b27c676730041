/**
 * The embedded sandbox: a chain, its JSON-RPC and the whole service of the contract, on loopback, in this process. It makes no
 * outgoing connections and persists nothing.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { ProfileName } from '../src/contract/profiles/index.ts';
import type { Address } from '../src/transaction/types.ts';
import { createChain, type SandboxChain } from './chain/chain.ts';
import { listen, portOf, shut } from './listening.ts';
import { programGenesis } from './programs/genesis.ts';
import { KEEP_ALIVE_MS, type RpcServer, startRpc } from './rpc/server.ts';
import { handlers } from './service/handlers/index.ts';
import type { HostileHook, OpenHostileMode } from './service/hostile.ts';
import { issueKey, mintLogin } from './service/http/accounts.ts';
import { createApp } from './service/http/app.ts';
import { armFault, FAULT_NAMES, mountControls } from './service/http/controls.ts';
import { Onchain } from './service/onchain.ts';
import { seedQuotes } from './service/seed.ts';
import { Service } from './service/service.ts';
import { createServiceKeys } from './service/serviceKeys.ts';

export interface SandboxOptions {
  /** Makes keys, tokens and chain repeatable. Random by default. */
  readonly seed?: string;
  /** `auto`: slots follow real time. `manual`: slots pass only through `advanceSlots`. */
  readonly clock?: 'auto' | 'manual';
  readonly slotMs?: number;
  readonly profile?: ProfileName;
  /** 0 takes a free port. */
  readonly port?: number;
  readonly rpcPort?: number;
  /** An attack by name, or a hook given by the caller; needs `attacks`. */
  readonly hostile?: string | HostileHook;
  /** The source of attacks, injected by `attacks/sandbox.ts`; answers are honest without it. */
  readonly attacks?: OpenHostileMode;
  /** A fault of the service or the RPC by name. */
  readonly fault?: string;
  /** `false`: only `service.ready()` launches the seeded tokens, not the first request. */
  readonly market?: boolean;
  /** Code by address that replaces or extends the stand-ins (`readProgramFolder`). */
  readonly programs?: ReadonlyMap<Address, Uint8Array>;
}

export interface Sandbox {
  readonly rootUrl: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly apiKey: string;
  readonly jwt: string;
  /** A funded temporary wallet. `secretKey`: seed and public key, 64 bytes. */
  readonly wallet: { readonly address: Address; readonly secretKey: Uint8Array };
  readonly genesisHash: string;
  readonly chain: SandboxChain;
  readonly rpc: RpcServer;
  readonly service: Service;
  advanceSlots(count: number): void;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** Starts a sandbox. Rejects when a port is taken or the native runtime does not load. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = 'auto', profile = 'contract', port = 0, rpcPort = 0 } = options;
  const seed = options.seed ?? crypto.randomUUID();
  const chain = await createChain({
    clock,
    ...(options.seed === undefined ? {} : { seed }),
    ...(options.slotMs === undefined ? {} : { slotMs: options.slotMs }),
    genesis: programGenesis(createServiceKeys(seed), options.programs),
  });
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const onchain = new Onchain(chain, clock === 'auto' ? sleep : undefined);
  const service = new Service({
    seed,
    profile,
    onchain,
    ...(options.market === undefined ? {} : { market: options.market }),
    ...(options.hostile === undefined ? {} : { hostile: options.hostile }),
    ...(options.attacks === undefined ? {} : { attacks: options.attacks }),
  });
  seedQuotes(service);
  const user = { userId: 'sandbox-user', name: 'Sandbox user' };
  service.state.users.set(user.userId, user);
  const { key } = issueKey(service.state, user.userId, 'sandbox');

  const { app, limiter } = createApp(service, handlers);
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server; // one of node:http
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const rpc = await startRpc({ chain, port: rpcPort });
  const close = async () => {
    await Promise.all([rpc.close(), shut(server)]);
    chain.close();
  };
  try {
    mountControls(app, { service, limiter, rpcFaults: rpc.faults });
    if (options.fault !== undefined && !armFault(options.fault, service.faults, rpc.faults)) {
      throw new RangeError(`No fault is called "${options.fault}". There are ${FAULT_NAMES.join(', ')}.`);
    }
    await listen(server, port, LOOPBACK);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    rootUrl: `http://${LOOPBACK}:${portOf(server)}`,
    rpcUrl: rpc.rpcUrl,
    wsUrl: rpc.wsUrl,
    apiKey: key,
    jwt: await mintLogin(service.loginSecret, user, service.now()),
    wallet: { address: service.keys.wallet.address, secretKey: service.keys.wallet.secretKey },
    genesisHash: chain.genesisHash,
    chain,
    rpc,
    service,
    advanceSlots: (count) => chain.advanceSlots(count),
    close,
  };
}
