/** Attacks on the bytes themselves, and on what an answer says about them (T32, T33, T36, T37, T42–T51). */
import { addressBytes } from '../../transaction/base58.ts';
import { encodeInstruction } from '../../transaction/instructions.ts';
import {
  ED25519_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { compileDraft, type Draft } from '../service/build/compile.ts';
import { ata, systemTransfer, transfer } from '../service/build/tokens.ts';
import { editBytes, editMessages, editStages, editTexts, layoutOf } from './answers.ts';
import { nonceData } from './authority.ts';
import { append, read, rewrite } from './drafts.ts';
import { LOOT, lair, openAccounts } from './loot.ts';
import type { Attack, Attacks, AttackTools, DraftHook } from './types.ts';

const service = (attack: Omit<Attack, 'plays'>): Attack => ({ plays: 'service', ...attack });

const SIGNATURE_BYTES = 64;

/** Changes one co-signature: the last one that is there. */
const lastSignature = (change: (signature: Uint8Array) => Uint8Array) =>
  editBytes((bytes) => {
    const changed = bytes.slice();
    const at = layoutOf(bytes).signaturesAt.findLast((start) =>
      bytes.subarray(start, start + SIGNATURE_BYTES).some((byte) => byte !== 0),
    );
    if (at !== undefined) changed.set(change(bytes.subarray(at, at + SIGNATURE_BYTES)), at);
    return changed;
  });

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

/** A message signed by the attacker, checked by the chain in a transaction of the wallet. */
function attestation({ attacker }: AttackTools) {
  const message = Buffer.from('the wallet agrees');
  const head = Buffer.alloc(16);
  head.writeUInt8(1, 0);
  const [keyAt, signatureAt, messageStart] = [16, 48, 112];
  [signatureAt, 0xffff, keyAt, 0xffff, messageStart, message.length, 0xffff].forEach((value, index) => {
    head.writeUInt16LE(value, 2 + 2 * index);
  });
  return {
    programAddress: ED25519_PROGRAM,
    accounts: [],
    data: Uint8Array.from([
      ...head,
      ...addressBytes(attacker.address),
      ...attacker.sign(message),
      ...message,
    ]),
  };
}

/** The hash of what the draft would have been without the attack, as the answer then declares it. */
function hashLie(): Pick<Attack, 'draft' | 'answer'> {
  let honest: string | undefined;
  const steal = append(({ wallet }, { attacker }) => [systemTransfer(wallet, attacker.address, LOOT)]);
  return {
    draft: (draft, place, tools) => {
      honest = compileDraft(draft, tools.onchain.lifetime()).messageSha256;
      return steal(draft, place, tools);
    },
    answer: editStages((stage) => ({ ...stage, messageSha256: honest })),
  };
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

export const bytesAttacks: Attacks = {
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
  'hash-of-another': service({
    row: 'T42',
    does: 'appends a transfer and declares the hash of the plan without it',
    takes: '1 SOL',
    code: 'HASH_MISMATCH',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'claimTxs'],
    ...hashLie(),
  }),
  'length-written-long': service({
    row: 'T43',
    does: 'writes a length in two bytes where one does, which two readers read differently',
    takes: 'whatever the other reading says',
    code: 'NONCANONICAL_BYTES',
    endpoints: ['tradeSwap'],
    answer: editBytes((bytes) => {
      const at = layoutOf(bytes).messageAt + 4; // the number of accounts, after version and header
      const count = bytes[at] ?? 0;
      return Uint8Array.from([...bytes.subarray(0, at), count | 0x80, 0, ...bytes.subarray(at + 1)]);
    }),
  }),
  'bytes-after-the-end': service({
    row: 'T43',
    does: 'lets bytes follow the end of the message',
    takes: 'whatever a reader makes of them',
    code: 'NONCANONICAL_BYTES',
    answer: editBytes((bytes) => Uint8Array.from([...bytes, 0, 0, 0, 0])),
  }),
  'text-broken-up': service({
    row: 'T43',
    does: 'breaks the text of the bytes up, which lenient decoders overlook',
    takes: 'whatever a lenient reader makes of it',
    code: 'NONCANONICAL_BYTES',
    answer: editTexts((text) => `${text.slice(0, 20)}\n${text.slice(20)}`),
  }),
  'garbage-cosignature': service({
    row: 'T44',
    does: 'fills a co-signature with garbage, which some libraries call fully signed',
    takes: 'the wallet’s signature under bytes nobody else stands behind',
    code: 'COSIGNATURE_INVALID',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'dammLaunchV2'],
    answer: lastSignature(() => new Uint8Array(SIGNATURE_BYTES).fill(7)),
  }),
  'cosignature-of-another': service({
    row: 'T45',
    does: 'changes the bytes after the service has signed them',
    takes: '1 SOL, if the signature is then made good',
    code: 'COSIGNATURE_INVALID',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'dammLaunchV2'],
    answer: editBytes((bytes) => {
      const changed = bytes.slice();
      const { messageAt, messageEnd } = layoutOf(bytes);
      // A v0 message ends with the number of its lookup tables; before that, and in v1, stands instruction data.
      const at = bytes[messageAt] === 0x80 && bytes[messageEnd - 1] === 0 ? messageEnd - 2 : messageEnd - 1;
      changed[at] = (changed[at] ?? 0) ^ 1;
      return changed;
    }),
  }),
  'cosignature-withheld': service({
    row: 'T45',
    does: 'wants the wallet to sign first and keeps its own signature back',
    takes: 'the choice of whether it lands, after the wallet has signed',
    code: 'SIGNER_UNAVAILABLE',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'dammLaunchV2'],
    answer: lastSignature(() => new Uint8Array(SIGNATURE_BYTES)),
  }),
  'signer-not-declared': service({
    row: 'T46',
    does: 'declares fewer signers than the bytes have',
    takes: 'nothing by itself: it hides who else has a say',
    code: 'SIGNERS_MISMATCH',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'claimTxs', 'dammLaunchV2'],
    answer: editStages((stage) => ({
      ...stage,
      requiredSigners: Array.isArray(stage.requiredSigners) ? stage.requiredSigners.slice(0, 1) : [],
    })),
  }),
  'second-key': service({
    row: 'T46',
    does: 'has a second key of the same owner sign, and empties that wallet',
    takes: '1 SOL of the other wallet',
    code: 'SIGNERS_MISMATCH',
    begin: (tools) => {
      tools.fund(secondWallet(tools).address, 2n * LOOT);
      return undefined;
    },
    draft: append((_, tools) => [systemTransfer(secondWallet(tools).address, tools.attacker.address, LOOT)]),
  }),
  'signature-attested': service({
    row: 'T49',
    does: 'has the chain attest a signature made elsewhere, for a program that does not look whose it is',
    takes: 'whatever such a program grants for it',
    code: 'PROGRAM_NOT_ALLOWED',
    draft: (draft, _, tools) => ({ ...draft, instructions: [attestation(tools), ...draft.instructions] }),
  }),
  'format-changed': service({
    row: 'T50',
    does: 'answers in the v1 format, where a priority fee is in no instruction',
    takes: 'half a SOL in fees',
    code: 'FORMAT_MISMATCH',
    endpoints: ['tradeSwap', 'feeShareConfig'],
    draft: ({ tables: _, ...draft }) => ({
      ...draft,
      format: 'v1',
      budget: { ...draft.budget, priorityFeeLamports: LOOT / 2n },
    }),
  }),
  'too-large': service({
    row: 'T51',
    does: 'answers with more bytes than its format allows',
    takes: 'nothing here: no leader would take it',
    code: 'NONCANONICAL_BYTES',
    endpoints: ['tradeSwap'],
    answer: editMessages((message) => ({
      ...message,
      instructions: [
        ...message.instructions,
        { programAddressIndex: 1, accountIndices: [], data: new Uint8Array(900) },
      ],
    })),
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

/** Another wallet of the same owner. Its key is in the service's ring so that a copy of the chain can be shown. */
export const secondWallet = ({ keys }: Pick<AttackTools, 'keys'>) => keys.seeded('second wallet');
