/** Upper bounds of the amounts a transaction spends, for one instruction added to a config (T14, T15, T18). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import {
  type EncodedInstruction,
  type EncodeInput,
  encodeInstruction,
  type InstructionKind,
} from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { account, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { plus } from './recorded/edits.ts';
import { ATTACKER, decide, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const config = stage('config v1');
const accomplice = keyNamed('accomplice').address;
const token = keyNamed('a token').address;
const thing = keyNamed('some account').address;
const RENT_PER_BYTE = 6_960n;
const rent = (bytes: bigint) => RENT_PER_BYTE * (128n + bytes);

const outOf = (inputs: DecisionInputs): Map<string, bigint> =>
  new Map(decide(inputs).changes.map(({ asset, out }) => [asset, BigInt(out)]));
const before = outOf(config);

/** Returns the spending an instruction adds, by asset; signatures of others have their own fee. */
function adds(instruction: EncodedInstruction, inputs: DecisionInputs = config): Record<string, bigint> {
  const changed = plus(inputs, instruction);
  const honest = outOf(rewritten(inputs, (list) => list));
  const fees = BigInt(decide(changed).feeLamports) - BigInt(decide(inputs).feeLamports);
  const added: Record<string, bigint> = {};
  for (const [asset, out] of outOf(changed)) {
    const more = out - (honest.get(asset) ?? 0n) - (asset === 'SOL' ? fees : 0n);
    if (more !== 0n) added[asset] = more;
  }
  return added;
}
const make =
  <K extends InstructionKind>(kind: K, input: (owner: string) => EncodeInput<K>) =>
  (owner: string) =>
    encodeInstruction(kind, input(owner));

describe('SOL', () => {
  const create = (tokenProgram: string) =>
    make('associatedToken.createIdempotent', (payer) => ({
      accounts: {
        payer,
        associatedToken: thing,
        owner: ATTACKER,
        mint: token,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram,
      },
    }));
  it.each<[string, bigint, (owner: string) => EncodedInstruction]>([
    [
      'a transfer',
      7n,
      make('system.transfer', (from) => ({ accounts: { from, to: ATTACKER }, args: { lamports: 7n } })),
    ],
    [
      'a transfer with a seed',
      7n,
      make('system.transferWithSeed', (base) => ({
        accounts: { from: thing, base, to: ATTACKER },
        args: { lamports: 7n, seed: 's', fromOwner: SYSTEM_PROGRAM },
      })),
    ],
    [
      'a new account',
      7n,
      make('system.createAccount', (payer) => ({
        accounts: { payer, newAccount: ATTACKER },
        args: { lamports: 7n, space: 0n, owner: SYSTEM_PROGRAM },
      })),
    ],
    [
      'a new account with a seed',
      7n,
      make('system.createAccountWithSeed', (payer) => ({
        accounts: { payer, newAccount: thing },
        args: { lamports: 7n, space: 0n, owner: SYSTEM_PROGRAM, seed: 's', base: payer },
      })),
    ],
    ['a token account', rent(165n), create(TOKEN_PROGRAM)],
    ['a token account of Token-2022', rent(182n), create(TOKEN_2022_PROGRAM)],
    [
      'a token account, made anew',
      rent(165n),
      make('associatedToken.create', (payer) => ({
        accounts: {
          payer,
          associatedToken: thing,
          owner: ATTACKER,
          mint: token,
          systemProgram: SYSTEM_PROGRAM,
          tokenProgram: TOKEN_PROGRAM,
        },
      })),
    ],
    [
      'a lookup table',
      rent(56n),
      make('lookupTable.create', (payer) => ({
        accounts: { table: thing, authority: ATTACKER, payer, systemProgram: SYSTEM_PROGRAM },
        args: { recentSlot: 1n, bump: 255 },
      })),
    ],
    [
      'two more table entries',
      64n * RENT_PER_BYTE,
      make('lookupTable.extend', (payer) => ({
        accounts: { table: thing, authority: ATTACKER, payer, systemProgram: SYSTEM_PROGRAM },
        args: { addresses: [thing, token] },
      })),
    ],
  ])('leaves for %s if the wallet pays, and not if another wallet pays', (_, lamports, instruction) => {
    expect(adds(instruction(WALLET))).toEqual({ SOL: lamports });
    expect(adds(instruction(accomplice))).toEqual({});
  });

  it('does not leave for table entries without cost', () => {
    const extend = encodeInstruction('lookupTable.extend', {
      accounts: { table: thing, authority: ATTACKER },
      args: { addresses: [token] },
    });
    expect(adds(extend)).toEqual({});
  });

  it('does not leave for another wallet of ours, or our own wrapped account (T18)', () => {
    const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const to = (address: string) => systemTransfer(WALLET, address, 7n);
    expect(adds(to(wrapped))).toEqual({});
    expect(adds(to(accomplice), { ...config, ourWallets: [WALLET, accomplice] })).toEqual({});
    expect(adds(to(thing))).toEqual({ SOL: 7n });
  });

  it('is the fee if the wallet pays it', () => {
    const claim = stage('position claim');
    // Rent the service pays for an account of the wallet is not a receipt of the claim.
    expect(decide(claim).changes).toEqual([{ asset: 'SOL', out: '0', in: `${5_903_299 - 2_039_280}` }]);
    expect(BigInt(decide(claim).feeLamports)).toBeGreaterThan(0n);
    expect(before.get('SOL')).toBeGreaterThan(BigInt(decide(config).feeLamports));
  });
});

