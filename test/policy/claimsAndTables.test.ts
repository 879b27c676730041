/** Claims and lookup tables, one change at a time (rule 5 of the threat model; T9, T29). */
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { lookupTable, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { answered, asked, instructionOf, plus, withAccounts, withArgs, without } from './recorded/edits.ts';
import { ATTACKER, decide, rewritten, stage, WALLET } from './recorded/stages.ts';
import { told } from './recorded/sweep.ts';

const position = stage('position claim');
const holding = stage('holding claim');
const vault = stage('vault claim');
const deployer = stage('deployer claim');
const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
const said = (facts: Facts): string => told(decide(facts));
const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: every instruction belongs to the operation';

const pays = (
  facts: Facts,
  change: Partial<{ source: string; destination: string; mint: string; amount: bigint }> = {},
) => {
  const { source, mint, destination, authority } = instructionOf(facts, 'token.transferChecked').accounts;
  return encodeInstruction('token.transferChecked', {
    accounts: {
      source: change.source ?? source.address,
      mint: change.mint ?? mint.address,
      destination: change.destination ?? destination.address,
      authority: authority.address,
    },
    args: { amount: change.amount ?? 1n, decimals: 9 },
  });
};

describe('a claim', () => {
  it('may pay in several transfers, and promises their sum', () => {
    expect(decide(position).changes).toEqual([{ asset: 'SOL', out: '0', in: '8910047' }]);
    const more = plus(position, pays(position), pays(position));
    expect(decide(more).changes).toEqual([{ asset: 'SOL', out: '0', in: '8910049' }]);
    const eight = plus(position, ...Array.from({ length: 7 }, () => pays(position, { amount: 0n })));
    expect(said(eight)).not.toContain(UNEXPECTED);
    expect(said(plus(eight, pays(position)))).toContain(UNEXPECTED);
  });

  it('must bring the wallet more than nothing', () => {
    expect(said(withArgs(position, 'token.transferChecked', { amount: 0n }))).toContain(
      'REQUEST_MISMATCH: claim pays the wallet (0; allowed more than 0)',
    );
  });

  it('pays from an account that is not ours, by what the chain shows', () => {
    const { address } = instructionOf(position, 'token.transferChecked').accounts.source;
    const held = (owner: string): Facts => ({
      ...position,
      accounts: [
        ...position.accounts.filter((each) => each.address !== address),
        tokenAccount(address, { mint: WSOL_MINT, owner, amount: 5n }),
      ],
    });
    expect(said(held(ATTACKER))).not.toContain(UNEXPECTED);
    expect(said(held(WALLET))).toContain(`${UNEXPECTED} (#3 token.transferChecked)`);
    const unseen = { ...position, accounts: position.accounts.filter((each) => each.address !== address) };
    expect(said(unseen)).not.toContain(UNEXPECTED);
  });

  it('pays in what was asked about, into the associated account of the wallet', () => {
    const other = keyNamed('another mint').address;
    expect(said(asked(position, { quoteMint: other }))).toContain(`quote mint (So1111…; allowed`);
    expect(said(asked(position, { quoteMint: undefined }))).not.toContain('quote mint');
    expect(said(withAccounts(position, 'token.transferChecked', { destination: ATTACKER }))).toContain(
      'bytes match the request: who the claim pays (ATTACKER)',
    );
  });

  it('opens at most one account, for the wallet, paid by the fee payer', () => {
    const again = encodeInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer: instructionOf(position, 'associatedToken.createIdempotent').accounts.payer.address,
        associatedToken: wrapped,
        owner: WALLET,
        mint: WSOL_MINT,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram: TOKEN_PROGRAM,
      },
    });
    expect(said(plus(position, again))).toContain(`${UNEXPECTED} (#6 associatedToken.createIdempotent)`);
    expect(said(withAccounts(holding, 'associatedToken.createIdempotent', { payer: ATTACKER }))).toContain(
      UNEXPECTED,
    );
  });

  it('unwraps only where it is paid in SOL, and not needlessly', () => {
    const close = encodeInstruction('token.closeAccount', {
      accounts: { account: wrapped, destination: WALLET, owner: WALLET },
    });
    expect(said(plus(vault, close))).not.toContain(UNEXPECTED);
    const other = keyNamed('another mint').address;
    expect(said(plus(asked(vault, { quoteMint: other }), close))).toContain(UNEXPECTED);
    expect(said(without(position, 'token.closeAccount'))).not.toContain('unwrapping');
  });

  it('is named by a memo of fixed form where a sponsor pays, and may be where the wallet does', () => {
    const text = (words: string) => said(withArgs(position, 'memo.memo', { text: words }));
    expect(text(`claim x ${WSOL_MINT}`)).not.toContain('memo');
    expect(text(`claim ${'x'.repeat(20)} ${WSOL_MINT}`)).not.toContain('memo');
    for (const words of [
      `claim ${'x'.repeat(21)} ${WSOL_MINT}`,
      `claim  ${WSOL_MINT}`,
      `Claim x ${WSOL_MINT}`,
      `claim X ${WSOL_MINT}`,
      `and claim x ${WSOL_MINT}`,
      `claim x ${WSOL_MINT}!`,
      `claim x ${keyNamed('another mint').address}`,
      'claim x',
      '',
    ]) {
      expect(text(words), words).toContain('REQUEST_MISMATCH: bytes match the request: claim memo');
    }
    expect(said(without(position, 'memo.memo'))).toContain('claim memo (0 times; allowed 1 times)');
    const memo = (words: string) =>
      encodeInstruction('memo.memo', { accounts: {}, args: { text: words }, rest: [WALLET] });
    expect(said(plus(holding, memo(`claim holding ${WSOL_MINT}`)))).not.toContain('memo');
    expect(said(plus(position, memo(`claim position ${WSOL_MINT}`)))).toContain(UNEXPECTED);
    const signedBy = encodeInstruction('memo.memo', {
      accounts: {},
      args: { text: `claim holding ${WSOL_MINT}` },
      rest: [ATTACKER],
    });
    expect(said(plus(holding, signedBy))).toContain(UNEXPECTED);
  });

  it('counts what arrives without the fee of the transfer (T29)', () => {
    const { source, destination, authority } = instructionOf(position, 'token.transferChecked').accounts;
    const taxed = encodeInstruction('transferFee.transferCheckedWithFee', {
      accounts: {
        source: source.address,
        mint: WSOL_MINT,
        destination: associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_2022_PROGRAM),
        authority: authority.address,
      },
      args: { amount: 100n, decimals: 9, fee: 30n },
    });
    expect(decide(plus(position, taxed)).changes[0]?.in).toBe(`${8910047n + 70n}`);
    expect(destination.address).toBe(wrapped);
  });

  it('of a deployer is about whatever mint its bytes name', () => {
    expect(said(asked(deployer, { quoteMint: keyNamed('x').address }))).not.toContain('quote mint');
    const none = without(deployer, 'token.transferChecked');
    expect(said(none)).toContain('claim pays the wallet (0');
    expect(said(none)).not.toContain('token can be looked at');
  });

  it('comes in the format its plan names; bare ones in either of the older formats', () => {
    const plan = (format: 'legacy' | 'v0' | 'v1'): Facts => ({
      ...position,
      stage: { ...position.stage, format },
    });
    const asV1 = rewritten(plan('v1'), (list) => list, {
      format: 'v1',
      budget: [],
      config: { computeUnitLimit: 200_000, priorityFeeLamports: 0n },
    });
    expect(said(asV1)).not.toContain('FORMAT_MISMATCH');
    const legacy = (facts: Facts) =>
      rewritten({ ...facts, stage: { ...facts.stage, format: 'legacy' } }, (list) => list, {
        format: 'legacy',
      });
    expect(said(legacy(position))).toContain(
      'FORMAT_MISMATCH: format is the one that was asked for (legacy; allowed v0)',
    );
    expect(said(legacy(vault))).not.toContain('FORMAT_MISMATCH');
    expect(said(legacy(deployer))).not.toContain('FORMAT_MISMATCH');
    expect(said(legacy(holding))).toContain('FORMAT_MISMATCH');
  });
});

