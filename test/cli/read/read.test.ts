/** `countersign read`: inputs, output forms, and output for undecodable bytes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { encodeWire } from '../../../src/transaction/wire.ts';
import { ATTACKER, STAGES, stage, WALLET } from '../../policy/recorded/stages.ts';
import { testAddress } from '../../transaction/keys.ts';
import { jsonOf, linesOf, sumOf, temporaryHome, textOf, transactionOf } from './pages.ts';

const { home, remove } = temporaryHome();
afterAll(remove);

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const pays = (lamports: bigint, to = ATTACKER) =>
  encodeInstruction('system.transfer', { accounts: { from: wallet, to }, args: { lamports } });
const memo = (text: string) => encodeInstruction('memo.memo', { accounts: {}, rest: [], args: { text } });
const filed = (name: string, content: string | Uint8Array): string => {
  const path = join(home, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

describe('the inputs of countersign read', () => {
  it('are base64, base58 and files of bytes or text, with equal results', async () => {
    const { transaction } = stage('swap of SOL').stage;
    const bytes = Buffer.from(transaction.text, 'base64');
    const words = [
      transaction.text,
      encodeWire(bytes, 'base58'),
      filed('swap.bin', bytes),
      filed('swap.txt', `${transaction.text}\n`),
    ];
    for (const word of words) {
      const page = await jsonOf(home, word);
      expect(page.wallet).toBe(WALLET);
      // Its route is in a lookup table, which is not part of the bytes.
      expect(linesOf(page, 'unsupported')).toHaveLength(1);
      expect(linesOf(page, 'pays', { why: 'payment', asset: 'SOL', atMost: '5000000' })).toHaveLength(1);
      expect(page.notes.some((note) => note.includes('--rpc-url'))).toBe(true);
    }
  });

  it('may be several transactions, whose amounts are summed', async () => {
    const page = await jsonOf(home, [transactionOf(wallet, pays(5n)), transactionOf(wallet, pays(7n))]);
    expect(sumOf(linesOf(page, 'pays', { to: ATTACKER }))).toBe(12n);
    expect(page.transactions).toHaveLength(2);
  });

  it('are refused with reason and remedy if invalid', async () => {
    await expect(jsonOf(home, 'hello')).rejects.toMatchObject({
      message: expect.stringMatching(/^This is not a transaction/),
      hint: expect.stringContaining('base64 or base58'),
    });
    for (const path of ['./nothing.txt', '/nowhere/plan', 'plan.json'])
      await expect(jsonOf(home, path)).rejects.toMatchObject({ message: `There is no file ${path}.` });
    await expect(jsonOf(home, filed('large', Buffer.alloc(70_000)))).rejects.toMatchObject({
      message: expect.stringContaining('too large'),
    });
  });

  it('are refused if truncated or extended', async () => {
    const bytes = Buffer.from(stage('plain config').stage.transaction.text, 'base64');
    for (const broken of [bytes.subarray(0, -1), bytes.subarray(0, 70), Buffer.concat([bytes, Buffer.of(0)])])
      await expect(jsonOf(home, filed('broken', broken))).rejects.toMatchObject({
        message: expect.stringMatching(/^This is not a transaction/),
      });
  });

  it('are decoded without a network request if no RPC is given', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
    onTestFinished(() => fetched.mockRestore());
    for (const name of STAGES) await jsonOf(home, stage(name).stage.transaction.text);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe('the output of countersign read', () => {
  it('fits a terminal for every recorded stage and labels each instruction', async () => {
    for (const name of STAGES) {
      const { transaction } = stage(name).stage;
      expect(await textOf(home, transaction.text), name).toContain('Leaves');
      const page = await jsonOf(home, transaction.text);
      const [only] = page.transactions;
      expect(only?.instructions.length, name).toBeGreaterThan(0);
      const isUnsupported = only?.instructions.some(({ status }) => status !== 'read') ?? false;
      expect(linesOf(page, 'unsupported').length > 0, name).toBe(isUnsupported);
      expect(page.sentences.length, name).toBeGreaterThan(0);
    }
  });

  it('states no bound on amounts while an instruction is unsupported', async () => {
    const unsupported = { programAddress: testAddress('program'), accounts: [], data: Buffer.from([1]) };
    const facts = async (...more: (typeof unsupported)[]) =>
      (await jsonOf(home, transactionOf(wallet, pays(5n), ...more))).facts;
    const leaves = (all: Awaited<ReturnType<typeof facts>>) => all.find(({ kind }) => kind === 'leaves');
    expect(leaves(await facts())).not.toHaveProperty('mark');
    const open = await facts(unsupported);
    expect(leaves(open)).toHaveProperty('mark');
    expect(open.some(({ kind }) => kind === 'exposed')).toBe(true);
  });

  it("shows the policy's answer to each instruction with the address book's labels", async () => {
    const named = {
      programAddress: 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
      accounts: [{ address: wallet, signer: true, writable: true }],
      data: Buffer.from('8d4a11ae7c0baae3', 'hex'),
    };
    const unknown = { programAddress: testAddress('program'), accounts: [], data: Buffer.from([1, 2, 3]) };
    const template = policyTemplate('trader', { wallet, network: 'devnet' });
    const addressBook = [{ address: ATTACKER, label: 'landlord' }];
    const policy = filed('policy.json', JSON.stringify({ ...template, addressBook }));
    const text = transactionOf(wallet, named, unknown, pays(5n));
    const { transactions } = await jsonOf(home, text, { policy });
    expect(transactions[0]?.instructions.map(({ status }) => status).slice(2)).toEqual([
      'named',
      'unsupported',
      'read',
    ]);
    const page = await textOf(home, text, { policy });
    expect(page.match(/Policy: refused/g)).toHaveLength(2);
    expect(page).toContain('landlord');
    expect(await textOf(home, text)).not.toContain('landlord');
  });

  it('reports that the signature of a modified transaction is invalid', async () => {
    const bytes = Buffer.from(stage('plain config').stage.transaction.text, 'base64');
    const at = bytes.length - 40;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const page = await jsonOf(home, filed('changed', bytes)).catch((error: Error) => error);
    if (page instanceof Error) throw page;
    expect(page.transactions[0]?.signers.map(({ status }) => status)).toContain('invalid');
    expect(page.notes.some((note) => note.includes('invalid signature'))).toBe(true);
  });

  it('reports an ambiguous wallet if several keys must sign and none was named', async () => {
    const made = encodeInstruction('system.createAccount', {
      accounts: { payer: wallet, newAccount: testAddress('new') },
      args: { lamports: 10_000_000_000n, space: 0n, owner: testAddress('program') },
    });
    const text = transactionOf(wallet, made);
    const doubts = async (options = {}) => (await jsonOf(home, text, options)).notes.length;
    expect(await doubts()).toBe((await doubts({ wallet })) + 1);
    expect(await doubts({ wallet: ATTACKER })).toBe((await doubts({ wallet })) + 1);
    // A fully signed transaction may be anyone's.
    const bytes = Buffer.from(transactionOf(wallet, pays(5n)), 'base64');
    bytes.fill(7, 1, 65);
    const signed = await jsonOf(home, filed('signed', bytes));
    expect(signed.notes.some((note) => note.includes('fee payer'))).toBe(true);
  });

  it('shows the text of a memo and never breaks an address', async () => {
    const pageText = async (text: string) =>
      (await textOf(home, transactionOf(wallet, memo(text)))).replaceAll(' ', '');
    expect(await pageText(`to ${ATTACKER} and nowhere else`)).toContain(ATTACKER);
    const cut = await pageText(`${'send it all at once '.repeat(13)}to you, or ${ATTACKER} and nowhere else`);
    expect(cut).toContain('toyou,or…');
    expect(cut).not.toContain(ATTACKER.slice(0, 8));
    for (const part of [ATTACKER, wallet])
      expect(await pageText(`claimers:${ATTACKER}=5000;${wallet}=5000`)).toContain(part);
  });

  it('shows a durable nonce and its authority', async () => {
    const nonce = encodeInstruction('system.advanceNonceAccount', {
      accounts: {
        ...{ nonce: testAddress('nonce'), authority: wallet },
        recentBlockhashes: 'SysvarRecentB1ockHashes11111111111111111111',
      },
    });
    const page = await jsonOf(home, transactionOf(wallet, nonce));
    expect(linesOf(page, 'uses', { kind: 'nonce', authority: wallet })).toHaveLength(1);
    expect(page.sentences.some((each) => each.includes('nonce'))).toBe(true);
  });
});
