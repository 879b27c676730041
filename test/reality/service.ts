/**
 * Scenarios of the whole service: launches, swaps and claims are built and landed. Builds depend on chain state, so a
 * difference in any program also shows in the amounts.
 */

import type { SandboxOptions } from '../../sandbox/index.ts';
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  METADATA_PROGRAM,
  ROUTER_PROGRAM,
} from '../../sandbox/programs/addresses.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import {
  associated,
  ChainCaller,
  DAMM_V2,
  derived,
  TOKEN_2022_PROGRAM,
  WSOL,
} from '../sandbox/service/onchain/scene.ts';
import { list, text } from '../sandbox/service/support.ts';
import { type Scenario, type Seen, shown } from './play.ts';

const SOL = 1_000_000_000n;
const PROGRAMS = [DAMM_V2_PROGRAM, DBC_PROGRAM, METADATA_PROGRAM, ROUTER_PROGRAM];

/** Tools of a scenario: the service, and a step that lands a transaction and records the watched accounts. */
interface Asker {
  readonly caller: ChainCaller;
  step(name: string, transaction: string): Promise<void>;
  stages(plan: unknown): Promise<void>;
  watch(name: string, address: string): void;
}

async function requestPlan(
  programs: NonNullable<SandboxOptions['programs']>,
  run: (asker: Asker) => Promise<void>,
): Promise<readonly Seen[]> {
  const caller = await ChainCaller.start({ seed: 'reality', programs });
  try {
    const [seen, watched] = [[] as Seen[], new Map<string, string>()];
    const step = async (name: string, transaction: string) => {
      const { err } = await caller.land(transaction);
      const accounts = Object.fromEntries(
        [...watched].map(([called, address]) => [called, shown(caller.sandbox.chain, address)]),
      );
      seen.push({ step: name, err: JSON.stringify(err), accounts });
    };
    await run({
      caller,
      step,
      stages: async (plan) => {
        for (const stage of list(plan, 'transactions'))
          await step(text(stage, 'id'), text(stage, 'transaction'));
      },
      watch: (name, address) => watched.set(name, address),
    });
    return seen;
  } finally {
    await caller.close();
  }
}

/** Watches all accounts of a launched token. */
function watchToken({ caller, watch }: Asker, mint: string, fees?: string): void {
  const { position } = caller.sandbox.service.keys;
  const pool = caller.poolOf(mint, WSOL);
  watch('token', mint);
  watch('metadata', metadataAddress(mint));
  watch('pool', pool);
  watch('vault of the token', derived(DAMM_V2, 'token_vault', mint, pool));
  watch('vault of SOL', derived(DAMM_V2, 'token_vault', WSOL, pool));
  for (const side of ['treasury', 'feeClaimer'] as const) {
    const nft = position(mint, side).address;
    watch(`position ${side}`, derived(DAMM_V2, 'position', nft));
    watch(`NFT ${side}`, nft);
    watch(`where NFT ${side} was made`, derived(DAMM_V2, 'position_nft_account', nft));
    if (fees !== undefined) watch(`NFT ${side} of the fee share`, associated(fees, nft, TOKEN_2022_PROGRAM));
  }
  if (fees !== undefined) {
    watch('fee share', fees);
    watch('wrapped SOL of the fee share', associated(fees, WSOL));
  }
  watch('tokens of the wallet', associated(caller.wallet, mint));
  watch('wrapped SOL of the wallet', associated(caller.wallet, WSOL));
  watch('wallet', caller.wallet);
}

/** Buys and sells by both routes. */
async function traded({ caller, step }: Asker, mint: string): Promise<void> {
  for (const through of ['venue', 'router']) {
    await caller.control('variants', { swapsThrough: through });
    await step(`a buy through the ${through}`, await caller.swapOf(WSOL, mint, 2n * SOL));
    const held = caller.tokens(associated(caller.wallet, mint));
    await step(`a sale through the ${through}`, await caller.swapOf(mint, WSOL, held / 3n));
  }
}

async function claimed({ caller, stages }: Asker, tokenMint: string, kind: string): Promise<void> {
  const body = { feeClaimer: caller.wallet, tokenMint, source: { kind } };
  await stages(await caller.ok(caller.post('/token-launch/create-claim-txs/v2', body)));
}

async function direct(asker: Asker, by: string): Promise<void> {
  const { caller, stages } = asker;
  await caller.control('variants', { poolDeposits: by });
  const { tokenMint, feeShareAuthority, ask } = await caller.direct();
  watchToken(asker, tokenMint, feeShareAuthority);
  await stages(await ask(SOL));
  await traded(asker, tokenMint);
  await claimed(asker, tokenMint, 'position');
}

async function custody(asker: Asker, position: string): Promise<void> {
  const { caller, step } = asker;
  await caller.control('variants', { claimerPosition: position });
  const ipfs = 'https://example.com/custody.json';
  const tokenMint = await caller.token({ metadataUrl: ipfs });
  watchToken(asker, tokenMint);
  const body = {
    ipfs,
    tokenMint,
    wallet: caller.wallet,
    quoteMint: WSOL,
    initialBuyQuoteAmount: Number(SOL),
  };
  const answer = await caller.ok(caller.post('/token-launch/damm-v2/create-transaction', body));
  for (const each of list(answer, 'transactions').slice(0, 4)) {
    await step(text(each, 'type'), text(each, 'transaction'));
    caller.sandbox.advanceSlots(2);
  }
  await traded(asker, tokenMint);
  await claimed(asker, tokenMint, 'position');
}

async function curve(asker: Asker): Promise<void> {
  const { caller, step, watch } = asker;
  const ipfs = 'https://example.com/curve.json';
  const tokenMint = await caller.token({ metadataUrl: ipfs });
  const { pool, feeShareAuthority, venueConfigKey } = await caller.curveConfig(tokenMint);
  watchToken(asker, tokenMint, feeShareAuthority);
  watch('curve', pool);
  const body = { tokenMint, ipfs, wallet: caller.wallet, configKey: venueConfigKey };
  const launch = { ...body, initialBuyLamports: Number(SOL) };
  await step(
    'launch',
    String(await caller.ok(caller.post('/token-launch/create-launch-transaction', launch))),
  );
  await traded(asker, tokenMint);
  await claimed(asker, tokenMint, 'holding');
}

const scenario = (name: string, run: (asker: Asker) => Promise<void>): Scenario => ({
  name: `the service: ${name}`,
  programs: PROGRAMS,
  ask: (programs) => requestPlan(programs, run),
});

export const serviceScenarios: readonly Scenario[] = [
  scenario('a launch on a curve, swaps and a claim', curve),
  ...['service', 'service-wraps', 'wallet'].map((by) =>
    scenario(`a direct launch opened by ${by}, swaps and a claim of the position`, (asker) =>
      direct(asker, by),
    ),
  ),
  ...['custody', 'wallet'].map((position) =>
    scenario(
      `a custody launch with the claimer’s position at the ${position}, swaps and a claim of it`,
      (asker) => custody(asker, position),
    ),
  ),
];
