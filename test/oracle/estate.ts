/**
 * One account of every kind a wallet can own: stock accounts created by the real runtime, accounts of the service's
 * programs encoded from their public interfaces. Used by the oracle's tests and the sweep.
 */
import {
  AddressLookupTableProgram,
  Authorized,
  Lockup,
  NONCE_ACCOUNT_LENGTH,
  PublicKey,
  StakeProgram,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import type { Account } from './accounts.ts';
import { addressOf, instruction, key, text, u32, u64 } from './encode.ts';
import { encodeAccountData, IDLS, type IdlName, type Values } from './idl.ts';
import { OracleChain } from './runtime.ts';

export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const WSOL = 'So11111111111111111111111111111111111111112';
const LOADER_V3 = 'BPFLoaderUpgradeab1e11111111111111111111111';
const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const SPACE_STAKE = 200;
const [MINT_BYTES, ACCOUNT_BYTES] = [82, 165];
const SOL = 1_000_000_000n;

/** Builds the accounts of one wallet on its own chain, which can run further transactions. */
export class Estate {
  readonly chain = new OracleChain();
  readonly wallet: string;
  readonly stranger = addressOf('stranger');
  readonly #known = new Set<string>();

  constructor(wallet = addressOf('wallet')) {
    this.wallet = wallet;
    for (const address of [wallet, this.stranger])
      this.chain.put([
        { address, owner: SystemProgram.programId.toBase58(), lamports: 100n * SOL, data: NO_DATA },
      ]);
    this.know(wallet, this.stranger);
  }

  /** Runs instructions that must land, paid by the wallet. */
  run(...instructions: readonly TransactionInstruction[]): void {
    const { failed } = this.chain.run(this.wallet, instructions);
    if (failed !== undefined) throw new Error(failed);
  }

  /** Adds addresses to the snapshot. */
  know(...addresses: readonly string[]): void {
    for (const address of addresses) this.#known.add(address);
  }

  snapshot(): Account[] {
    return this.chain.snapshot(this.#known);
  }

  /** An empty account of a program. */
  create(name: string, bytes: number, owner: string, lamports = this.chain.rent(bytes)): string {
    const address = addressOf(name);
    this.run(
      SystemProgram.createAccount({
        fromPubkey: new PublicKey(this.wallet),
        newAccountPubkey: new PublicKey(address),
        lamports: Number(lamports),
        space: bytes,
        programId: new PublicKey(owner),
      }),
    );
    this.know(address);
    return address;
  }

  /** A mint with the wallet as mint and freeze authority. */
  mint(name: string, program = TOKEN, freezer: string | undefined = this.wallet): string {
    const mint = this.create(name, MINT_BYTES, program);
    const freeze = freezer === undefined ? [0] : [1, ...key(freezer)];
    this.run(instruction(program, [[mint, 'w']], [20, 6, ...key(this.wallet), ...freeze]));
    return mint;
  }

  /** A token account with this balance of a mint of the wallet's. */
  tokens(name: string, mint: string, amount: bigint, { program = TOKEN, owner = this.wallet } = {}): string {
    const account = this.create(name, ACCOUNT_BYTES, program);
    this.run(instruction(program, [[account, 'w'], [mint]], [18, ...key(owner)]));
    if (amount > 0n)
      this.run(
        instruction(
          program,
          [
            [mint, 'w'],
            [account, 'w'],
            [this.wallet, 's'],
          ],
          [7, ...u64(amount)],
        ),
      );
    return account;
  }

  /** Wrapped SOL. */
  wrapped(name: string, lamports: bigint): string {
    const account = this.create(name, ACCOUNT_BYTES, TOKEN, this.chain.rent(ACCOUNT_BYTES) + lamports);
    this.run(instruction(TOKEN, [[account, 'w'], [WSOL]], [18, ...key(this.wallet)]));
    this.know(WSOL);
    return account;
  }

  nonce(name: string): string {
    const account = addressOf(name);
    const { instructions } = SystemProgram.createNonceAccount({
      fromPubkey: new PublicKey(this.wallet),
      noncePubkey: new PublicKey(account),
      authorizedPubkey: new PublicKey(this.wallet),
      lamports: Number(this.chain.rent(NONCE_ACCOUNT_LENGTH) + SOL),
    });
    this.run(...instructions);
    this.know(account);
    return account;
  }

  stake(name: string, custodian?: string): string {
    const account = this.create(
      name,
      SPACE_STAKE,
      StakeProgram.programId.toBase58(),
      5n * SOL + this.chain.rent(SPACE_STAKE),
    );
    const owner = new PublicKey(this.wallet);
    const lockup =
      custodian === undefined ? Lockup.default : new Lockup(2_000_000_000, 0, new PublicKey(custodian));
    this.run(
      StakeProgram.initialize({
        stakePubkey: new PublicKey(account),
        authorized: new Authorized(owner, owner),
        lockup,
      }),
    );
    return account;
  }

  table(entries: readonly string[]): string {
    this.chain.warpTo(this.chain.slot + 10n);
    const authority = new PublicKey(this.wallet);
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot: this.chain.slot - 1n,
    });
    const addresses = entries.map((entry) => new PublicKey(entry));
    this.run(
      create,
      AddressLookupTableProgram.extendLookupTable({
        authority,
        payer: authority,
        lookupTable: table,
        addresses,
      }),
    );
    this.know(table.toBase58());
    return table.toBase58();
  }

  /** A program the wallet can replace. Returns its address and that of its data. */
  program(name: string): { readonly program: string; readonly data: string } {
    const [program, data] = [addressOf(name), addressOf(`${name} code`)];
    const code = Uint8Array.from([...u32(3), ...u64(1n), 1, ...key(this.wallet), ...CODE]);
    this.put(data, LOADER_V3, code);
    this.put(program, LOADER_V3, Uint8Array.from([...u32(2), ...key(data)]));
    return { program, data };
  }

  /** A Token-2022 mint with the wallet as close and metadata authority. */
  describedMint(name: string, fields: Readonly<Record<string, string>> = {}): string {
    const bytes = 166 + 4 + 32 + 4 + 64;
    const mint = this.create(name, bytes, TOKEN_2022, SOL / 10n);
    const { wallet } = this;
    this.run(
      instruction(TOKEN_2022, [[mint, 'w']], [25, 1, ...key(wallet)]),
      instruction(TOKEN_2022, [[mint, 'w']], [39, 0, ...key(wallet), ...key(mint)]),
      instruction(TOKEN_2022, [[mint, 'w']], [20, 6, ...key(wallet), 0]),
      instruction(
        TOKEN_2022,
        [[mint, 'w'], [wallet], [mint], [wallet, 's']],
        [
          0xd2,
          0xe1,
          0x1e,
          0xa2,
          0x58,
          0xb8,
          0x4d,
          0x8d,
          ...text('Name'),
          ...text('SYM'),
          ...text('https://a.b'),
        ],
      ),
      ...Object.entries(fields).map(([field, value]) => this.describe(mint, field, value)),
    );
    return mint;
  }

  /** Writes one more metadata field of a mint. */
  describe(mint: string, field: string, value: string): TransactionInstruction {
    const data = [0xdd, 0xe9, 0x31, 0x2d, 0xb5, 0xca, 0xdc, 0xc8, 3, ...text(field), ...text(value)];
    return instruction(
      TOKEN_2022,
      [
        [mint, 'w'],
        [this.wallet, 's'],
      ],
      data,
    );
  }

  /** An account of one of the service's programs with these field values and zeros elsewhere. */
  encoded(name: string, idl: IdlName, type: string, values: Values, more: readonly number[] = []): string {
    const { address: program } = IDLS[idl];
    const data = encodeAccountData(IDLS[idl], type, values);
    return this.put(addressOf(name), program, Uint8Array.from([...data, ...more]));
  }

  /** Metaplex metadata of a mint, with the wallet as update authority. */
  metadata(name: string, mint: string, { isMutable = true } = {}): string {
    const [creators, primarySale] = [0, 0];
    const data = [
      4,
      ...key(this.wallet),
      ...key(mint),
      ...text('Name'),
      ...text('SYM'),
      ...text('https://a.b'),
    ];
    return this.put(
      addressOf(name),
      METAPLEX,
      Uint8Array.from([...data, 0, 0, creators, primarySale, isMutable ? 1 : 0, ...new Uint8Array(200)]),
    );
  }

  /** A position with liquidity in a pool the wallet created; a token account of the wallet holds its NFT. */
  position(name: string, values: Values = {}) {
    const pool = this.encoded(`${name} pool`, 'dammV2', 'Pool', { creator: this.wallet });
    const nft = this.mint(`${name} nft`);
    const nftAccount = this.tokens(`${name} nft held`, nft, 1n);
    const position = this.encoded(name, 'dammV2', 'Position', {
      pool,
      nft_mint: nft,
      unlocked_liquidity: 1_000_000n,
      permanent_locked_liquidity: 5_000n,
      fee_a_pending: 70n,
      ...values,
    });
    return { position, pool, nft, nftAccount };
  }

  /** A bonding curve with the wallet as creator and partner, and unclaimed fees of both. */
  curve(name: string) {
    const config = this.encoded(`${name} config`, 'dbc', 'PoolConfig', {
      fee_claimer: this.wallet,
      leftover_receiver: this.wallet,
    });
    const curve = this.encoded(name, 'dbc', 'VirtualPool', {
      pool_state: { config, creator: this.wallet, partner_quote_fee: 11n, creator_quote_fee: 22n },
    });
    return { config, curve };
  }

  /** A fee share config with these shares, managed by the wallet, and the unclaimed fees of each claimer. */
  feeShare(name: string, shares: readonly (readonly [string, number])[]) {
    const claimers = [
      ...shares.flatMap(([holder]) => key(holder)),
      ...shares.flatMap(([, share]) => u32(share).slice(0, 2)),
    ];
    const config = this.encoded(
      name,
      'feeShare2',
      'FeeShareConfigHeader',
      { manager: this.wallet, is_init_finalized: 1 },
      claimers,
    );
    const waiting = shares.flatMap((_, i) => u64(BigInt(1000 + i)));
    const authority = this.encoded(
      `${name} fees`,
      'feeShare2',
      'FeeShareAuthorityHeader',
      { config },
      waiting,
    );
    return { config, authority };
  }

  /** Writes an account without the runtime's checks. */
  put(address: string, owner: string, data: Uint8Array): string {
    this.chain.put([{ address, owner, lamports: this.chain.rent(data.length), data }]);
    this.know(address);
    return address;
  }
}

const NO_DATA = new Uint8Array();
/** Not a runnable program; only its bytes are compared. */
const CODE = [1, 2, 3, 4, 5, 6, 7, 8];
