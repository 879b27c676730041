/**
 * Transactions from public repositories (`recorded.jsonl.br`: source, bytes, and for 8 of them lookup table entries
 * that only one address fits, or the token program), and the reading of every instruction.
 */
import { describe, expect, test } from 'vitest';
import { guardsFor } from '../../src/guards/guards.ts';
import { actsOf, type Reading, readInstruction } from '../../src/programs/read.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { appendInstructions } from '../../src/transaction/append.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAMS,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS,
} from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { countLines, outcomeOf, readRecorded, recordings, tablesOf } from './corpus.ts';

const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const STOCK: readonly string[] = [
  ...[SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, LOOKUP_TABLE_PROGRAM],
  ...[...TOKEN_PROGRAMS, ...MEMO_PROGRAMS],
];

const all = recordings('test/reality/recorded.jsonl.br');
const reads = all.map(readRecorded);
const readings: readonly Reading[] = reads.flatMap((each) =>
  'instructions' in each ? each.instructions.map(({ reading }) => reading) : [],
);
const of = (...programs: readonly string[]) => readings.filter(({ program }) => programs.includes(program));

test('all transactions but two are canonical, and no reader throws on any of their instructions', () => {
  expect(all.length).toBeGreaterThanOrEqual(222);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  // One exceeds the network's size limit, the other loads a table entry twice.
  expect(reads.filter((each) => 'refused' in each).map(({ id }) => id)).toEqual([
    'm-c4d8264397d00432b85f14a119d537b5d189ef9e',
    'm-4a32efcb09012a4f9a6436f1706ba8501166945d',
  ]);
  expect(readings.length).toBeGreaterThan(790);
});

describe('stock programs', () => {
  test('every instruction is decoded, except five with too few or too many bytes or accounts', () => {
    const unsupported = of(...STOCK).filter((reading) => outcomeOf(reading) !== 'read');
    expect(
      unsupported.map((each) => (each.status === 'unsupported' ? each.kind : each.status)).sort(),
    ).toEqual([
      'computeBudget.setComputeUnitLimit',
      'computeBudget.setComputeUnitPrice',
      'system.createAccountWithSeed',
      'token.closeAccount',
      'token.initializeAccount',
    ]);
  });

  test('an additional read-only, unsigned account leaves an instruction decoded; others do not', () => {
    const withMore = of(SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM).filter(
      (each) => each.status === 'read' && each.instruction.rest.length > 0,
    );
    expect(withMore.length).toBeGreaterThanOrEqual(8);
    for (const { index, program, accounts, data } of withMore) {
      for (const change of [{ writable: true }, { signer: true }]) {
        const changed = accounts.map((each, i) =>
          i === accounts.length - 1 ? { ...each, ...change } : each,
        );
        expect(outcomeOf(readInstruction({ index, program, accounts: changed, data }))).toBe('misfit');
      }
    }
  });
});

describe('Jupiter', () => {
  const calls = of(JUPITER);

  test('nine of ten calls are decoded, of four kinds', () => {
    expect(calls.length).toBeGreaterThanOrEqual(21);
    const read = calls.flatMap((each) => (each.status === 'read' ? [each.instruction.kind] : []));
    expect(read.length / calls.length).toBeGreaterThanOrEqual(0.9);
    expect(new Set(read).size).toBe(4);
  });

  test('amounts behind the route steps are the last bytes of calls built by wallets and the service', () => {
    for (const reading of calls) {
      if (reading.status !== 'read') continue;
      const data = Buffer.from(reading.data);
      const [amounts, rates] = [data.length - 19, data.length - 3];
      const [first, second] = [data.readBigUInt64LE(amounts), data.readBigUInt64LE(amounts + 8)];
      const slippage = BigInt(data.readUInt16LE(rates));
      const isOut = /exactOut/i.test(reading.instruction.kind);
      const [act] = actsOf(reading, NO_VIEW);
      expect(act).toMatchObject({
        act: 'swap',
        maxIn: isOut ? (second * (10_000n + slippage) + 9_999n) / 10_000n : first,
        minOut: isOut ? first : (second * (10_000n - slippage)) / 10_000n,
        feesBps: { platform: data.readUInt8(rates + 2) },
      });
    }
  });

  test('guards fit all swaps with one signer, with 110 bytes more at most, whatever program is added', () => {
    const grown = all.flatMap((recorded) => {
      const read = readRecorded(recorded);
      if ('refused' in read) return [];
      const calls = read.instructions.flatMap(({ reading }) => (reading.status === 'read' ? [reading] : []));
      const closed = calls.flatMap(({ instruction: { kind, accounts } }) =>
        kind === 'token.closeAccount' ? [accounts.account.address] : [],
      );
      const acts = calls.flatMap((each) => (each.program === JUPITER ? actsOf(each, NO_VIEW) : []));
      const bytes = Buffer.from(recorded.wire, 'base64');
      if (acts.length === 0 || bytes[0] !== 1) return [];
      const swap = readTransaction(bytes.fill(0, 1, 65));
      const loaded = accountList(swap, tablesOf(recorded, swap));
      const [wallet = ''] = swap.staticAccounts;
      const buckets = acts.flatMap((act) =>
        act.act === 'swap'
          ? [act.source, act.destination].flatMap(({ account }) =>
              closed.includes(account)
                ? []
                : {
                    ...{ account, mint: '', program: TOKEN_PROGRAM, opening: 1n },
                    ...{ isFree: true, isAssociated: true, canTransfer: true, excess: 0n, isNative: false },
                  },
            )
          : [],
      );
      const least = new Map(buckets.map(({ account }) => [account, 1n]));
      // Without the System program among the accounts, no SOL leaves the wallet.
      const kept = loaded.some(({ address }) => address === SYSTEM_PROGRAM) ? 0n : 1n;
      const guards = guardsFor({ buckets, least, sol: 1n, kept }, wallet);
      const longer = appendInstructions(swap, loaded, guards);
      return [(longer?.bytes.length ?? Number.POSITIVE_INFINITY) - bytes.length];
    });
    expect(grown.length).toBeGreaterThanOrEqual(21);
    expect(Math.max(...grown)).toBeLessThanOrEqual(110);
  });
});

test('the fee share config built by the live service gives everything to one claimer', () => {
  const [config] = of('FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK');
  expect(config).toBeDefined();
  if (config === undefined) return;
  expect(actsOf(config, NO_VIEW)).toMatchObject([{ act: 'createConfig', claimers: [{ bps: 10_000 }] }]);
});

test('counts are by program and instruction', () => {
  const lines = countLines(reads);
  expect(lines.find((line) => line.startsWith('Jupiter v6 route:'))).toMatch(
    /read 11, unsupported 0, misfit 0/,
  );
  expect(lines.length).toBeGreaterThan(50);
});