describe('tokens', () => {
  const held = tokenAccount(thing, { mint: token, owner: WALLET, amount: 100n });
  const foreign = tokenAccount(accomplice, { mint: token, owner: ATTACKER, amount: 100n });
  const other = tokenAccount(keyNamed('own too').address, { mint: token, owner: WALLET });
  const inputs: DecisionInputs = { ...config, accounts: [...config.accounts, held, foreign, other] };
  const checked = (source: string, destination: string, authority = WALLET) =>
    encodeInstruction('token.transferChecked', {
      accounts: { source, mint: token, destination, authority },
      args: { amount: 7n, decimals: 6 },
    });

  it('leave an account that is ours on chain for one that is not', () => {
    expect(adds(checked(thing, accomplice), inputs)).toEqual({ [token]: 7n });
    expect(adds(checked(thing, other.address), inputs)).toEqual({});
    expect(adds(checked(accomplice, thing), inputs)).toEqual({});
    // Our wallet as delegate does not make an account ours.
    expect(adds(checked(accomplice, ATTACKER), inputs)).toEqual({});
    expect(adds(checked(thing, ATTACKER, keyNamed('accomplice').address), inputs)).toEqual({ [token]: 7n });
  });

  it('leave an account unknown on chain if it is ours by its address, or our wallet moves them', () => {
    const associated = associatedTokenAddress(WALLET, token, TOKEN_PROGRAM);
    const unseen = keyNamed('unseen').address;
    expect(adds(checked(associated, ATTACKER, accomplice), inputs)).toEqual({ [token]: 7n });
    expect(adds(checked(unseen, ATTACKER), inputs)).toEqual({ [token]: 7n });
    expect(adds(checked(unseen, ATTACKER, accomplice), inputs)).toEqual({});
    // Existing accounts at that address that are not ours, or not of this token.
    const at = (fact: AccountFact) => ({ ...inputs, accounts: [...inputs.accounts, fact] });
    expect(adds(checked(associated, ATTACKER, accomplice), at(account(associated)))).toEqual({});
    const theirs = tokenAccount(associated, { mint: token, owner: ATTACKER });
    expect(adds(checked(associated, ATTACKER, accomplice), at(theirs))).toEqual({});
    expect(adds(checked(thing, associated), at(missing(associated)))).toEqual({});
    expect(adds(checked(thing, associated), at(account(associated)))).toEqual({ [token]: 7n });
    const ofOther = tokenAccount(associated, { mint: WSOL_MINT, owner: WALLET });
    expect(adds(checked(thing, associated), at(ofOther))).toEqual({ [token]: 7n });
  });

  it('leave together with their fee', () => {
    const withFee = encodeInstruction('transferFee.transferCheckedWithFee', {
      accounts: { source: thing, mint: token, destination: ATTACKER, authority: WALLET },
      args: { amount: 7n, decimals: 6, fee: 1n },
    });
    expect(adds(withFee, inputs)).toEqual({ [token]: 7n });
  });

  it('leave by the legacy transfer and by burning', () => {
    const plain = (source: string) =>
      encodeInstruction('token.transfer', {
        accounts: { source, destination: ATTACKER, authority: WALLET },
        args: { amount: 7n },
      });
    expect(adds(plain(thing), inputs)).toEqual({ [token]: 7n });
    expect(adds(plain(accomplice), inputs)).toEqual({});
    expect(adds(plain(keyNamed('unseen').address), inputs)).toEqual({});
    for (const authority of [WALLET, accomplice]) {
      const accounts = { account: thing, mint: token, authority };
      const added = authority === WALLET ? { [token]: 7n } : {};
      expect(adds(encodeInstruction('token.burn', { accounts, args: { amount: 7n } }), inputs)).toEqual(
        added,
      );
      const args = { amount: 7n, decimals: 6 };
      expect(adds(encodeInstruction('token.burnChecked', { accounts, args }), inputs)).toEqual(added);
    }
  });

  it('leave an account that the transaction closed before', () => {
    const close = encodeInstruction('token.closeAccount', {
      accounts: { account: thing, destination: WALLET, owner: WALLET },
    });
    const transfer = encodeInstruction('token.transfer', {
      accounts: { source: thing, destination: ATTACKER, authority: WALLET },
      args: { amount: 7n },
    });
    expect(adds(transfer, plus(inputs, close))).toEqual({ [token]: 7n });
  });

  it('that are wrapped SOL leave as SOL', () => {
    const wrapped = {
      ...inputs,
      accounts: [...config.accounts, tokenAccount(thing, { mint: WSOL_MINT, owner: WALLET })],
    };
    const sol = encodeInstruction('token.transferChecked', {
      accounts: { source: thing, mint: WSOL_MINT, destination: ATTACKER, authority: WALLET },
      args: { amount: 7n, decimals: 9 },
    });
    expect(adds(sol, wrapped)).toEqual({ SOL: 7n });
  });
});

