/** Attacks on the encoded transaction and on its description in the answer (T42–T51). */

import { addressBytes } from '../../../../src/transaction/base58.ts';
import { ED25519_PROGRAM } from '../../../../src/transaction/programs.ts';
import { compileDraft } from '../../../service/build/compile.ts';
import { systemTransfer } from '../../../service/build/tokens.ts';
import { editBytes, editMessages, editStages, editTexts, layoutOf } from '../answers.ts';
import { TAKEN_LAMPORTS } from '../assets.ts';
import { append } from '../drafts.ts';
import { type Attack, type Attacks, type AttackTools, service } from '../types.ts';

const SIGNATURE_BYTES = 64;

/** Changes the last cosignature. */
const lastSignature = (change: (signature: Uint8Array) => Uint8Array) =>
  editBytes((bytes) => {
    const changed = bytes.slice();
    const at = layoutOf(bytes).signaturesAt.findLast((start) =>
      bytes.subarray(start, start + SIGNATURE_BYTES).some((byte) => byte !== 0),
    );
    if (at !== undefined) changed.set(change(bytes.subarray(at, at + SIGNATURE_BYTES)), at);
    return changed;
  });

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

/** Returns the hash of the draft without the attack, for the answer to declare. */
function hashLie(): Pick<Attack, 'draft' | 'answer'> {
  let honest: string | undefined;
  const steal = append(({ wallet }, { attacker }) => [
    systemTransfer(wallet, attacker.address, TAKEN_LAMPORTS),
  ]);
  return {
    draft: (draft, place, tools) => {
      honest = compileDraft(draft, tools.onchain.lifetime()).messageSha256;
      return steal(draft, place, tools);
    },
    answer: editStages((stage) => ({ ...stage, messageSha256: honest })),
  };
}

export const bytesAttacks: Attacks = {
  'hash-of-another': service({
    row: 'T42',
    does: 'appends a transfer and declares the hash of the transaction without it',
    takes: '1 SOL',
    code: 'HASH_MISMATCH',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'claimTxs'],
    ...hashLie(),
  }),
  'length-written-long': service({
    row: 'T43',
    does: 'encodes a length in two bytes instead of one, which decoders read differently',
    takes: 'any amount, depending on the other decoder',
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
    does: 'appends bytes after the end of the message',
    takes: 'any amount, depending on the decoder',
    code: 'NONCANONICAL_BYTES',
    answer: editBytes((bytes) => Uint8Array.from([...bytes, 0, 0, 0, 0])),
  }),
  'text-broken-up': service({
    row: 'T43',
    does: 'breaks up the encoded text, which lenient decoders accept',
    takes: 'any amount, depending on the lenient decoder',
    code: 'NONCANONICAL_BYTES',
    answer: editTexts((text) => `${text.slice(0, 20)}\n${text.slice(20)}`),
  }),
  'garbage-cosignature': service({
    row: 'T44',
    does: 'fills a cosignature with invalid bytes, which some libraries count as fully signed',
    takes: 'the wallet’s signature on a transaction that no other signer has signed',
    code: 'COSIGNATURE_INVALID',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'dammLaunchV2'],
    answer: lastSignature(() => new Uint8Array(SIGNATURE_BYTES).fill(7)),
  }),
  'cosignature-of-another': service({
    row: 'T45',
    does: 'changes the transaction after the service has signed it',
    takes: '1 SOL, once the service signs the changed transaction',
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
    does: 'requires the wallet to sign first and withholds its own signature',
    takes: 'control over whether the signed transaction lands',
    code: 'SIGNER_UNAVAILABLE',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'dammLaunchV2'],
    answer: lastSignature(() => new Uint8Array(SIGNATURE_BYTES)),
  }),
  'signer-not-declared': service({
    row: 'T46',
    does: 'declares fewer signers than the transaction has',
    takes: 'nothing directly; the other required signers are hidden',
    code: 'SIGNERS_MISMATCH',
    endpoints: ['feeShareConfig', 'updateFeeShareConfig', 'claimTxs', 'dammLaunchV2'],
    answer: editStages((stage) => ({
      ...stage,
      requiredSigners: Array.isArray(stage.requiredSigners) ? stage.requiredSigners.slice(0, 1) : [],
    })),
  }),
  'second-key': service({
    row: 'T46',
    does: 'requires a second key of the same owner as signer, and empties that wallet',
    takes: '1 SOL of the other wallet',
    code: 'SIGNERS_MISMATCH',
    begin: (tools) => {
      tools.fund(secondWallet(tools).address, 2n * TAKEN_LAMPORTS);
      return undefined;
    },
    draft: append((_, tools) => [
      systemTransfer(secondWallet(tools).address, tools.attacker.address, TAKEN_LAMPORTS),
    ]),
  }),
  'signature-attested': service({
    row: 'T49',
    does: 'has the chain verify a signature made elsewhere, for a program that does not check the signer',
    takes: 'the rights that such a program grants for it',
    code: 'PROGRAM_NOT_ALLOWED',
    draft: (draft, _, tools) => ({ ...draft, instructions: [attestation(tools), ...draft.instructions] }),
  }),
  'format-changed': service({
    row: 'T50',
    does: 'answers in the v1 format, whose priority fee is not an instruction',
    takes: 'half a SOL in fees',
    code: 'FORMAT_MISMATCH',
    endpoints: ['tradeSwap', 'feeShareConfig'],
    draft: ({ tables: _, ...draft }) => ({
      ...draft,
      format: 'v1',
      budget: { ...draft.budget, priorityFeeLamports: TAKEN_LAMPORTS / 2n },
    }),
  }),
  'too-large': service({
    row: 'T51',
    does: 'answers with a transaction above the size limit of its format',
    takes: 'nothing: no leader would include it',
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
};

/** Another wallet of the same owner. The service holds its key for trials of the chain. */
export const secondWallet = ({ keys }: Pick<AttackTools, 'keys'>) => keys.seeded('second wallet');
