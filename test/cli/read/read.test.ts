/** `countersign read`: what it says of recorded transactions, of real programs, and of what it cannot read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/cli/read/read.ts';
import { policyTemplate } from '../../../src/policy/file/templates.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { buildInstruction } from '../../../src/programs/read.ts';
import { budgetFor, compileDraft } from '../../../src/sandbox/service/build/compile.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { encodeWire } from '../../../src/transaction/wire.ts';
import { STAGES, stage, WALLET } from '../../policy/recorded/stages.ts';
import { run } from '../terminal.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-read-'));
});
afterAll(() => rmSync(home, { recursive: true }));

async function read(word: string, options: Record<string, string | boolean> = {}) {
  const { code, error, out } = await run(readCommand, { home, words: [word], options, columns: 100 });
  if (error !== undefined) throw error;
  return { code, text: out };
}

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const other = 'G1pohqHbwyDgTBEWtGr2yrQtpRnyEzZEDHgWzMYQ97fy';
const token = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const base64 = (...instructions: readonly EncodedInstruction[]) =>
  encodeWire(
    compileDraft(
      { format: 'v0', feePayer: wallet, instructions, budget: budgetFor(instructions.length), signers: [] },
      { blockhash: other, lastValidBlockHeight: 1 },
    ).bytes,
    'base64',
  );

describe('countersign read', () => {
  it('says of a recorded swap what leaves and what cannot be known, in base64, base58 and from a file', async () => {
    const { transaction } = stage('swap of SOL').stage;
    const bytes = Buffer.from(transaction, 'base64');
    const file = join(home, 'swap.bin');
    writeFileSync(file, bytes);
    for (const word of [transaction, encodeWire(bytes, 'base58'), file]) {
      const { code, text } = await read(word);
      expect(code).toBe(0);
      // Its route is behind an address table, which no bytes hold.
      expect(text).toContain('cannot be read without the address table; pass --rpc-url.');
      expect(text).toContain('0.005 SOL to [6] by the steps that are read');
      expect(text).toContain('0.495 SOL goes into [1], an account of the signing wallet');
      expect(text).toContain('Arrives: unknown.');
      expect(text.replace(/\s+/g, ' ')).toContain(`In short, for the signing wallet ${WALLET}`);
    }
  });

  it('explains every recorded stage without failing, as a page and as JSON', async () => {
    for (const name of STAGES) {
      const { transaction } = stage(name).stage;
      expect((await read(transaction)).text, name).toContain('What each instruction does');
      const [page] = JSON.parse((await read(transaction, { json: true })).text);
      expect(page.instructions.length, name).toBeGreaterThan(0);
      for (const instruction of page.instructions) expect(instruction.words.length, name).toBeGreaterThan(0);
    }
  });

  it('names who earns in a fee share config of the real program, and what of it is inferred', async () => {
    const text = base64(
      buildInstruction('feeShare.createFeeConfig', {
        accounts: { payer: wallet, admin: other, baseMint: token },
        rest: [wallet, other],
        args: { bps: [7_500, 2_500], finalizeInit: true },
      }),
    );
    const { text: page } = await read(text);
    expect(page).toContain('1 step decides who controls or earns');
    expect(page).toContain('the signing wallet earns 75%');
    expect(page.replace(/\s+/g, ' ')).toMatch(/earns 25%; .*; the list of earners is complete\./);
    expect(page).toContain('Countersign concluded');
  });

  it('names an instruction that is known by name only, and one that cannot be read', async () => {
    const text = base64(
      {
        programAddress: 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
        accounts: [{ address: wallet, signer: true, writable: true }],
        data: Buffer.from('8d4a11ae7c0baae3', 'hex'),
      },
      { programAddress: other, accounts: [], data: Buffer.from([1, 2, 3]) },
    );
    const policy = join(home, 'policy.json');
    writeFileSync(policy, JSON.stringify(policyTemplate('trader', { wallet, network: 'devnet' })), {
      mode: 0o600,
    });
    const { text: page } = await read(text, { policy });
    expect(page).toContain('manager_transfer_fee_config (known by name only)');
    expect(page).toContain('NOT READ');
    expect(page).toContain('2 instructions are not read (3, 4)');
    expect(page).toContain('3. refused: it is never part of an operation.');
    expect(page).toMatch(/4\. refused: .* has no entry in the policy\./);
  });

  it('calls an address by its name in the address book, and asks to compare it only without one', async () => {
    const text = base64(
      buildInstruction('system.transfer', { accounts: { from: wallet, to: other }, args: { lamports: 5n } }),
    );
    const compare = `${other} gets 0.000000005 SOL; who that is, the bytes do not say.`;
    expect((await read(text)).text.replace(/\s+/g, ' ')).toContain(compare);
    const file = {
      ...policyTemplate('trader', { wallet, network: 'devnet' }),
      addressBook: [{ address: other, label: 'fees of the service' }],
    };
    const policy = join(home, 'book.json');
    writeFileSync(policy, JSON.stringify(file), { mode: 0o600 });
    const page = (await read(text, { policy })).text.replace(/\s+/g, ' ');
    const name = '"fees of the service" of your address book';
    expect(page).toContain(`at most 0.000000005 SOL to ${name}.`);
    expect(page).toContain(`${name} is ${other}`);
    expect(page).not.toContain('Compare');
  });

  it('bounds a trade on the curve by its bytes', async () => {
    const account = (mint: string) => associatedTokenAddress(wallet, mint, TOKEN_PROGRAM);
    const text = base64(
      buildInstruction('dbc.swap', {
        accounts: {
          config: other,
          inputTokenAccount: account(WSOL_MINT),
          outputTokenAccount: account(token),
          baseMint: token,
          quoteMint: WSOL_MINT,
          payer: wallet,
          tokenBaseProgram: TOKEN_PROGRAM,
          tokenQuoteProgram: TOKEN_PROGRAM,
        },
        args: { amountIn: 300_000_000n, minimumAmountOut: 5n },
      }),
    );
    const { text: page } = await read(text);
    expect(page).toContain('A trade on Meteora DBC');
    expect(page).toContain('at most 0.3 wrapped SOL');
  });

  it('says what is wrong with a text that is no transaction, and what to give instead', async () => {
    await expect(read('hello')).rejects.toMatchObject({
      message: expect.stringMatching(/^This is no transaction \(as base64: .*; as base58: .*\)\.$/),
      hint: expect.stringContaining('base64 or base58'),
    });
    await expect(read(stage('swap of SOL').stage.transaction, { encoding: 'hex' })).rejects.toMatchObject({
      message: '--encoding must be base64 or base58.',
    });
  });

  it('names what a transaction empties, though no amount stands in its bytes', async () => {
    const own = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
    const closes = (destination: string) =>
      base64(
        buildInstruction('associatedToken.createIdempotent', {
          accounts: {
            payer: wallet,
            associatedToken: own,
            owner: wallet,
            mint: WSOL_MINT,
            systemProgram: SYSTEM_PROGRAM,
            tokenProgram: TOKEN_PROGRAM,
          },
        }),
        buildInstruction('token.closeAccount', {
          accounts: { account: own, destination, owner: wallet },
        }),
      );
    const stolen = (await read(closes(other))).text.replace(/\s+/g, ' ');
    expect(stolen).toMatch(
      /Leaves, besides the network fee and deposits: at most everything in .* which is closed in favour of \[2\]/,
    );
    const kept = (await read(closes(wallet))).text.replace(/\s+/g, ' ');
    expect(kept).not.toContain('everything in');
  });

  it('counts an amount of a token it does not know, and a delegate as a change of control', async () => {
    const unknown = base64(
      buildInstruction('token.transfer', {
        accounts: { source: token, destination: other, authority: wallet },
        args: { amount: 77n },
      }),
      buildInstruction('token.approve', {
        accounts: { source: token, delegate: other, owner: wallet },
        args: { amount: 5n },
      }),
    );
    const page = (await read(unknown)).text.replace(/\s+/g, ' ');
    expect(page).toContain('at most 77 base units of a token not known here');
    expect(page).toMatch(
      /\[\d\], NOT the signing wallet, gets the right to take tokens out of the account \[\d\], for at most 5 base units/,
    );
    expect(page).not.toContain('No one but');
    expect(page).toContain('1 step decides who controls or earns');
  });
});
