/**
 * Attacks of docs/safety.md on instructions, cost, signers and payer. Each is an honest recorded stage with one
 * change and every co-signature renewed; hostile.test.ts runs them against a real chain.
 */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs, ReasonCode } from '../../src/policy/decide/types.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { accomplice, append, attacker, expectDenied, type Tamper, transfer } from './recorded/attacking.ts';
import { decide, type MessageParts, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const raw = (programAddress: string, data: readonly number[], accounts: EncodedInstruction['accounts']) => ({
  programAddress,
  accounts,
  data: Uint8Array.from(data),
});
const signer = (address: string) => ({ address, signer: true, writable: true });
const plain = (address: string) => ({ address, signer: false, writable: true });
const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255];

const config = stage('plain config');
const v1 = stage('config v1');
const decided = (tamper: Tamper, parts: MessageParts = {}, inputs: DecisionInputs = config): Decision =>
  decide(rewritten(inputs, tamper, parts));

describe('an instruction appended to a valid config plan is refused', () => {
  const wallet = () => WALLET;
  const ownAta = () => associatedTokenAddress(wallet(), WSOL_MINT, TOKEN_PROGRAM);
  const cases: readonly [string, ReasonCode, () => readonly EncodedInstruction[]][] = [
    [
      'T6 a stake instruction',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(STAKE_PROGRAM, u32(1), [plain(attacker.address), signer(wallet())])],
    ],
    [
      'T10 a token instruction that is not known',
      'INSTRUCTION_UNKNOWN',
      () => [raw(TOKEN_PROGRAM, [255, 1, 1, 9], [plain(ownAta()), signer(wallet())])],
    ],
    [
      'T48 the wallet made to sign a memo',
      'UNEXPECTED_INSTRUCTION',
      () => [encodeInstruction('memo.memo', { accounts: {}, args: { text: 'I agree' }, rest: [wallet()] })],
    ],
  ];
  it.each(cases)('%s', (_name, code, instructions) => {
    expectDenied(decided(append(...instructions()), {}, v1), code);
  });

  it("T14 an attacker's account funded by the wallet", () => {
    const funding = encodeInstruction('system.createAccount', {
      accounts: { payer: WALLET, newAccount: attacker.address },
      args: { lamports: 5_000_000_000n, space: 0n, owner: SYSTEM_PROGRAM },
    });
    const decision = decided(append(funding));
    expectDenied(decision, 'UNEXPECTED_INSTRUCTION');
    expect(BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0')).toBeGreaterThan(
      5_000_000_000n,
    );
  });
});

const same: Tamper = (list) => list;
const withoutTip: Tamper = (list) => list.filter((each) => each.programAddress !== SYSTEM_PROGRAM);

const withTip = stage('config v0');

describe('the cost of a config plan cannot be raised', () => {
  it('T14 by funding the config account above its rent', () => {
    const account = feeShareConfigAddress(String(config.plan.request.baseMint));
    expectDenied(decided(append(transfer(WALLET, account, 3_000_000_000n))), 'UNEXPECTED_INSTRUCTION');
  });

  it('T21 by the price of compute units', () => {
    const budget = [
      encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units: 400_000 } }),
      encodeInstruction('computeBudget.setComputeUnitPrice', {
        accounts: {},
        args: { microLamports: 1_000_000_000n },
      }),
    ];
    expectDenied(decided(same, { budget }), 'FEE_OVER');
  });

  it('T22 by the fee a v1 message carries in its config', () => {
    expect(decided(same, {}, v1).effect).toBe('allow');
    const dear = { config: { computeUnitLimit: 400_000, priorityFeeLamports: 500_000_000n } };
    expectDenied(decided(same, dear, v1), 'FEE_OVER');
  });

  it('T23 by a larger tip, or a tip to another wallet', () => {
    const tip = keyNamed('tip').address;
    const paying = (to: string, lamports: bigint) =>
      decided((list) => [...withoutTip(list), transfer(WALLET, to, lamports)], {}, withTip);
    expect(paying(tip, 1_000_000n).effect).toBe('allow');
    for (const dear of [paying(tip, 9_000_000n), paying(attacker.address, 1_000_000n)]) {
      expect(dear).toMatchObject({ effect: 'deny', class: 'security' });
      expect(dear.reasonCodes).toContain('REQUEST_MISMATCH');
    }
  });
});