it('outflows are counted for every wallet of the policy', () => {
  const policy = policyWith((file) => ({
    wallets: [...file.wallets, { label: 'two', address: accomplice }],
  }));
  const transfer = systemTransfer(accomplice, ATTACKER, 7_000_000_000n);
  const out = decide(plus(config, transfer), policy).changes.find(({ asset }) => asset === 'SOL')?.out;
  expect(BigInt(out ?? '0')).toBeGreaterThan(7_000_000_000n);
});

describe('the deposit of an own account created and closed in one transaction', () => {
  const swap = stage('swap of SOL');
  const opens = (instruction: EncodedInstruction, mint: string) =>
    instruction.programAddress === ASSOCIATED_TOKEN_PROGRAM &&
    instruction.accounts.some(({ address }) => address === mint);
  const closes = ({ programAddress, data }: EncodedInstruction) =>
    programAddress === TOKEN_PROGRAM && data[0] === 9;
  const solOf = (inputs: DecisionInputs) => outOf(inputs).get('SOL') ?? 0n;
  const honest = solOf(rewritten(swap, (list) => list));

  it('is not counted: a swap of SOL takes its input, the fee, and one deposit for the bought token', () => {
    const fee = BigInt(decide(swap).feeLamports);
    expect(honest).toBe(500_000_000n + fee + rent(165n));
  });

  it('is counted if the account is closed to another wallet, or not closed', () => {
    const withoutClose = rewritten(swap, (list) => list.filter((each) => !closes(each)));
    expect(solOf(withoutClose)).toBe(honest + rent(165n));
    const toAttacker = rewritten(swap, (list) =>
      list.map((each) =>
        closes(each)
          ? {
              ...each,
              accounts: each.accounts.map((use, at) =>
                at === 1 ? { address: ATTACKER, signer: false, writable: true } : use,
              ),
            }
          : each,
      ),
    );
    expect(solOf(toAttacker)).toBe(honest + rent(165n));
    expect(decide(toAttacker).effect).toBe('deny');
  });

  it('is counted if another key closes the account', () => {
    const closed = rewritten(swap, (list) =>
      list.map((each) =>
        closes(each)
          ? {
              ...each,
              accounts: each.accounts.map((use, at) => (at === 2 ? { ...use, address: accomplice } : use)),
            }
          : each,
      ),
    );
    // The signature of the other key has its own fee.
    const fees = BigInt(decide(closed).feeLamports) - BigInt(decide(swap).feeLamports);
    expect(solOf(closed)).toBe(honest + fees + rent(165n));
  });

  it('is counted if the account is created after it was closed', () => {
    const again = rewritten(swap, (list) => [...list, ...list.filter((each) => opens(each, WSOL_MINT))]);
    expect(solOf(again)).toBe(honest + rent(165n));
  });
});
