/**
 * Changes around the bytes of a recorded stage: accounts on the chain, other stages of the plan and their status, and
 * appended instructions.
 */
import { DecodedStage } from '../../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../../src/plan/types.ts';
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import type { AccountFact } from '../../../src/rpc/types.ts';
import { addressBytes, isAddress } from '../../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../../src/transaction/programs.ts';
import { plus } from './edits.ts';
import { ATTACKER, WALLET } from './stages.ts';
import { type Change, shortened } from './sweep.ts';

/** Offsets of mint, owner and state in a token account. */
const [MINT, OWNER, STATE] = [0, 32, 108];
const TOKEN_ACCOUNT_BYTES = 165;

export const withBytes = (account: AccountFact, at: number, bytes: Uint8Array): AccountFact => {
  const data = Buffer.from(account.data, 'base64');
  data.set(bytes, at);
  return { ...account, data: data.toString('base64') };
};

export const isTokenAccount = ({ exists, owner, data }: AccountFact): boolean =>
  exists && TOKEN_PROGRAMS.includes(owner) && Buffer.from(data, 'base64').length >= TOKEN_ACCOUNT_BYTES;

/** Removes each account of the chain, or gives it to another owner. */
export const changedAccounts = (seen: DecisionInputs): Change[] =>
  seen.accounts.flatMap((account) => {
    const put = (label: string, changed: AccountFact): Change => ({
      label: `account ${shortened(account.address)} ${label}`,
      inputs: () => ({ ...seen, accounts: seen.accounts.map((each) => (each === account ? changed : each)) }),
    });
    if (!account.exists) {
      const made = { ...account, exists: true, lamports: '1', owner: SYSTEM_PROGRAM, data: '' };
      return [
        put('is there', made),
        put('is there, of another program', { ...made, owner: ATTACKER, data: 'AA==' }),
      ];
    }
    const gone = { ...account, exists: false, lamports: '0', owner: SYSTEM_PROGRAM, data: '' };
    return [
      put('is missing', gone),
      put('is of another program', { ...account, owner: ATTACKER }),
      put('is empty', { ...account, data: '' }),
      ...(isTokenAccount(account)
        ? [
            put('is of another token', withBytes(account, MINT, addressBytes(ATTACKER))),
            put('is owned by ATTACKER', withBytes(account, OWNER, addressBytes(ATTACKER))),
            put('is owned by WALLET', withBytes(account, OWNER, addressBytes(WALLET))),
            put('is frozen', withBytes(account, STATE, Uint8Array.of(2))),
          ]
        : []),
    ];
  });

const STATUSES: readonly StageStatus[] = [
  'waiting',
  'ready',
  'signed',
  'sent',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
  'skipped',
];

/** The other stages of the plan with every status, and a second stage with the same bytes. */
export function changedRun(seen: DecisionInputs): Change[] {
  const { stage, siblings } = seen;
  const others = siblings.filter((each) => each.stage.id !== stage.id);
  const copy = { ...stage, id: 'again' };
  const put = (label: string, change: Partial<DecisionInputs>): Change => ({
    label,
    inputs: () => ({ ...seen, ...change }),
  });
  const as = (id: string, status: StageStatus) =>
    siblings.map((each) => (each.stage.id === id ? { ...each, status } : each));
  const holding = (id: string, transaction: DecodedStage) =>
    siblings.map((each) =>
      each.stage.id === id ? { ...each, stage: { ...each.stage, transaction } } : each,
    );
  return [
    ...STATUSES.flatMap((status) => [
      put(`again, ${status}`, { siblings: [...siblings, { stage: copy, status }] }),
      ...others.map((each) => put(`${each.stage.id}, ${status}`, { siblings: as(each.stage.id, status) })),
    ]),
    ...others.flatMap(({ stage: { id, transaction } }) => [
      put(`${id}, gone`, { siblings: siblings.filter((each) => each.stage.id !== id) }),
      put(`${id}, with the bytes of this stage`, { siblings: holding(id, stage.transaction) }),
      put(`${id}, not to be read`, { siblings: holding(id, new DecodedStage('AAAA')) }),
      put(`${id}, its bytes in this stage`, { stage: { ...stage, transaction, declared: {} } }),
      put(`${id}, landed in an earlier build`, {
        earlierStages: [transaction],
        siblings: siblings.filter((each) => each.stage.id !== id),
      }),
    ]),
    put('earlier, the same landed', { earlierStages: [stage.transaction] }),
    put('earlier, not to be read', { earlierStages: [new DecodedStage('AAAA')] }),
    put('alone', { siblings: siblings.filter((each) => each.stage.id === stage.id) }),
  ];
}