describe('signers and payer cannot be changed', () => {
  it('T32 by a leading durable nonce', () => {
    const advance = encodeInstruction('system.advanceNonceAccount', {
      accounts: {
        nonce: accomplice.address,
        recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
        authority: WALLET,
      },
    });
    expectDenied(decided(same, { first: [advance] }), 'DURABLE_NONCE');
  });

  it('T46 by requiring a signature of our second wallet', () => {
    const second = keyNamed('second wallet');
    const policy = policyWith((file) => ({
      wallets: [...file.wallets, { label: 'second', address: second.address }],
    }));
    const changed = rewritten(config, append(transfer(second.address, attacker.address, 1n)));
    expectDenied(decide(changed, policy), 'SIGNERS_MISMATCH');
  });

  it('T47 by letting another wallet pay', () => {
    const unsigned = keyNamed('a key that does not sign').address;
    expectDenied(decided(same, { feePayer: unsigned }), 'FEE_PAYER_MISMATCH');
    const second = keyNamed('second wallet');
    const policy = policyWith((file) => ({
      wallets: [...file.wallets, { label: 'second', address: second.address }],
    }));
    expectDenied(decide(rewritten(config, same, { feePayer: second.address }), policy), 'FEE_PAYER_MISMATCH');
  });

  it('T50 by a format other than the requested one', () => {
    const fees = { computeUnitLimit: 400_000, priorityFeeLamports: 500n };
    expectDenied(decided(same, { format: 'v1', budget: [], config: fees }), 'FORMAT_MISMATCH');
    expectDenied(decided(same, { format: 'legacy' }), 'FORMAT_MISMATCH');
    const changedPlan = { ...config.plan, request: { ...config.plan.request, transactionFormat: 'v1' } };
    expectDenied(decided(same, {}, { ...config, plan: changedPlan }), 'FORMAT_MISMATCH');
  });

  it('T52 by repeating a Compute Budget instruction', () => {
    const again = encodeInstruction('computeBudget.setComputeUnitLimit', {
      accounts: {},
      args: { units: 1 },
    });
    expectDenied(decided(append(again)), 'NONCANONICAL_BYTES');
  });

  it('T19 by a program that resembles the token program', () => {
    const decision = decided(
      (list) =>
        list.map((each) =>
          each.programAddress === TOKEN_PROGRAM
            ? { ...each, programAddress: keyNamed('token program').address }
            : each,
        ),
      {},
      stage('swap of SOL'),
    );
    expectDenied(decision, 'PROGRAM_NOT_ALLOWED');
  });

  it('T19 by a token program passed to an account creation', () => {
    const lying = { address: keyNamed('token program').address, signer: false, writable: false };
    const decision = decided(
      (list) =>
        list.map((each) =>
          each.programAddress === ASSOCIATED_TOKEN_PROGRAM
            ? { ...each, accounts: [...each.accounts.slice(0, 5), lying] }
            : each,
        ),
      {},
      stage('direct launch'),
    );
    expectDenied(decision, 'PROGRAM_NOT_ALLOWED');
  });

  it('T58 by a tip wallet that resembles one of the address book', () => {
    const known = keyNamed('treasury').address;
    const middle = known.slice(20, 21) === 'a' ? 'b' : 'a';
    const alike = `${known.slice(0, 20)}${middle}${known.slice(21)}`;
    const policy = policyWith(() => ({ addressBook: [{ label: 'treasury', address: known }] }));
    const tipped = (tipWallet: string) => {
      const changedPlan = {
        ...withTip,
        plan: { ...withTip.plan, request: { ...withTip.plan.request, tipWallet } },
      };
      const paid = transfer(WALLET, tipWallet, 1_000_000n);
      return decide(
        rewritten(changedPlan, (list) => [paid, ...list.slice(1)]),
        policy,
      );
    };
    // The recorded simulation did not watch the known tip wallet; nothing else fails.
    expect(tipped(known).reasonCodes).toEqual(['SIMULATION_UNAVAILABLE']);
    expectDenied(tipped(alike), 'RECIPIENT_LOOKALIKE');
  });
});