describe('a lookup table', () => {
  const setup = stage('custody table');
  const retired = stage('custody table retired');
  const closed = stage('custody table closed');
  const table = instructionOf(closed, 'lookupTable.close').accounts.table.address;
  /** A plan that is only about a table. */
  const alone = (facts: Facts, operation: Facts['plan']['operation'], more: Partial<Facts> = {}): Facts => {
    const bare = answered(asked(facts, { lookupTable: undefined }), { launch: undefined });
    return { ...bare, siblings: [], plan: { ...bare.plan, operation }, ...more };
  };

  it('is made and filled by a plan of its own as by a launch', () => {
    expect(said(alone(setup, 'lookup_table_setup'))).toMatch(/^allow/);
    expect(said(alone(setup, 'lookup_table_close'))).toContain(
      'stage belongs to the operation (lookup_table_setup)',
    );
  });

  it('is one table: the one the answer names, or whichever the stage begins with', () => {
    const other = keyNamed('another table').address;
    expect(said(answered(setup, { launch: { lookupTable: other } }))).toContain(
      'REQUEST_MISMATCH: bytes match the request: lookup table (',
    );
    const two = withAccounts(alone(setup, 'lookup_table_setup'), 'lookupTable.extend', { table: other });
    expect(said(two)).toContain('bytes match the request: lookup table (');
  });

  it('is set up with at least one address', () => {
    const none = [...instructionOfAll(setup)].reduce((facts) => without(facts, 'lookupTable.extend'), setup);
    expect(said(none)).toContain('table entries (0 times; allowed 1 times)');
  });

  it.each([
    ['retired', retired, 'lookup_table_deactivate'],
    ['closed', closed, 'lookup_table_close'],
  ] as const)('may be %s alone when the chain shows it, and it is not another', (_, facts, operation) => {
    const onChain = { accounts: [lookupTable(table, WALLET)] };
    expect(said(alone(facts, operation, onChain))).not.toContain('lookup table');
    expect(said(alone(facts, operation, { accounts: [] }))).toContain(
      'bytes match the request: lookup table (',
    );
    const elsewhere = { accounts: [{ ...lookupTable(table, WALLET), owner: SYSTEM_PROGRAM }] };
    expect(said(alone(facts, operation, elsewhere))).toContain('lookup table (');
    const named = asked(alone(facts, operation, onChain), { lookupTable: keyNamed('another table').address });
    expect(said(named)).toContain('lookup table (');
    expect(said(asked(alone(facts, operation, onChain), { lookupTable: table }))).not.toContain(
      'lookup table',
    );
    expect(LOOKUP_TABLE_PROGRAM).toMatch(/^AddressLookup/);
  });

  it('closed by our authority pays its rent to the wallet', () => {
    const away = withAccounts(closed, 'lookupTable.close', { recipient: ATTACKER });
    expect(said(away)).toContain(
      'UNDECLARED_LOSS: bytes match the request: who gets the rent (ATTACKER; allowed WALLET)',
    );
    const theirs = withAccounts(closed, 'lookupTable.close', { authority: ATTACKER });
    expect(said(theirs)).toContain(`${UNEXPECTED} (#2 lookupTable.close)`);
  });

  function* instructionOfAll(facts: Facts) {
    for (let i = 0; ; i++) {
      try {
        yield instructionOf(facts, 'lookupTable.extend', i);
      } catch {
        return;
      }
    }
  }
});