const OTHER_MINT = ATTACKER;

/** Instructions after the honest ones, alone or in related groups. */
export function addedInstructions(seen: DecisionInputs): Change[] {
  const { request } = seen.plan;
  const stored = { ...seen.quote?.request };
  const named = ['baseMint', 'tokenMint', 'quoteMint', 'inputMint', 'outputMint'].flatMap((name) => {
    const value = request[name] ?? stored[name];
    return typeof value === 'string' && isAddress(value) ? [[name, value] as const] : [];
  });
  const mints = new Map<string, string>([...named.map(([name, mint]) => [mint, name] as const)]);
  mints.set(WSOL_MINT, 'wrapped SOL');
  mints.set(OTHER_MINT, 'another token');
  const payers = [...new Set([WALLET, ATTACKER])];
  const programOf = (mint: string) =>
    seen.accounts.find(({ address, exists }) => address === mint && exists)?.owner === TOKEN_2022_PROGRAM
      ? TOKEN_2022_PROGRAM
      : TOKEN_PROGRAM;
  const opens = (payer: string, owner: string, mint: string) =>
    encodeInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer,
        associatedToken: associatedTokenAddress(owner, mint, programOf(mint)),
        owner,
        mint,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram: programOf(mint),
      },
    });
  const pays = (from: string, to: string, lamports: bigint) =>
    encodeInstruction('system.transfer', { accounts: { from, to }, args: { lamports } });
  const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
  const counts = encodeInstruction('token.syncNative', { accounts: { account: wrapped } });
  const closes = (account: string, destination: string, owner: string) =>
    encodeInstruction('token.closeAccount', { accounts: { account, destination, owner } });
  const moves = (source: string, mint: string, amount: bigint) =>
    encodeInstruction('token.transfer', {
      accounts: {
        source,
        destination: associatedTokenAddress(ATTACKER, mint, TOKEN_PROGRAM),
        authority: WALLET,
      },
      args: { amount },
    });
  const add = (label: string, ...more: readonly EncodedInstruction[]): Change => ({
    label: `added ${shortened(label)}`,
    inputs: () => plus(seen, ...more),
  });
  const tip = typeof request.tipWallet === 'string' ? request.tipWallet : undefined;
  const to = [ATTACKER, ...(tip === undefined ? [] : [tip])];
  return [
    ...[...mints].flatMap(([mint, name]) => [
      ...payers.flatMap((payer) =>
        [WALLET, ATTACKER].map((owner) =>
          add(`account of ${name} for ${owner}, paid by ${payer}`, opens(payer, owner, mint)),
        ),
      ),
      ...(mint === OTHER_MINT ? [] : [2, 5, 6, 7]).map((times) =>
        add(
          `account of ${name} for WALLET ${times} times`,
          ...Array.from({ length: times }, () => opens(WALLET, WALLET, mint)),
        ),
      ),
      ...[WALLET, ATTACKER].map((receiver) =>
        add(
          `end of the account of ${name}, to ${receiver}`,
          closes(associatedTokenAddress(WALLET, mint, TOKEN_PROGRAM), receiver, WALLET),
        ),
      ),
      add(
        `end of an account of ${name} of ATTACKER`,
        closes(associatedTokenAddress(ATTACKER, mint, TOKEN_PROGRAM), ATTACKER, ATTACKER),
      ),
      add(`1 of ${name} to ATTACKER`, moves(associatedTokenAddress(WALLET, mint, TOKEN_PROGRAM), mint, 1n)),
    ]),
    ...[1n, 5_000n, 5_001n, 1_000_000n].flatMap((lamports) =>
      to.map((each) => add(`${lamports} lamports to ${each}`, pays(WALLET, each, lamports))),
    ),
    add('1 lamport from ATTACKER', pays(ATTACKER, WALLET, 1n)),
    add('1 lamport from ATTACKER to itself', pays(ATTACKER, ATTACKER, 1n)),
    ...[0n, 1n, 1_000n, 1_001n, 1_000_000_000n].map((lamports) =>
      add(`wrapping of ${lamports} lamports`, pays(WALLET, wrapped, lamports), counts),
    ),
    add('wrapping by ATTACKER', pays(ATTACKER, wrapped, 1n), counts),
    ...[1, 2, 3, 4, 5].map((times) =>
      add(`count of wrapped SOL ${times} times`, ...Array.from({ length: times }, () => counts)),
    ),
    ...[1, 2, 3].map((times) =>
      add(
        `unwrapping ${times} times`,
        ...Array.from({ length: times }, () => closes(wrapped, WALLET, WALLET)),
      ),
    ),
    add('unwrapping by ATTACKER', closes(wrapped, WALLET, ATTACKER)),
    ...temporary(
      seen,
      [...mints.keys()].filter((mint) => mint !== WSOL_MINT),
      add,
    ),
    add('words', encodeInstruction('memo.memo', { accounts: {}, args: { text: 'words' } })),
  ];
}

