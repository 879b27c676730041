/** Attacks on timing: a transaction lands later than expected, with other tables, or twice (T32–T37, T55, T59). */

import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import { addressBytes } from '../../../../src/transaction/base58.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
} from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import type { ChainAccount } from '../../../chain/types.ts';
import type { Draft } from '../../../service/build/compile.ts';
import { ata } from '../../../service/build/tokens.ts';
import { editStages } from '../answers.ts';
import { attackerKey, nonceData, openAccounts } from '../assets.ts';
import { read, rewrite } from '../drafts.ts';
import { rewriteSwaps, tradedPool } from '../swaps.ts';
import { type Attacks, type AttackTools, type DraftHook, service } from '../types.ts';

const MAX_U64 = 2n ** 64n - 1n;

/** A lookup table of the attacker: created after the wallet has signed, or misrepresented by an RPC. */
const ownTable = (tools: AttackTools) => attackerKey(tools, 'own table').address;

function tableData(authority: Address, addresses: readonly Address[]): Uint8Array {
  const data = Buffer.alloc(56 + 32 * addresses.length);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(2n ** 64n - 1n, 4);
  data.writeUInt8(1, 21);
  data.set(addressBytes(authority), 22);
  addresses.forEach((address, index) => {
    data.set(addressBytes(address), 56 + 32 * index);
  });
  return new Uint8Array(data);
}

/** A table account with one entry. */
function tableOf({ attacker, onchain }: AttackTools, entry: Address): ChainAccount {
  const data = tableData(attacker.address, [entry]);
  return { lamports: onchain.rent(data.length), owner: LOOKUP_TABLE_PROGRAM, executable: false, data };
}

/** The bought token and the wallet's account for it, which the draft opens. */
function delivery(draft: Draft): { readonly mint: Address; readonly account: Address } | undefined {
  const places: Address[] = [];
  rewriteSwaps(draft, ({ destination }) => {
    places.push(destination);
    return undefined;
  });
  for (const instruction of draft.instructions) {
    const known = read(instruction);
    if (known.kind !== 'associatedToken.createIdempotent') continue;
    const account = known.accounts.associatedToken.address;
    if (places.includes(account)) return { mint: known.accounts.mint.address, account };
  }
  return undefined;
}

/** Names the trade's destination, an existing account of the wallet, only through the attacker's table. */
const byTable: DraftHook = (draft, _, tools) => {
  const into = delivery(draft);
  if (into === undefined) return draft;
  const kept = rewrite(draft, 'associatedToken.createIdempotent', ({ accounts }) =>
    accounts.associatedToken.address === into.account ? [] : undefined,
  );
  return {
    ...kept,
    tables: [...(draft.tables ?? []), { table: ownTable(tools), addresses: [into.account] }],
  };
};

/** The attacker's account of the token that the sample trades buy. */
const robbed = (tools: AttackTools): Address => {
  const { mintA: mint, programA: tokenProgram } = tradedPool(tools);
  return ata(tools.attacker.address, { mint, tokenProgram });
};

/** Advances a nonce first, so that the signature never expires; the nonce's value is the blockhash. */
const durable: DraftHook = (draft, _, tools) => {
  const { chain } = tools.onchain;
  const nonce = attackerKey(tools, 'nonce').address;
  chain.setAccount(nonce, {
    lamports: chain.rent(80),
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: nonceData(tools.attacker.address, tools.onchain.lifetime().blockhash),
  });
  const accounts = {
    nonce,
    recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
    authority: tools.attacker.address,
  };
  return {
    ...draft,
    first: [encodeInstruction('system.advanceNonceAccount', { accounts })],
    signers: [...draft.signers, tools.attacker],
  };
};

export const timeAttacks: Attacks = {
  'durable-nonce': service({
    row: 'T32',
    does: 'starts with its own durable nonce, so that the signature never expires',
    takes: 'control over when it lands, without a deadline',
    code: 'DURABLE_NONCE',
    draft: durable,
    meanwhile: (copy) => copy.advanceSlots(100_000),
  }),
  'other-lifetime': service({
    row: 'T33',
    does: 'declares an older blockhash than the transaction’s',
    takes: 'nothing directly; it can land later than declared',
    code: 'LIFETIME_MISMATCH',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'claimTxs', 'dammLaunchV2', 'curveLaunchV2'],
    answer: (answer, _, { onchain: { chain } }) =>
      editStages((stage) => ({
        ...stage,
        lifetime: { ...Object(stage.lifetime), blockhash: chain.latestBlockhash('finalized').blockhash },
      }))(answer),
  }),
  'table-filled-later': service({
    row: 'T36',
    does: 'names the trade’s destination through a lookup table that is created after the wallet has signed',
    takes: 'the proceeds of the trade',
    code: 'LOOKUP_TABLE_UNRESOLVED',
    endpoints: ['tradeSwap'],
    begin: openAccounts,
    draft: byTable,
    meanwhile: (copy, _, tools) => copy.setAccount(ownTable(tools), tableOf(tools, robbed(tools))),
  }),
  'table-lies': {
    row: 'T55',
    plays: 'chain',
    does: 'serves a correct lookup table while the chain has another',
    takes: 'the proceeds of the trade',
    code: 'SIMULATION_UNAVAILABLE',
    endpoints: ['tradeSwap'],
    begin: (tools) => {
      openAccounts(tools);
      return () => {
        for (const table of tools.lies.keys()) tools.onchain.chain.setAccount(table, null);
      };
    },
    draft: (draft, place, tools) => {
      const into = delivery(draft);
      if (into === undefined) return draft;
      tools.lies.set(ownTable(tools), tableOf(tools, into.account));
      tools.onchain.chain.setAccount(ownTable(tools), tableOf(tools, robbed(tools)));
      return byTable(draft, place, tools);
    },
  },
  'served-again': service({
    row: 'T37',
    does: 'answers with a swap that the wallet has already signed',
    takes: 'a second payment, unless the first has landed',
    code: 'REPLAY',
    endpoints: ['tradeSwap'],
    answer: (answer, request, { onchain: { chain } }) => {
      const wallet = String(request.userPublicKey);
      const earlier = chain
        .transactionsFor(wallet)
        .find(({ staticAccounts }) => staticAccounts[0] === wallet);
      const swapTransaction = earlier && Buffer.from(earlier.bytes).toString('base64');
      return swapTransaction === undefined ? answer : { ...Object(answer), swapTransaction };
    },
  }),
  'always-fails': service({
    row: 'T59',
    does: 'builds a transaction that always fails, so that each retry costs a fee',
    takes: 'the fee of every attempt',
    code: 'SIMULATION_FAILED',
    endpoints: ['tradeSwap'],
    draft: (draft) => rewriteSwaps(draft, () => ({ minOut: MAX_U64 })),
  }),
};
