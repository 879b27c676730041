/**
 * A sandbox that builds in the real encoding, and its accounts as others read them: Anchor's decoder with the interfaces
 * of the npm packages, and the readers of the oracle. Nothing here shares code with what builds the transactions.
 */
import * as anchor from '@coral-xyz/anchor';
import { AccountLayout, MintLayout } from '@solana/spl-token';
import bs58 from 'bs58';
import { feeShareConfig } from '../../../oracle/readers/feeShare.ts';
import { DAMM_V2, DBC, FEE_SHARE, type Idl } from '../../../programs/publicInterfaces.ts';
import { at, Caller, list, text } from '../support.ts';

const { PublicKey } = anchor.web3;
const CODERS: Readonly<Record<string, { readonly idl: Idl; readonly coder: anchor.BorshAccountsCoder }>> =
  Object.fromEntries(
    [DBC, DAMM_V2, FEE_SHARE].map((idl) => [idl.address, { idl, coder: new anchor.BorshAccountsCoder(idl) }]),
  );
export const WSOL = 'So11111111111111111111111111111111111111112';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** A derived address, by web3.js. */
export const derived = (program: string, ...seeds: readonly string[]): string =>
  PublicKey.findProgramAddressSync(
    seeds.map((seed) => (seed.length < 32 ? Buffer.from(seed) : bs58.decode(seed))),
    new PublicKey(program),
  )[0].toBase58();
export const associated = (owner: string, mint: string, program = TOKEN_PROGRAM): string =>
  derived(ASSOCIATED.toBase58(), owner, program, mint);

/** A sandbox of the real encoding, with what its chain says. */
export class RealCaller extends Caller {
  static override async start(): Promise<RealCaller> {
    const { sandbox } = await Caller.start({ encoding: 'real' });
    return new RealCaller(sandbox);
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

  /** Tokens in an account; 0 where it is not. */
  tokens(address: string): bigint {
    const account = this.sandbox.chain.getAccount(address);
    return account === null ? 0n : AccountLayout.decode(account.data).amount;
  }

  mint(address: string) {
    return MintLayout.decode(this.data(address));
  }

  /** Fields of an account as Anchor reads them, numbers and addresses as text. */
  decoded(address: string, type: string): Record<string, unknown> {
    const owner = this.sandbox.chain.getAccount(address)?.owner ?? '';
    const fields: unknown = CODERS[owner]?.coder.decode(type, this.data(address));
    const all = Object(written(fields));
    // A curve's pool is one struct inside another.
    return Object(all.pool_state ?? all);
  }

  /** Who earns from a config, as the oracle reads it: shares in order, and who may change them. */
  earners(address: string) {
    const account = this.sandbox.chain.getAccount(address);
    if (account === null) throw new Error(`there is no account ${address}`);
    const found = feeShareConfig(
      { ...account, address },
      { get: () => undefined, holderOfNft: () => undefined },
    );
    return {
      shares: (found?.amounts ?? []).map(({ holder, amount }) => [holder, Number(amount)]),
      manager: found?.rights.find(({ right }) => right === 'manager')?.holder,
      partner: found?.rights.find(({ right }) => right === 'partner')?.holder,
    };
  }

  /** Lands a config for a curve with one claimer, the wallet, or with others. Returns the addresses that matter. */
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
    const mints = [baseMint, WSOL].toSorted((a, b) => Buffer.compare(bs58.decode(b), bs58.decode(a)));
    return {
      venueConfigKey,
      feeShareConfig: text(answer, 'feeShareConfig'),
      feeShareAuthority: text(answer, 'feeShareAuthority'),
      pool: derived(DBC.address, 'pool', venueConfigKey, ...mints),
    };
  }

  /** A token on the curve without a first buy, with its config. */
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

  /** Lands what the service asks for until it asks for nothing more, tables included. Returns the stages by id. */
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

/** Fields with numbers and addresses as text. */
const written = (value: unknown): unknown => {
  if (anchor.BN.isBN(value) || value instanceof PublicKey) return value.toString();
  if (Array.isArray(value)) return value.map(written);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, written(each)]));
};
