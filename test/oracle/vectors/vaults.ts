/** Vault program instructions, hand-written from its published interface; addresses are derived by web3.js. */
import { PublicKey } from '@solana/web3.js';
import { addressOf } from '../encode.ts';

const PROGRAM = 'BANKjMoSxHmETcmAJXuh6kBvF2TN2UJ4UerJM8q1BqyC';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const SYSTEM = '11111111111111111111111111111111';

const key = (address: string) => new PublicKey(address).toBytes();
const derived = (program: string, ...seeds: readonly Uint8Array[]) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBase58();
const associated = (owner: string, mint: string) =>
  derived(ASSOCIATED, key(owner), key(TOKEN_2022), key(mint));

const [user, payer, mint] = [addressOf('wallet'), addressOf('payer'), addressOf('mint')];
const vault = derived(PROGRAM, Buffer.from('user_vault'), key(user));

/** Effects of each instruction, by the names of its accounts. */
export const VAULT_VECTORS = [
  {
    name: 'claim_from_user_vault',
    program: PROGRAM,
    accounts: [
      ...([
        [user, 's'],
        [payer, 'ws'],
        [vault, 'w'],
        [mint, ''],
      ] as const),
      ...([
        [associated(vault, mint), 'w'],
        [associated(user, mint), 'w'],
      ] as const),
      ...([
        [TOKEN_2022, ''],
        [ASSOCIATED, ''],
        [SYSTEM, ''],
      ] as const),
    ],
    bytes: ['1f7230ee60c33dbb'],
    does: {
      act: 'claim',
      from: vault,
      payouts: [{ asset: mint, to: { account: associated(user, mint), owner: user } }],
      beneficiary: user,
      payer,
    },
  },
  {
    name: 'create_user_vault',
    program: PROGRAM,
    accounts: [
      [user, ''],
      [payer, 'ws'],
      [vault, 'w'],
      [SYSTEM, ''],
    ],
    bytes: ['5e73ada39f81c6f9'],
    does: { act: 'openAccount', account: vault, kind: 'data', owner: PROGRAM, payer, deposit: 'rent' },
  },
  {
    name: 'close_user_vault',
    program: PROGRAM,
    accounts: [
      [user, 'ws'],
      [vault, 'w'],
    ],
    bytes: ['415c84712da3fdc9'],
    does: { act: 'closeAccount', account: { account: vault }, refundTo: user, authority: user },
  },
] as const;