/** A wrapped SOL account created with its lamports, filled and closed again. */
function temporary(
  seen: DecisionInputs,
  tokens: readonly string[],
  add: (label: string, ...more: readonly EncodedInstruction[]) => Change,
): Change[] {
  const { lamportsPerByteYearTimesExemption: each, overheadBytes } = seen.rent;
  const rent = BigInt(each) * BigInt(overheadBytes + TOKEN_ACCOUNT_BYTES);
  const account = ATTACKER;
  const made = (lamports: bigint, payer = WALLET, owner = TOKEN_PROGRAM) =>
    encodeInstruction('system.createAccount', {
      accounts: { payer, newAccount: account },
      args: { lamports, space: BigInt(TOKEN_ACCOUNT_BYTES), owner },
    });
  const begun = (owner: string, mint = WSOL_MINT) =>
    encodeInstruction('token.initializeAccount3', { accounts: { account, mint }, args: { owner } });
  const closed = (destination: string) =>
    encodeInstruction('token.closeAccount', { accounts: { account, destination, owner: WALLET } });
  return [
    ...[0n, 1n, 1_000n, 1_001n, 100_000_000n].map((more) =>
      add(
        `temporary account with rent and ${more} lamports`,
        made(rent + more),
        begun(WALLET),
        closed(WALLET),
      ),
    ),
    add('temporary account that stays', made(rent), begun(WALLET)),
    add('temporary account of ATTACKER', made(rent), begun(ATTACKER), closed(WALLET)),
    ...tokens.map((mint) =>
      add(`temporary account of ${mint}`, made(rent), begun(WALLET, mint), closed(WALLET)),
    ),
    add('temporary account that is not begun', made(rent), closed(WALLET)),
    add('temporary account that ends with ATTACKER', made(rent), begun(WALLET), closed(ATTACKER)),
    add('temporary account of another program', made(rent, WALLET, ATTACKER), begun(WALLET), closed(WALLET)),
    add('temporary account paid by ATTACKER', made(rent, ATTACKER), begun(WALLET), closed(WALLET)),
  ];
}
