/**
 * Model launch service: answers each request with the transactions missing from its lagging chain view, with a
 * blockhash that may be old, or not at all.
 */
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { encodeWire } from '../../src/transaction/wire.ts';
import { DEPTH, type ModelChain } from './modelChain.ts';
import { digest, type Random } from './random.ts';
import type { VirtualTime } from './time.ts';
import { type Act, someAddress, type TestKey, write } from './transactions.ts';

export const KINDS = ['single', 'parallel', 'setup', 'bundle', 'swap', 'claims'] as const;
export type Kind = (typeof KINDS)[number];

/** One request and its required effects, each once. */
export interface Intent {
  readonly id: string;
  readonly kind: Kind;
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly acts: readonly Act[];
}

export interface ServiceFaults {
  fail: number;
  /** Chance of a nearly or fully expired blockhash. */
  stale: number;
  notReady: number;
  lagSlots: number;
}

const act = (intent: string, name: string, needs: readonly string[] = []): Act => ({
  effect: `${intent} ${name}`,
  lamports: 1_000 + (digest(`${intent} ${name}`)[0] ?? 0),
  needs: needs.map((need) => `${intent} ${need}`),
});

export function makeIntent(id: string, kind: Kind, wallet: string): Intent {
  const mint = someAddress(`mint ${id}`);
  const one = (name: string, needs?: string[]) => act(id, name, needs);
  const split = { claimersArray: [wallet], basisPointsArray: [10_000] };
  const config = { baseMint: mint, payer: wallet, flow: 'damm_v2_direct', ...split };
  switch (kind) {
    case 'single':
      return { id, kind, endpoint: 'updateFeeShareConfig', fields: config, acts: [one('update')] };
    case 'parallel':
      return { id, kind, endpoint: 'feeShareConfig', fields: config, acts: [one('a'), one('b'), one('c')] };
    case 'setup': {
      const acts = [one('table'), one('first', ['table']), one('second', ['table'])];
      return { id, kind, endpoint: 'feeShareConfig', fields: config, acts };
    }
    case 'bundle':
      return {
        id,
        kind,
        endpoint: 'dammLaunch',
        fields: { ipfs: 'x', tokenMint: mint, wallet, quoteMint: someAddress('quote') },
        acts: [
          one('LUT_SETUP'),
          one('CREATE_TOKEN'),
          one('LAUNCH', ['LUT_SETUP', 'CREATE_TOKEN']),
          one('LUT_DEACTIVATE', ['LAUNCH']),
          one('LUT_CLOSE', ['LUT_DEACTIVATE']),
        ],
      };
    case 'swap':
      return { id, kind, endpoint: 'tradeSwap', fields: { userPublicKey: wallet }, acts: [one('swap')] };
    case 'claims': {
      const acts = [one('one'), one('two', ['one']), one('three', ['two'])];
      return { id, kind, endpoint: 'deployerClaimTxs', fields: { wallet, tokenMint: mint }, acts };
    }
  }
}

export class ModelService {
  readonly faults: ServiceFaults;
  private readonly chain: ModelChain;
  private readonly time: VirtualTime;
  private readonly random: Random;
  private readonly wallet: string;
  private readonly sponsor: TestKey;

  constructor(
    chain: ModelChain,
    time: VirtualTime,
    random: Random,
    keys: { readonly wallet: string; readonly sponsor: TestKey },
    faults: ServiceFaults,
  ) {
    this.chain = chain;
    this.time = time;
    this.random = random;
    this.wallet = keys.wallet;
    this.sponsor = keys.sponsor;
    this.faults = faults;
  }

  async answer(intent: Intent): Promise<unknown> {
    const { random, faults } = this;
    await this.time.wait(random.whole(5, 300));
    if (random.chance(faults.fail)) throw new Error('the service failed');
    const lag = faults.lagSlots === 0 ? 0 : random.whole(0, faults.lagSlots);
    const view = this.chain.tip() - DEPTH.confirmed - lag;
    const missing = intent.acts.filter(({ effect }) => this.chain.landed(effect, view).length === 0);
    const age = random.chance(faults.stale) ? random.whole(100, 170) : random.whole(0, 4);
    const { blockhash } = this.chain.block(this.chain.tip() - DEPTH.confirmed - age);
    const bytes = (a: Act, sponsor?: TestKey) => write(a, this.wallet, blockhash, sponsor);
    switch (intent.kind) {
      case 'single':
        return this.plan('manager_update', intent, intent.acts, bytes);
      case 'parallel':
      case 'setup':
        return this.config(intent, missing, bytes);
      case 'swap':
        return { swapTransaction: encodeWire(bytes(intent.acts[0] ?? act('', '')), 'base64') };
      case 'claims':
        return {
          transactions: missing.map((a) => ({ transaction: encodeWire(bytes(a, this.sponsor), 'base64') })),
        };
      case 'bundle':
        return this.bundle(intent, missing, bytes);
    }
  }

  private config(intent: Intent, missing: readonly Act[], bytes: (a: Act) => Uint8Array): unknown {
    const feeShareConfig = feeShareConfigAddress(String(intent.fields.baseMint));
    const head = { contractVersion: 1, feeShareConfig };
    if (missing.length === 0) return { ...head, needsCreation: false };
    let given = missing;
    let status = 'ready';
    if (intent.kind === 'setup') {
      const table = missing.filter(({ needs }) => needs.length === 0);
      if (table.length > 0) given = table;
      else if (this.random.chance(this.faults.notReady)) given = [];
      if (table.length > 0 || given.length === 0) status = 'setup_required';
    }
    return { ...head, needsCreation: true, plan: this.plan('config', intent, given, bytes, status) };
  }

  private bundle(intent: Intent, missing: readonly Act[], bytes: (a: Act) => Uint8Array): unknown {
    const name = ({ effect }: Act) => effect.split(' ')[1] ?? '';
    if (!missing.some((a) => name(a) === 'LAUNCH')) throw new Error('it was launched already');
    const { tokenMint, quoteMint } = intent.fields;
    const key = (label: string) => someAddress(`${label} ${intent.id}`);
    return {
      transactions: missing.map((a) => ({ type: name(a), transaction: encodeWire(bytes(a), 'base64') })),
      launch: {
        tokenMint,
        quoteMint,
        quoteTokenProgram: key('program'),
        pool: key('pool'),
        treasuryPositionNftMint: key('treasury'),
        feeClaimerPositionNftMint: key('claimer'),
        feeClaimerWallet: this.wallet,
        lookupTable: key('table'),
        positionCustody: key('custody'),
        custodyAuthority: key('authority'),
      },
    };
  }

  private plan(
    kind: string,
    intent: Intent,
    acts: readonly Act[],
    bytes: (a: Act) => Uint8Array,
    status = 'ready',
  ): unknown {
    const { baseMint, flow } = intent.fields;
    return {
      contractVersion: 1,
      operation: { kind, baseMint, flow },
      asset: { mint: baseMint, tokenProgram: baseMint },
      feeLimits: [],
      readiness: { status },
      transactions: acts.map((a) => {
        const wire = bytes(a);
        const { messageSha256, blockhash } = readTransaction(wire);
        const name = a.effect.split(' ')[1] ?? '';
        return {
          id: name,
          kind: name === 'table' ? 'lookup_table_setup' : kind,
          dependsOn: [],
          format: 'v0',
          encoding: 'base64',
          transaction: encodeWire(wire, 'base64'),
          messageSha256,
          requiredSigners: [this.wallet],
          lifetime: { blockhash, lastValidBlockHeight: '1' },
        };
      }),
    };
  }
}
