/**
 * Sandbox with independent account decoders: Anchor's with the interfaces of the npm packages, and the readers of the
 * oracle. They share no code with the transaction builders.
 */
import * as anchor from '@coral-xyz/anchor';
import { AccountLayout, MintLayout } from '@solana/spl-token';
import bs58 from 'bs58';
import type { SandboxOptions } from '../../../../sandbox/index.ts';
import { feeShareConfig } from '../../../oracle/readers/feeShare.ts';
import { DBC, FEE_SHARE, type Idl, DAMM_V2 as POOLS } from '../../../programs/publicInterfaces.ts';
import { at, Caller, list, text } from '../support.ts';

const { PublicKey } = anchor.web3;
const CODERS: Readonly<Record<string, { readonly idl: Idl; readonly coder: anchor.BorshAccountsCoder }>> =
  Object.fromEntries(
    [DBC, POOLS, FEE_SHARE].map((idl) => [idl.address, { idl, coder: new anchor.BorshAccountsCoder(idl) }]),
  );
export const WSOL = 'So11111111111111111111111111111111111111112';
export const DAMM_V2 = POOLS.address;
export const QUOTE_SHARE = 'SandboxQuoteFeeShare11111111111111111111111';
const METADATA = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
/** Offset after the kind, the authority and the mint: three length-prefixed texts. */
const METADATA_TEXTS = 65;
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** Returns a derived address, by web3.js. */
export const derived = (program: string, ...seeds: readonly string[]): string =>
  PublicKey.findProgramAddressSync(
    seeds.map((seed) => (seed.length < 32 ? Buffer.from(seed) : bs58.decode(seed))),
    new PublicKey(program),
  )[0].toBase58();
export const associated = (owner: string, mint: string, program = TOKEN_PROGRAM): string =>
  derived(ASSOCIATED.toBase58(), owner, program, mint);

const largerFirst = (...mints: readonly string[]): string[] =>
  mints.toSorted((a, b) => Buffer.compare(bs58.decode(b), bs58.decode(a)));

/** Sandbox caller with decoders of its chain's accounts. */
export class ChainCaller extends Caller {
  static override async start(options: SandboxOptions = {}): Promise<ChainCaller> {
    const { sandbox } = await Caller.start(options);
    return new ChainCaller(sandbox);
  }

  get wallet(): string {
    return this.sandbox.wallet.address;
  }

  data(address: string): Buffer {
    const account = this.sandbox.chain.getAccount(address);
    if (account === null) throw new Error(`there is no account ${address}`);
    return Buffer.from(account.data);
  }

  lamports(address: string): bigint {
    return this.sandbox.chain.getAccount(address)?.lamports ?? 0n;
  }

  addressAt(data: Buffer, offset: number): string {
    return bs58.encode(data.subarray(offset, offset + 32));
  }

  /** Returns a v0 transaction with another blockhash, unsigned. */
  withBlockhash(transaction: string, blockhash: string): string {
    const built = anchor.web3.VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    built.message.recentBlockhash = blockhash;
    return Buffer.from(new anchor.web3.VersionedTransaction(built.message).serialize()).toString('base64');
  }

  /** Returns the tokens in an account; 0 if it does not exist. */
  tokens(address: string): bigint {
    const account = this.sandbox.chain.getAccount(address);
    return account === null ? 0n : AccountLayout.decode(account.data).amount;
  }

  mint(address: string) {
    return MintLayout.decode(this.data(address));
  }

  /** Returns a token's names from its Metaplex metadata. */
  metadata(mint: string) {
    const data = this.data(derived(METADATA, 'metadata', METADATA, mint));
    let at = METADATA_TEXTS;
    const texts = Array.from({ length: 3 }, () => {
      const end = at + 4 + data.readUInt32LE(at);
      const text = data.toString('utf8', at + 4, end);
      at = end;
      return text.replace(/\0+$/, '');
    });
    return { name: texts[0], symbol: texts[1], uri: texts[2] };
  }

  /** Returns an account's fields decoded by Anchor, numbers and addresses as text. */
  decoded(address: string, type: string): Record<string, unknown> {
    const owner = this.sandbox.chain.getAccount(address)?.owner ?? '';
    const fields: unknown = CODERS[owner]?.coder.decode(type, this.data(address));
    const all = Object(written(fields));
    // A curve's pool is a nested struct.
    return Object(all.pool_state ?? all);
  }

  /** Returns a config's claimers with their shares in order, and its managers, as read by the oracle. */
  claimers(address: string) {
    const account = this.sandbox.chain.getAccount(address);
    if (account === null) throw new Error(`there is no account ${address}`);
    // Configs in other quotes belong to the sandbox's own program, which has the same account layout.
    const owner = account.owner === QUOTE_SHARE ? FEE_SHARE.address : account.owner;
    const found = feeShareConfig(
      { ...account, owner, address },
      { get: () => undefined, holderOfNft: () => undefined },
    );
    return {
      shares: (found?.amounts ?? []).map(({ holder, amount }) => [holder, Number(amount)]),
      manager: found?.rights.find(({ right }) => right === 'manager')?.holder,
      partner: found?.rights.find(({ right }) => right === 'partner')?.holder,
    };
  }

