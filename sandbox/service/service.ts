/** The service behind the handlers: keys, chain, records and transaction building. */
import bs58 from 'bs58';
import type { EndpointName } from '../../src/contract/index.ts';
import { type ProfileName, profiles, transactionEncoding } from '../../src/contract/profiles/index.ts';
import type { Address, LookupTableContent } from '../../src/transaction/types.ts';
import { type Compiled, compileDraft, type Draft } from './build/compile.ts';
import type { TokenAsset } from './build/tokens.ts';
import type { ServiceContext } from './context.ts';
import { type HostileHook, type HostileMode, honest, type OpenHostileMode } from './hostile.ts';
import { badRequest } from './http/errors.ts';
import { ServiceFaults } from './http/faults.ts';
import { derivedBytes } from './keys.ts';
import { seedMarket } from './market.ts';
import type { Onchain } from './onchain.ts';
import { landedConfig } from './records/configAccount.ts';
import { GlobalTable } from './records/globalTable.ts';
import { createQuotes, type QuoteToken } from './records/quotes.ts';
import { launchStatus } from './records/venues.ts';
import { createServiceKeys, type ServiceKeys } from './serviceKeys.ts';
import { emptyState, type ServiceState } from './state.ts';

export interface ServiceOptions {
  readonly seed: string;
  readonly profile: ProfileName;
  readonly onchain: Onchain;
  /** Whether the first request launches the seeded tokens, like `ready()`. Default true. */
  readonly market?: boolean;
  readonly hostile?: string | HostileHook;
  /** The source of attacks; answers are honest without it. */
  readonly attacks?: OpenHostileMode;
}

export class Service implements ServiceContext {
  readonly seed: string;
  readonly profile: ProfileName;
  readonly seedsOnRequest: boolean;
  readonly onchain: Onchain;
  readonly keys: ServiceKeys;
  readonly quotes: Map<Address, QuoteToken>;
  readonly state: ServiceState;
  readonly hostile: HostileMode;
  readonly faults = new ServiceFaults();
  readonly globalTable: GlobalTable;
  readonly loginSecret: Uint8Array;
  #market: Promise<void> | undefined;
  #serial = 0;

  constructor({ seed, profile, onchain, market = true, hostile, attacks = honest }: ServiceOptions) {
    this.seedsOnRequest = market;
    this.seed = seed;
    this.profile = profile;
    this.onchain = onchain;
    this.keys = createServiceKeys(seed);
    this.quotes = createQuotes(this.keys);
    this.loginSecret = derivedBytes(seed, 'login', 32);
    this.state = emptyState({
      now: () => onchain.now(),
      launchStatusOf: (launch) => launchStatus(this, launch),
      claimersOf: (mint) => landedConfig(this, mint)?.config.claimers ?? [],
    });
    this.globalTable = new GlobalTable(this);
    this.hostile = attacks({
      onchain,
      keys: this.keys,
      attacker: this.keys.seeded('attacker'),
      fund: (address, lamports) => void onchain.chain.airdrop(address, lamports),
      encode: (endpoint, bytes) => this.encode(endpoint, bytes),
      decode: (endpoint, text) => this.decode(endpoint, text),
    });
    this.hostile.use(hostile);
  }

  /** Launches the seeded tokens and pools at the first call. Resolves once they are on chain. */
  ready(): Promise<void> {
    this.#market ??= seedMarket(this);
    return this.#market;
  }

  serial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  now(): number {
    return this.onchain.now();
  }

  compile(draft: Draft, endpoint: EndpointName, stage: string, wallet: Address): Compiled {
    return compileDraft(this.hostile.draft(draft, { endpoint, stage, wallet }), this.onchain.lifetime());
  }

  encode(endpoint: EndpointName, bytes: Uint8Array): string {
    const encoding = transactionEncoding(profiles[this.profile], endpoint) ?? 'base64';
    return encoding === 'base58' ? bs58.encode(bytes) : Buffer.from(bytes).toString('base64');
  }

  decode(endpoint: EndpointName, text: string): Uint8Array {
    const encoding = transactionEncoding(profiles[this.profile], endpoint) ?? 'base64';
    return encoding === 'base58' ? bs58.decode(text) : new Uint8Array(Buffer.from(text, 'base64'));
  }

  asset(mint: Address): TokenAsset {
    const found = this.onchain.mint(mint);
    if (found === undefined) throw badRequest(`${mint} is not a token mint`);
    const fee = this.onchain.transferFee(found);
    const { tokenProgram, decimals } = found;
    return { mint, tokenProgram, decimals, ...(fee === undefined ? {} : { fee }) };
  }

  tables(addresses: readonly Address[]): LookupTableContent[] {
    return addresses.map((table) => {
      const found = this.onchain.lookupTable(table, 'confirmed');
      if (found === undefined) throw badRequest(`additionalLookupTables: ${table} is not a lookup table`);
      return { table, addresses: found.addresses };
    });
  }
}
