/** Attacks by way of time: a transaction lands later than expected, with other tables, or a second time (T32–T37, T55, T59). */

import { encodeInstruction } from '../../../programs/instructions.ts';
import type { Draft } from '../../../sandbox/service/build/compile.ts';
import { ata, transfer } from '../../../sandbox/service/build/tokens.ts';
import { addressBytes } from '../../../transaction/base58.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { editStages } from '../answers.ts';
import { read, rewrite } from '../drafts.ts';
import { lair, nonceData, openAccounts } from '../loot.ts';
import { type Attacks, type AttackTools, type DraftHook, service } from '../types.ts';

/** A lookup table that does not exist yet; its content is chosen after the signature. */
const laterTable = (tools: AttackTools) => lair(tools, 'later table').address;

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

const WSOL = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };

/** Accounts the wallet's wrapped SOL goes to, in order. */
function paidInto(draft: Draft, wallet: Address): Address[] {
  const own = ata(wallet, WSOL);
  return draft.instructions.flatMap((instruction) => {
    const known = read(instruction);
    if (known.kind !== 'token.transferChecked' || known.accounts.source.address !== own) return [];
    return [known.accounts.destination.address];
  });
}

/** Advances a nonce first, so that the signature never expires; its value is the blockhash all the same. */
const durable: DraftHook = (draft, _, tools) => {
  const { chain } = tools.onchain;
  const nonce = lair(tools, 'nonce').address;
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
    does: 'begins with a durable nonce of its own, so that the signature never expires',
    takes: 'when it lands, for ever',
    code: 'DURABLE_NONCE',
    draft: durable,
    meanwhile: (copy) => copy.advanceSlots(100_000),
  }),
  'other-lifetime': service({
    row: 'T33',
    does: 'declares an older blockhash than the one in the bytes',
    takes: 'nothing by itself: it lands later than a reader of the answer believes',
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
    does: 'reaches the pool through a lookup table that does not exist until the wallet has signed',
    takes: 'the whole input of the trade',
    code: 'LOOKUP_TABLE_UNRESOLVED',
    endpoints: ['tradeSwap'],
    begin: openAccounts,
    draft: (draft, { wallet }, tools) => {
      const vaults = paidInto(draft, wallet);
      const table = { table: laterTable(tools), addresses: vaults.slice(0, 1) };
      const others = (draft.tables ?? []).map((each) => ({
        ...each,
        addresses: each.addresses.map((address) => (address === vaults[0] ? each.table : address)),
      }));
      return { ...draft, tables: [...others, table] };
    },
    meanwhile: (copy, _, tools) => {
      const data = tableData(tools.attacker.address, [ata(tools.attacker.address, WSOL)]);
      copy.setAccount(laterTable(tools), {
        lamports: copy.rent(data.length),
        owner: LOOKUP_TABLE_PROGRAM,
        executable: false,
        data,
      });
    },
  }),
  'table-lies': {
    row: 'T55',
    plays: 'chain',
    does: 'shows a lookup table as it should be, while the chain holds another one',
    takes: 'the whole input of the trade',
    code: 'SIMULATION_UNAVAILABLE',
    endpoints: ['tradeSwap'],
    begin: (tools) => {
      openAccounts(tools);
      return () => {
        for (const [table, honest] of tools.lies) tools.onchain.chain.setAccount(table, honest);
      };
    },
    draft: (draft, { wallet }, tools) => {
      const [table] = draft.tables ?? [];
      const { chain } = tools.onchain;
      const honest = table && chain.getAccount(table.table);
      if (table === undefined || !honest) return draft;
      const [vault] = paidInto(draft, wallet);
      const robbed = table.addresses.map((address) =>
        address === vault ? ata(tools.attacker.address, WSOL) : address,
      );
      const data = honest.data.slice();
      for (const [index, address] of robbed.entries()) data.set(addressBytes(address), 56 + 32 * index);
      tools.lies.set(table.table, honest);
      chain.setAccount(table.table, { ...honest, data });
      return draft;
    },
  },
  'served-again': service({
    row: 'T37',
    does: 'answers with a swap the wallet has signed before',
    takes: 'nothing once it has landed; before that, a second payment',
    code: 'REPLAY',
    endpoints: ['tradeSwap'],
    answer: (answer, asked, { onchain: { chain } }) => {
      const wallet = String(asked.userPublicKey);
      const earlier = chain
        .transactionsFor(wallet)
        .find(({ staticAccounts }) => staticAccounts[0] === wallet);
      const swapTransaction = earlier && Buffer.from(earlier.bytes).toString('base64');
      return swapTransaction === undefined ? answer : { ...Object(answer), swapTransaction };
    },
  }),
  'always-fails': service({
    row: 'T59',
    does: 'builds a transaction that always fails, and charges the fee each time an agent tries again',
    takes: 'the fee of every attempt',
    code: 'SIMULATION_FAILED',
    endpoints: ['tradeSwap'],
    draft: (draft, { wallet }) =>
      rewrite(draft, 'token.transferChecked', ({ program, accounts, args }, nth) => {
        if (nth > 0) return undefined;
        const { source, mint, destination } = accounts;
        const asset = { mint: mint.address, tokenProgram: program, decimals: args.decimals ^ 1 };
        return [transfer(asset, source.address, destination.address, wallet, args.amount)];
      }),
  }),
};
