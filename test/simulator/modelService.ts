/**
 * The launch service of the model: answers each request with the transactions its own, lagging view of the chain
 * says are still missing, with a blockhash that may be old, or not at all.
 */
import { requestedConfig } from '../../src/policy/decide/profiles/config/configRecord.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { encodeWire } from '../../src/transaction/wire.ts';
import { DEPTH, type ModelChain } from './modelChain.ts';
import { configData } from './modelConfig.ts';
import { digest, type Random } from './random.ts';
import type { VirtualTime } from './time.ts';
import { type Act, someAddress, type TestKey, write } from './transactions.ts';

export const KINDS = ['single', 'parallel', 'setup', 'bundle', 'swap', 'claims'] as const;
export type Kind = (typeof KINDS)[number];

/** What somebody wants: one request, and the effects it must have, each once. */
export interface Wish {
  readonly id: string;
  readonly kind: Kind;
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly acts: readonly Act[];
}

export interface ServiceFaults {
  fail: number;
  /** Chance of a blockhash that is nearly or quite too old. */
  stale: number;
  notReady: number;
  lagSlots: number;
}

const act = (wish: string, name: string, needs: readonly string[] = []): Act => ({
  effect: `${wish} ${name}`,
  lamports: 1_000 + (digest(`${wish} ${name}`)[0] ?? 0),
  needs: needs.map((need) => `${wish} ${need}`),
});

export function makeWish(id: string, kind: Kind, wallet: string): Wish {
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

/** An account of the model: there once all of its effects are, and what it then holds. */
export interface ModelAccount {
  readonly effects: readonly string[];
  /** Base64. */
  readonly data: string;
}

/** Accounts that are there once a wish came true, as the read-back looks for them. */
export function accountsOf(wish: Wish, wallet: string): [string, ModelAccount][] {
  const effects = wish.acts.map(({ effect }) => effect);
  if (wish.fields.flow !== undefined) {
    const address = configOf(wish);
    const { record } = requestedConfig({ request: wish.fields, wallet });
    return [[address, { effects, data: configData(address, record) }]];
  }
  if (wish.kind !== 'bundle') return [];
  const made = (what: string, act: string): [string, ModelAccount] => [
    someAddress(`${what} ${wish.id}`),
    { effects: [`${wish.id} ${act}`], data: '' },
  ];
  return [
    made('mint', 'CREATE_TOKEN'),
    made('pool', 'LAUNCH'),
    made('treasury', 'LAUNCH'),
    made('claimer', 'LAUNCH'),
  ];
}

/** Where the config of a wish is. */
const configOf = ({ id }: Wish): string => someAddress(`config ${id}`);

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

  async answer(wish: Wish): Promise<unknown> {
    const { random, faults } = this;
    await this.time.wait(random.whole(5, 300));
    if (random.chance(faults.fail)) throw new Error('the service failed');
    const lag = faults.lagSlots === 0 ? 0 : random.whole(0, faults.lagSlots);
    const view = this.chain.tip() - DEPTH.confirmed - lag;
    const missing = wish.acts.filter(({ effect }) => this.chain.landed(effect, view).length === 0);
    const age = random.chance(faults.stale) ? random.whole(100, 170) : random.whole(0, 4);
    const { blockhash } = this.chain.block(this.chain.tip() - DEPTH.confirmed - age);
    const bytes = (a: Act, sponsor?: TestKey) => write(a, this.wallet, blockhash, sponsor);
    switch (wish.kind) {
      case 'single':
        return this.plan('manager_update', wish, wish.acts, bytes);
      case 'parallel':
      case 'setup':
        return this.config(wish, missing, bytes);
      case 'swap':
        return { swapTransaction: encodeWire(bytes(wish.acts[0] ?? act('', '')), 'base64') };
      case 'claims':
        return {
          transactions: missing.map((a) => ({ transaction: encodeWire(bytes(a, this.sponsor), 'base64') })),
        };
      case 'bundle':
        return this.bundle(wish, missing, bytes);
    }
  }

  private config(wish: Wish, missing: readonly Act[], bytes: (a: Act) => Uint8Array): unknown {
    const feeShareConfig = configOf(wish);
    const head = { contractVersion: 1, feeShareConfig };
    if (missing.length === 0) return { ...head, needsCreation: false };
    let given = missing;
    let status = 'ready';
    if (wish.kind === 'setup') {
      const table = missing.filter(({ needs }) => needs.length === 0);
      if (table.length > 0) given = table;
      else if (this.random.chance(this.faults.notReady)) given = [];
      if (table.length > 0 || given.length === 0) status = 'setup_required';
    }
    return { ...head, needsCreation: true, plan: this.plan('config', wish, given, bytes, status) };
  }

  private bundle(wish: Wish, missing: readonly Act[], bytes: (a: Act) => Uint8Array): unknown {
    const name = ({ effect }: Act) => effect.split(' ')[1] ?? '';
    if (!missing.some((a) => name(a) === 'LAUNCH')) throw new Error('it was launched already');
    const { tokenMint, quoteMint } = wish.fields;
    const key = (what: string) => someAddress(`${what} ${wish.id}`);
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
    wish: Wish,
    acts: readonly Act[],
    bytes: (a: Act) => Uint8Array,
    status = 'ready',
  ): unknown {
    const { baseMint, flow } = wish.fields;
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
