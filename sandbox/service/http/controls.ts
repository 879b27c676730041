/**
 * Controls of the sandbox below `/sandbox/`, for tests and demonstrations: outside the contract and not reachable through a
 * tool (B76). JSON only, so that a web page cannot post to them.
 */
import type { Hono } from 'hono';
import { z } from 'zod';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { RPC_FAULTS, type RpcFaultName, type RpcFaults } from '../../rpc/faults.ts';
import { createAta, mintTo } from '../build/tokens.ts';
import { withTransferFee } from '../records/transferFees.ts';
import type { Service } from '../service.ts';
import type { ServiceEnv } from '../state.ts';
import { badRequest, notFound } from './errors.ts';
import { isServiceFault, SERVICE_FAULTS, type ServiceFaults } from './faults.ts';
import type { RateLimiter } from './rateLimit.ts';
import { issueSentence } from './requests.ts';

interface Tools {
  readonly service: Service;
  readonly limiter: RateLimiter;
  readonly rpcFaults: RpcFaults;
}

// The keys of that table are exactly its names.
const RPC_FAULT_NAMES = Object.keys(RPC_FAULTS) as RpcFaultName[];

/** Names of all faults. */
export const FAULT_NAMES: readonly string[] = [...Object.keys(SERVICE_FAULTS), ...RPC_FAULT_NAMES];
const raw = z.string().regex(/^(0|[1-9][0-9]{0,19})$/);

function control<S extends z.ZodType>(schema: S, run: (body: z.infer<S>, tools: Tools) => unknown) {
  return (body: unknown, tools: Tools): unknown => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw badRequest(issueSentence(parsed.error));
    return run(parsed.data, tools);
  };
}

const CONTROLS = {
  /** Returns the addresses of the service. */
  info: control(z.strictObject({}), (_body, { service }) => ({
    treasury: service.keys.treasury.address,
    feeShareAuthority: service.keys.feeShareAuthority.address,
    sponsor: service.keys.sponsor.address,
    quotes: [...service.quotes.values()].map(({ mint, symbol, tokenProgram }) => ({
      mint,
      symbol,
      tokenProgram,
    })),
    tokens: [...service.state.launches.values()].map((launch) => ({
      mint: launch.tokenMint,
      symbol: launch.symbol,
      status: service.state.launchStatusOf(launch),
    })),
  })),
  /** Changes the transfer fee of a mint at once. */
  'transfer-fee': control(
    z.strictObject({ mint: z.string(), basisPoints: z.int().min(0).max(10_000), maximumFeeRaw: raw }),
    ({ mint, basisPoints, maximumFeeRaw }, { service }) => {
      const account = service.onchain.account(mint);
      const changed = account && withTransferFee(account.data, basisPoints, BigInt(maximumFeeRaw));
      if (!account || !changed) throw notFound('no mint with a transfer fee');
      service.onchain.chain.setAccount(mint, { ...account, data: changed });
      return {};
    },
  ),
  /** Sets variants of what the service builds, from the next request on: see `Variants`. */
  variants: control(
    z
      .strictObject({
        swapsThrough: z.enum(['venue', 'router']),
        poolDeposits: z.enum(['service', 'service-wraps', 'wallet']),
        claimerPosition: z.enum(['custody', 'wallet']),
      })
      .partial(),
    (variants, { service }) => {
      Object.assign(service.state, variants);
      return {};
    },
  ),
  /** Serves an attack by name; `null` serves honest answers. */
  hostile: control(z.strictObject({ name: z.string().nullable() }), ({ name }, { service }) => {
    const attacks = service.hostile.list();
    if (name !== null && !attacks.some((attack) => attack.name === name))
      throw notFound('no attack has this name');
    service.hostile.use(name ?? undefined);
    return { attacks };
  }),
  /** Arms a fault of the service or the RPC by name for `count` requests; `null` disarms all. */
  fault: control(
    z.strictObject({ name: z.string().nullable(), count: z.int().min(1).optional() }),
    ({ name, count }, { service, rpcFaults }) => {
      if (name === null) {
        service.faults.disarm();
        rpcFaults.disarm();
      } else if (!armFault(name, service.faults, rpcFaults, count)) throw notFound('no fault has this name');
      return { faults: { ...SERVICE_FAULTS, ...RPC_FAULTS } };
    },
  ),
  /** Advances slots. */
  'advance-slots': control(
    z.strictObject({ slots: z.int().min(1).max(100_000) }),
    ({ slots }, { service }) => {
      service.onchain.chain.advanceSlots(slots);
      return { slot: service.onchain.chain.slot };
    },
  ),
  /** Sets the remaining requests of a user (by key) or an address. */
  'rate-limit': control(
    z.strictObject({ subject: z.string(), remaining: z.int().min(0).max(5000) }),
    ({ subject, remaining }, { service, limiter }) => {
      const userId = service.state.apiKeys.get(subject)?.userId;
      limiter.leave(userId === undefined ? `ip ${subject}` : `user ${userId}`, remaining);
      return {};
    },
  ),
  /** Mints a quote token of the sandbox to a wallet. */
  'mint-quote': control(
    z.strictObject({ mint: z.string(), wallet: z.string(), amountRaw: raw }),
    ({ mint, wallet, amountRaw }, { service }) => {
      const quote = service.quotes.get(mint);
      if (quote === undefined || !service.onchain.mint(mint)?.mintAuthority)
        throw notFound('no such quote token');
      const { sponsor, quoteAuthority } = service.keys;
      const account = associatedTokenAddress(wallet, mint, quote.tokenProgram);
      const minted = mintTo(quote.tokenProgram, mint, account, quoteAuthority.address, BigInt(amountRaw));
      const opened = createAta(sponsor.address, wallet, quote);
      const { signature } = service.onchain.landBy(sponsor, [opened, minted], quoteAuthority);
      return { signature };
    },
  ),
} as const;

/** Arms a fault of the service or the RPC by name. Returns whether the name exists. */
export function armFault(
  name: string,
  serviceFaults: ServiceFaults,
  rpcFaults: RpcFaults,
  count?: number,
): boolean {
  const rpcFault = RPC_FAULT_NAMES.find((known) => known === name);
  if (isServiceFault(name)) serviceFaults.arm(name, count);
  else if (rpcFault !== undefined) rpcFaults.arm(rpcFault, count);
  else return false;
  return true;
}

/** Adds the controls to an app. */
export function mountControls(app: Hono<ServiceEnv>, tools: Tools): void {
  for (const [name, run] of Object.entries(CONTROLS)) {
    app.post(`/sandbox/${name}`, async (context) => {
      if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) {
        throw badRequest('the body must be application/json');
      }
      const body: unknown = await context.req.json().catch(() => undefined);
      return context.json({ success: true, response: run(body, tools) });
    });
  }
}