  /** Lands a curve config whose only claimer is the wallet, or with other claimers. Returns its addresses. */
  async curveConfig(baseMint: string, claimers: readonly string[] = [this.wallet], extra: object = {}) {
    const body = {
      baseMint,
      payer: this.wallet,
      flow: 'dbc',
      claimersArray: claimers,
      basisPointsArray: claimers.map((_, i) => (i === 0 ? 10_000 - 1_000 * (claimers.length - 1) : 1_000)),
      ...extra,
    };
    const answer = await this.ok(this.post('/fee-share/config/v2', body));
    await this.landAll(at(answer, 'plan'));
    const venueConfigKey = text(answer, 'venueConfigKey');
    return {
      venueConfigKey,
      feeShareConfig: text(answer, 'feeShareConfig'),
      feeShareAuthority: text(answer, 'feeShareAuthority'),
      pool: derived(DBC.address, 'pool', venueConfigKey, ...largerFirst(baseMint, WSOL)),
    };
  }

  /** Returns the DAMM v2 pool of two mints. */
  poolOf(a: string, b: string): string {
    return derived(DAMM_V2, 'cpool', ...largerFirst(a, b));
  }

  /** Creates a token with a config for a direct pool, and its launch request with a first buy. */
  async direct(
    claimers: readonly string[] = [this.wallet],
    {
      quoteMint = WSOL,
      transactionFormat,
    }: { readonly quoteMint?: string; readonly transactionFormat?: string } = {},
  ) {
    const ipfs = 'https://example.com/direct.json';
    const tokenMint = await this.token({ metadataUrl: ipfs });
    const answer = await this.ok(
      this.post('/fee-share/config/v2', {
        ...{ baseMint: tokenMint, payer: this.wallet, flow: 'damm_v2_direct', quoteMint },
        claimersArray: claimers,
        basisPointsArray: claimers.map((_, i) => (i === 0 ? 10_000 - 1_000 * (claimers.length - 1) : 1_000)),
      }),
    );
    await this.landAll(at(answer, 'plan'));
    const feeShareConfig = text(answer, 'feeShareConfig');
    const body = { tokenMint, ipfs, wallet: this.wallet, feeShareConfig, quoteMint, transactionFormat };
    return {
      tokenMint,
      feeShareConfig,
      feeShareAuthority: text(answer, 'feeShareAuthority'),
      ask: (initialBuyQuoteRaw: bigint, extra: object = {}) =>
        this.ok(
          this.post('/token-launch/damm-v2/create-transaction/v2', {
            ...{ ...body, initialBuyQuoteRaw: String(initialBuyQuoteRaw) },
            ...extra,
          }),
        ),
    };
  }

  /** Quotes and builds a swap of the wallet. */
  async swapOf(inputMint: string, outputMint: string, amount: bigint): Promise<string> {
    return (await this.#quotedSwap(inputMint, outputMint, amount)).transaction;
  }

  /** Quotes, builds and lands a swap of the wallet. */
  async swapped(inputMint: string, outputMint: string, amount: bigint) {
    const { quoted, transaction } = await this.#quotedSwap(inputMint, outputMint, amount);
    const record = await this.land(transaction);
    if (record.err !== null) throw new Error(`${JSON.stringify(record.err)} ${record.logs.join('\n')}`);
    return { quoted, record };
  }

  async #quotedSwap(inputMint: string, outputMint: string, amount: bigint) {
    const query = `inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${this.wallet}`;
    const quoted = await this.ok(this.get(`/trade/v2/quote?${query}`));
    const body = { requestId: text(quoted, 'requestId'), userPublicKey: this.wallet };
    const built = await this.ok(this.post('/trade/v2/swap', body));
    return { quoted, transaction: text(built, 'swapTransaction') };
  }

  /** Launches a token on the curve without a first buy, with its config. */
  async launched(claimers: readonly string[] = [this.wallet], extra: object = {}) {
    const ipfs = 'https://example.com/launched.json';
    const tokenMint = await this.token({ metadataUrl: ipfs });
    const config = await this.curveConfig(tokenMint, claimers, extra);
    const configKey = config.venueConfigKey;
    const body = { tokenMint, ipfs, wallet: this.wallet, configKey, initialBuyLamports: 0 };
    const answer = await this.ok(this.post('/token-launch/create-launch-transaction', body));
    const { err } = await this.land(String(answer));
    if (err !== null) throw new Error(JSON.stringify(err));
    return { ...config, tokenMint };
  }

  /** Lands the service's stages until none remain, tables included. Returns the stages by id. */
  async finish(ask: () => Promise<unknown>): Promise<string[]> {
    const landed: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const answer = await ask();
      const plan = at(answer, 'plan') ?? answer;
      if (at(answer, 'needsCreation') === false) return landed;
      await this.landAll(plan);
      landed.push(...list(plan, 'transactions').map((stage) => text(stage, 'id')));
      if (at(plan, 'readiness.status') === 'ready') return landed;
      this.sandbox.advanceSlots(1);
    }
    throw new Error('the service asks for more and more');
  }
}

/** Converts numbers and addresses of fields to text. */
const written = (value: unknown): unknown => {
  if (anchor.BN.isBN(value) || value instanceof PublicKey) return value.toString();
  if (Array.isArray(value)) return value.map(written);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, written(each)]));
};
