/** The page as a whole: long notes, tables that are closed, accounts named twice, missing files, JSON, line width. */
import { afterAll, describe, expect, it } from 'vitest';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { buildInstruction } from '../../../src/programs/read.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';
import { ATTACKER, STAGES, stage } from '../../policy/recorded/stages.ts';
import { testAddress } from '../../transaction/keys.ts';
import { jsonOf, pageOf, temporaryHome, transactionOf } from './pages.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const mint = testAddress('mint');
const table = testAddress('table');
const { home, remove } = temporaryHome();
afterAll(remove);

const read = (...instructions: readonly EncodedInstruction[]) =>
  pageOf(home, transactionOf(wallet, ...instructions));
const short = async (...instructions: readonly EncodedInstruction[]) => (await read(...instructions)).short;

describe('the page', () => {
  it('shows a long note without cutting an address, and says that it is cut', async () => {
    const note = `${'send it all at once '.repeat(12)}to ${ATTACKER} and nowhere else`;
    const memo = (text: string) =>
      read(buildInstruction('memo.memo', { accounts: {}, rest: [], args: { text } }));
    const { flat } = await memo(note);
    expect(flat).toContain(`(cut: it has ${note.length} characters)`);
    expect(flat).not.toContain(ATTACKER.slice(0, 20));
    const whole = await memo(`to ${ATTACKER} and nowhere else`);
    expect(whole.flat).toContain(`"to ${ATTACKER} and nowhere else".`);
    // Without a space in it, it is broken where no address is.
    const list = await memo(`earners:${ATTACKER}=5000;${wallet}=5000`);
    for (const address of [ATTACKER, wallet]) expect(list.text).toContain(address);
  });

  it('says what comes back when a table is closed', async () => {
    const close = (recipient: string) =>
      short(
        buildInstruction('lookupTable.close', { accounts: { table: table, authority: wallet, recipient } }),
      );
    expect(await close(wallet)).toContain(
      'Comes back: SOL, an amount only the chain knows, that lay in [1], an account of the signing wallet',
    );
    expect(await close(ATTACKER)).toContain('everything in [1], which is closed in favour of [2]');
  });

  it('counts an account that two instructions name once, and prices it', async () => {
    const create = buildInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer: wallet,
        associatedToken: associatedTokenAddress(wallet, mint, TOKEN_PROGRAM),
        owner: wallet,
        mint: mint,
        systemProgram: '11111111111111111111111111111111',
        tokenProgram: TOKEN_PROGRAM,
      },
    });
    expect(await short(create, create)).toContain('Deposits: at most 0.00203928 SOL for 1 account made here');
  });

  it('says that there is no such file, and not that it is no transaction', async () => {
    for (const path of ['./nothing.txt', '/nowhere/plan', 'plan.json'])
      await expect(pageOf(home, path)).rejects.toMatchObject({ message: `There is no file ${path}.` });
  });

  it('has a summary in its JSON form, for every recorded stage', async () => {
    for (const name of STAGES) {
      const { summary } = await jsonOf(home, stage(name).stage.transaction);
      expect(Object.keys(summary), name).toEqual(
        expect.arrayContaining([
          'wallet',
          'leaves',
          'arrives',
          'elsewhere',
          'rights',
          'deposits',
          'unread',
          'sentences',
        ]),
      );
    }
    const { summary } = await jsonOf(home, stage('bare curve launch').stage.transaction);
    expect(summary.rights.steps.length).toBeGreaterThan(0);
  });

  it('fits narrow and wide terminals for every recorded stage', async () => {
    for (const name of STAGES)
      expect((await pageOf(home, stage(name).stage.transaction)).short, name).not.toBe('');
  });
});
