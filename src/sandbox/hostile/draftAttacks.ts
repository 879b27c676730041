/** Attacks inside the message: instructions added or a fee raised before the service signs, so all signatures hold. */

import { addressFromBytes } from '../../transaction/base58.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { type EncodedInstruction, encodeInstruction } from '../../transaction/instructions.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { budgetFor, type Draft } from '../service/build/compile.ts';
import type { Attack, AttackTools } from './types.ts';

const U64_MAX = 18_446_744_073_709_551_615n;
const STOLEN_LAMPORTS = 50_000_000n;
const NONCE_BYTES = 80;
/** Where the nonce stands in a nonce account: after version, state and authority. */
const NONCE_AT = 40;

/** An attack that adds instructions at the end. */
function appending(
  row: string,
  does: string,
  takes: string,
  code: string,
  instructions: (wallet: Address, tools: AttackTools) => readonly EncodedInstruction[],
): Attack {
  return {
    row,
    plays: 'service',
    does,
    takes,
    code,
    draft: (draft, { wallet }, tools) => ({
      ...draft,
      instructions: [...draft.instructions, ...instructions(wallet, tools)],
    }),
  };
}

/** The wallet's wrapped SOL account, made on the spot so that there is something to give away. */
function wrapped(wallet: Address): { account: Address; create: EncodedInstruction } {
  const account = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const create = encodeInstruction('associatedToken.createIdempotent', {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: {
      payer: wallet,
      associatedToken: account,
      owner: wallet,
      mint: WSOL_MINT,
      systemProgram: SYSTEM_PROGRAM,
      tokenProgram: TOKEN_PROGRAM,
    },
  });
  return { account, create };
}

/** A nonce account of the attacker, made once. */
function nonceAccount({ onchain, attacker, keys, fund }: AttackTools): Address {
  const nonce = keys.seeded('nonce account');
  if (onchain.account(nonce.address) !== null) return nonce.address;
  fund(attacker.address, 1_000_000_000n);
  const instructions = [
    encodeInstruction('system.createAccount', {
      accounts: { payer: attacker.address, newAccount: nonce.address },
      args: { lamports: onchain.rent(NONCE_BYTES), space: BigInt(NONCE_BYTES), owner: SYSTEM_PROGRAM },
    }),
    encodeInstruction('system.initializeNonceAccount', {
      accounts: {
        nonce: nonce.address,
        recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
        rent: SYSVAR_RENT,
      },
      args: { authority: attacker.address },
    }),
  ];
  onchain.land({
    format: 'v0',
    feePayer: attacker.address,
    instructions,
    budget: budgetFor(2),
    signers: [attacker, nonce],
  });
  return nonce.address;
}

function withNonce(draft: Draft, tools: AttackTools): Draft {
  const nonce = nonceAccount(tools);
  const data = tools.onchain.account(nonce)?.data ?? new Uint8Array();
  const advance = encodeInstruction('system.advanceNonceAccount', {
    accounts: {
      nonce,
      recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
      authority: tools.attacker.address,
    },
  });
  const { lastValidBlockHeight } = tools.onchain.lifetime();
  return {
    ...draft,
    first: [advance],
    lifetime: { blockhash: addressFromBytes(data.slice(NONCE_AT, NONCE_AT + 32)), lastValidBlockHeight },
    signers: [...draft.signers, tools.attacker],
  };
}

export const DRAFT_ATTACKS: Readonly<Record<string, Attack>> = {
  'append-transfer': appending(
    'T12',
    'appends a transfer of SOL to the attacker to every transaction',
    '0.05 SOL a transaction',
    'UNEXPECTED_INSTRUCTION',
    (wallet, { attacker }) => [
      encodeInstruction('system.transfer', {
        accounts: { from: wallet, to: attacker.address },
        args: { lamports: STOLEN_LAMPORTS },
      }),
    ],
  ),
  'assign-wallet': appending(
    'T1',
    'hands the wallet itself over to another program; no balance moves',
    'the wallet',
    'AUTHORITY_CHANGE',
    (wallet, { attacker }) => [
      encodeInstruction('system.assign', {
        accounts: { account: wallet },
        args: { owner: attacker.address },
      }),
    ],
  ),
  'approve-delegate': appending(
    'T3',
    'lets the attacker spend everything the wallet will ever hold in one token account',
    'all wrapped SOL, now and later',
    'DELEGATE_GRANTED',
    (wallet, { attacker }) => {
      const { account, create } = wrapped(wallet);
      const approve = encodeInstruction('token.approve', {
        accounts: { source: account, delegate: attacker.address, owner: wallet },
        args: { amount: U64_MAX },
      });
      return [create, approve];
    },
  ),
  'set-token-owner': appending(
    'T4',
    'makes the attacker the owner of one of the wallet’s token accounts',
    'a token account and all it receives',
    'AUTHORITY_CHANGE',
    (wallet, { attacker }) => {
      const { account, create } = wrapped(wallet);
      const give = encodeInstruction('token.setAuthority', {
        accounts: { owned: account, authority: wallet },
        args: { authorityType: 'accountOwner', newAuthority: attacker.address },
      });
      return [create, give];
    },
  ),
  'close-to-attacker': appending(
    'T5',
    'closes a token account of the wallet in the attacker’s favour',
    'a token account’s rent and content',
    'UNDECLARED_LOSS',
    (wallet, { attacker }) => {
      const { account, create } = wrapped(wallet);
      const close = encodeInstruction('token.closeAccount', {
        accounts: { account, destination: attacker.address, owner: wallet },
      });
      return [create, close];
    },
  ),
  'durable-nonce': {
    row: 'T32',
    plays: 'service',
    does: 'makes the transaction valid for ever by a nonce account of the attacker',
    takes: 'nothing now; the signature never expires',
    code: 'DURABLE_NONCE',
    draft: (draft, _place, tools) => withNonce(draft, tools),
  },
  'high-fee': {
    row: 'T21',
    plays: 'service',
    does: 'asks for a priority fee of about a third of a SOL; in v1 it stands in the message’s configuration (T22)',
    takes: '0.3 SOL a transaction',
    code: 'FEE_OVER',
    draft: (draft) => ({
      ...draft,
      budget: {
        ...draft.budget,
        microLamportsPerUnit: 300_000_000_000_000n / BigInt(draft.budget.computeUnits),
        priorityFeeLamports: 300_000_000n,
      },
    }),
  },
};
