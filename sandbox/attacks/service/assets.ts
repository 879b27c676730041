/** Assets that attacks take, and accounts of wallet and attacker. */

import { createHash } from 'node:crypto';
import { attempt } from '../../../src/base/attempt.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { addressBytes, addressFromBytes } from '../../../src/transaction/base58.ts';
import {
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { ata, createAta, type TokenAsset, transfer } from '../../service/build/tokens.ts';
import type { Onchain } from '../../service/onchain.ts';
import type { AttackTools } from './types.ts';

/** Lamports that an attack takes. */
export const TAKEN_LAMPORTS = 1_000_000_000n;

/** Returns a key of the attacker for one purpose. */
export const attackerKey = ({ keys }: AttackTools, purpose: string) => keys.seeded(`attacker ${purpose}`);

/** Returns the addresses that receive stolen assets: the attacker, and the owner of accounts that others paid for. */
export const attackersOf = (tools: AttackTools): readonly Address[] => [
  tools.attacker.address,
  attackerKey(tools, 'rent').address,
];

/** A non-empty token account. */
export interface Holding extends TokenAsset {
  readonly account: Address;
  readonly amount: bigint;
}

/** Returns a wallet's non-empty token accounts, largest amounts first. */
export function holdings(onchain: Onchain, wallet: Address): Holding[] {
  return TOKEN_PROGRAMS.flatMap((tokenProgram) =>
    [...onchain.chain.programAccounts(tokenProgram)].flatMap(([account, { data }]): Holding[] => {
      if (data.length < 165 || Buffer.from(data.subarray(32, 64)).compare(addressBytes(wallet)) !== 0)
        return [];
      const state = attempt(() => readTokenAccount(data));
      const mint = state && onchain.mint(state.mint);
      if (state === undefined || mint === undefined || state.owner !== wallet || state.amount === 0n)
        return [];
      return [{ account, amount: state.amount, mint: state.mint, tokenProgram, decimals: mint.decimals }];
    }),
  ).sort((a, b) => (a.amount < b.amount ? 1 : -1));
}

/** Returns the largest holding of a wallet in one token program, except some mints. */
export function holding(
  { onchain }: AttackTools,
  wallet: Address,
  program: 'token' | 'token2022',
  except: readonly Address[] = [],
): Holding {
  const tokenProgram = program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const found = holdings(onchain, wallet).find(
    (each) => each.tokenProgram === tokenProgram && !except.includes(each.mint),
  );
  if (found === undefined) throw new RangeError('the wallet holds nothing worth attacking');
  return found;
}

/** The wallet's dollars. */
export function dollars({ onchain, keys }: AttackTools, wallet: Address): Holding {
  const found = holdings(onchain, wallet).find(({ mint }) => mint === keys.quoteMint('USDC').address);
  if (found === undefined) throw new RangeError('the wallet holds no dollars');
  return found;
}

/** Moves a whole holding to the attacker, signed by its owner or delegate. */
export function sweep(
  { attacker, onchain }: AttackTools,
  held: Holding,
  authority: Address,
  payer: Address,
): EncodedInstruction[] {
  const mint = onchain.mint(held.mint);
  const fee = mint && onchain.transferFee(mint);
  const asset = fee === undefined ? held : { ...held, fee };
  return [
    createAta(payer, attacker.address, held),
    transfer(asset, held.account, ata(attacker.address, held), authority, held.amount),
  ];
}

/** Opens accounts of the attacker for all tokens of the wallet, at the attacker's expense. */
export function openAccounts(tools: AttackTools): undefined {
  const { attacker, onchain, keys, fund } = tools;
  const held = [...holdings(onchain, keys.wallet.address), { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }];
  fund(attacker.address, TAKEN_LAMPORTS);
  for (const asset of held) {
    onchain.landBy(attacker, [createAta(attacker.address, attacker.address, asset)]);
  }
}

/** Returns the data of an initialised nonce account. */
export function nonceData(authority: Address, value: string): Uint8Array {
  const data = Buffer.alloc(80);
  data.writeUInt32LE(1, 0);
  data.writeUInt32LE(1, 4);
  data.set(addressBytes(authority), 8);
  data.set(addressBytes(value), 40);
  data.writeBigUInt64LE(5_000n, 72);
  return new Uint8Array(data);
}

/** Derives an address of the System program from base, seed and owner. */
export function derivedAddress(base: Address, seed: string, owner: Address): Address {
  const hash = createHash('sha256');
  hash.update(addressBytes(base)).update(seed).update(addressBytes(owner));
  return addressFromBytes(new Uint8Array(hash.digest()));
}

/** Returns an address with the same start and end. */
export function lookalike(address: Address): Address {
  const at = Math.floor(address.length / 2);
  const other = address[at] === 'x' ? 'y' : 'x';
  return address.slice(0, at) + other + address.slice(at + 1);
}
