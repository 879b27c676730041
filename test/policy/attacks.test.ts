/**
 * Attacks of docs/threat-model.md that a service can put into bytes it co-signs. Each is an honest plan of the real
 * service with one thing changed before it was signed; the benign twin of each is in benign.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import type { Decision, ReasonCode } from '../../src/policy/types.ts';
import type { Draft } from '../../src/sandbox/service/build/compile.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/transaction/instructions.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  ED25519_PROGRAM,
  LOADER_V3_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { type Fields, somebody, type Tamper, World } from './world.ts';

let world: World;
const attacker = somebody('attacker');
const accomplice = somebody('accomplice');
beforeAll(async () => {
  world = await World.start('attacks');
});
afterAll(() => world.close());

const append =
  (...instructions: readonly EncodedInstruction[]): Tamper =>
  (draft) => ({ ...draft, instructions: [...draft.instructions, ...instructions] });
const cosigned =
  (tamper: Tamper): Tamper =>
  (draft, stage) => {
    const changed = tamper(draft, stage);
    return { ...changed, signers: [...changed.signers, attacker, accomplice] };
  };
const raw = (programAddress: string, data: readonly number[], accounts: EncodedInstruction['accounts']) => ({
  programAddress,
  accounts,
  data: Uint8Array.from(data),
});
const signer = (address: string) => ({ address, signer: true, writable: true });
const plain = (address: string) => ({ address, signer: false, writable: true });
const transfer = (from: string, to: string, lamports: bigint) =>
  encodeInstruction('system.transfer', { accounts: { from, to }, args: { lamports } });
const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255];

async function config(tamper: Tamper, extra: Fields = {}): Promise<Plan> {
  const { mint } = await world.token();
  return world.plan('feeShareConfig', world.configRequest(mint, [7000, 3000], extra), tamper);
}

async function decided(tamper: Tamper, extra: Fields = {}): Promise<Decision> {
  const plan = await config(tamper, extra);
  return world.decide(plan, 'config-1');
}

function expectDenied(decision: Decision, code: ReasonCode) {
  expect(decision.effect).toBe('deny');
  expect(decision.reasonCodes[0]).toBe(code);
  expect(decision.class).toBe('security');
}

describe('an instruction appended to a good config plan is refused, whatever it is', () => {
  const wallet = () => world.wallet;
  const ownAta = () => associatedTokenAddress(wallet(), WSOL_MINT, TOKEN_PROGRAM);
  const cases: readonly [string, ReasonCode, () => readonly EncodedInstruction[]][] = [
    [
      'T1 the wallet itself assigned to another program',
      'AUTHORITY_CHANGE',
      () => [
        encodeInstruction('system.assign', {
          accounts: { account: wallet() },
          args: { owner: TOKEN_PROGRAM },
        }),
      ],
    ],
    [
      'T2 the wallet itself turned into a data account',
      'AUTHORITY_CHANGE',
      () => [encodeInstruction('system.allocate', { accounts: { account: wallet() }, args: { space: 10n } })],
    ],
    [
      'T2 an account derived from the wallet assigned',
      'AUTHORITY_CHANGE',
      () => [
        encodeInstruction('system.assignWithSeed', {
          accounts: { account: attacker.address, base: wallet() },
          args: { base: wallet(), seed: 'x', owner: TOKEN_PROGRAM },
        }),
      ],
    ],
    [
      'T3 a delegate over a token account',
      'DELEGATE_GRANTED',
      () => [
        encodeInstruction('token.approve', {
          accounts: { source: ownAta(), delegate: attacker.address, owner: wallet() },
          args: { amount: 2n ** 64n - 1n },
        }),
      ],
    ],
    [
      'T3 a checked delegate over a token account',
      'DELEGATE_GRANTED',
      () => [
        encodeInstruction('token.approveChecked', {
          accounts: { source: ownAta(), mint: WSOL_MINT, delegate: attacker.address, owner: wallet() },
          args: { amount: 1n, decimals: 9 },
        }),
      ],
    ],
    ...(['accountOwner', 'closeAccount', 'mintTokens', 'freezeAccount'] as const).map(
      (authorityType): [string, ReasonCode, () => readonly EncodedInstruction[]] => [
        `T4 the authority ${authorityType} handed over`,
        'AUTHORITY_CHANGE',
        () => [
          encodeInstruction('token.setAuthority', {
            accounts: { owned: ownAta(), authority: wallet() },
            args: { authorityType, newAuthority: attacker.address },
          }),
        ],
      ],
    ),
    [
      'T5 a token account closed in favour of somebody else',
      'UNDECLARED_LOSS',
      () => [
        encodeInstruction('token.closeAccount', {
          accounts: { account: ownAta(), destination: attacker.address, owner: wallet() },
        }),
      ],
    ],
    [
      'T6 a stake instruction',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(STAKE_PROGRAM, u32(1), [plain(attacker.address), signer(wallet())])],
    ],
    [
      'T7 a loader instruction',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(LOADER_V3_PROGRAM, u32(4), [plain(attacker.address), signer(wallet())])],
    ],
    [
      'T8 the authority over a nonce account handed over',
      'AUTHORITY_CHANGE',
      () => [
        encodeInstruction('system.authorizeNonceAccount', {
          accounts: { nonce: attacker.address, authority: wallet() },
          args: { newAuthority: attacker.address },
        }),
      ],
    ],
    [
      'T8 a nonce account emptied',
      'UNDECLARED_LOSS',
      () => [
        encodeInstruction('system.withdrawNonceAccount', {
          accounts: {
            nonce: accomplice.address,
            to: attacker.address,
            recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
            rent: SYSVAR_RENT,
            authority: wallet(),
          },
          args: { lamports: 1n },
        }),
      ],
    ],
    [
      'T9 a lookup table of the wallet made outside a setup stage',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('lookupTable.create', {
          accounts: {
            table: attacker.address,
            authority: wallet(),
            payer: wallet(),
            systemProgram: SYSTEM_PROGRAM,
          },
          args: { recentSlot: 1n, bump: 255 },
        }),
      ],
    ],
    [
      'T9 a lookup table of the wallet frozen',
      'AUTHORITY_CHANGE',
      () => [
        encodeInstruction('lookupTable.freeze', {
          accounts: { table: attacker.address, authority: wallet() },
        }),
      ],
    ],
    [
      'T10 a token instruction that is not known',
      'INSTRUCTION_UNKNOWN',
      () => [raw(TOKEN_PROGRAM, [255, 1, 1, 9], [plain(ownAta()), signer(wallet())])],
    ],
    [
      'T10 a newer System instruction',
      'INSTRUCTION_UNKNOWN',
      () => [raw(SYSTEM_PROGRAM, u32(13), [signer(wallet())])],
    ],
    [
      'T11 a program nobody allowed, with the wallet as signer',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(somebody('multisig').address, [1], [signer(wallet())])],
    ],
    ['T12 a transfer', 'UNEXPECTED_INSTRUCTION', () => [transfer(wallet(), attacker.address, 1_000_000n)]],
    [
      'T13 several transfers',
      'UNEXPECTED_INSTRUCTION',
      () => [
        transfer(wallet(), attacker.address, 1_000_000n),
        transfer(wallet(), accomplice.address, 1_000_000n),
      ],
    ],
    [
      'T15 rent of a token account of somebody else',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('associatedToken.createIdempotent', {
          accounts: {
            payer: wallet(),
            associatedToken: associatedTokenAddress(attacker.address, WSOL_MINT, TOKEN_PROGRAM),
            owner: attacker.address,
            mint: WSOL_MINT,
            systemProgram: SYSTEM_PROGRAM,
            tokenProgram: TOKEN_PROGRAM,
          },
        }),
      ],
    ],
    [
      'T17 tokens out of an account nobody mentioned',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('token.transferChecked', {
          accounts: {
            source: ownAta(),
            mint: WSOL_MINT,
            destination: associatedTokenAddress(attacker.address, WSOL_MINT, TOKEN_PROGRAM),
            authority: wallet(),
          },
          args: { amount: 1n, decimals: 9 },
        }),
      ],
    ],
    [
      'T18 SOL into the own wrapped account',
      'UNEXPECTED_INSTRUCTION',
      () => [
        transfer(wallet(), ownAta(), 1_000_000n),
        encodeInstruction('token.syncNative', { accounts: { account: ownAta() } }),
      ],
    ],
    [
      'T48 the wallet made to sign a memo',
      'UNEXPECTED_INSTRUCTION',
      () => [encodeInstruction('memo.memo', { accounts: {}, args: { text: 'I agree' }, rest: [wallet()] })],
    ],
    ['T49 a signature precompile', 'PROGRAM_NOT_ALLOWED', () => [raw(ED25519_PROGRAM, [0, 0], [])]],
  ];
  it.each(cases)('%s', async (_name, code, instructions) => {
    expectDenied(await decided(append(...instructions())), code);
  });

  it('T14 an account funded by the wallet and owned by somebody else', async () => {
    const funding = encodeInstruction('system.createAccount', {
      accounts: { payer: world.wallet, newAccount: attacker.address },
      args: { lamports: 5_000_000_000n, space: 0n, owner: SYSTEM_PROGRAM },
    });
    const decision = await decided(cosigned(append(funding)));
    expectDenied(decision, 'UNEXPECTED_INSTRUCTION');
    expect(BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0')).toBeGreaterThan(
      5_000_000_000n,
    );
  });

  it('and the simulated effects alone would have refused the worst of them', async () => {
    const assign = encodeInstruction('system.assign', {
      accounts: { account: world.wallet },
      args: { owner: TOKEN_PROGRAM },
    });
    const decision = await decided(append(assign));
    const simulated = decision.checks.filter(({ check, ok }) => check.startsWith('simulated') && !ok);
    expect(simulated.map(({ code }) => code)).toContain('AUTHORITY_CHANGE');
    expect(decision.authorityChanges.join()).toMatch(/another program/);
  });
});

describe('what a config plan costs cannot be raised', () => {
  it('T14 by funding the config account with more than its rent', async () => {
    const decision = await decided((draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) =>
        each.programAddress === SYSTEM_PROGRAM
          ? encodeInstruction('system.createAccount', {
              accounts: {
                payer: world.wallet,
                newAccount: each.accounts[1]?.address ?? '',
              },
              args: { lamports: 3_000_000_000n, space: 234n, owner: TOKEN_2022_PROGRAM },
            })
          : each,
      ),
    }));
    expectDenied(decision, 'REQUEST_MISMATCH');
    expect(decision.explain).toContain('rent of the config account');
  });

  it('T21 by the price of compute units', async () => {
    const dear: Tamper = (draft) => ({
      ...draft,
      budget: { ...draft.budget, microLamportsPerUnit: 1_000_000_000n },
    });
    expectDenied(await decided(dear), 'FEE_OVER');
  });

  it('T22 by the fee a v1 message carries in its config', async () => {
    const dear: Tamper = (draft) => ({
      ...draft,
      budget: { ...draft.budget, priorityFeeLamports: 500_000_000n },
    });
    expectDenied(await decided(dear, { transactionFormat: 'v1' }), 'FEE_OVER');
  });

  it('T23 by a larger tip, or a tip to somebody else', async () => {
    const tip = { tipWallet: somebody('tip').address, tipLamports: 1_000_000 };
    const changed =
      (to: string, lamports: bigint): Tamper =>
      (draft) => ({
        ...draft,
        instructions: [transfer(world.wallet, to, lamports), ...draft.instructions.slice(1)],
      });
    expectDenied(await decided(changed(tip.tipWallet, 9_000_000n), tip), 'REQUEST_MISMATCH');
    expectDenied(await decided(changed(attacker.address, 1_000_000n), tip), 'REQUEST_MISMATCH');
    expectDenied(
      await decided((draft) => ({ ...draft, instructions: draft.instructions.slice(1) }), tip),
      'REQUEST_MISMATCH',
    );
  });
});

describe('who signs and who pays cannot be changed', () => {
  it('T32 with a durable nonce before everything else', async () => {
    const advance = encodeInstruction('system.advanceNonceAccount', {
      accounts: {
        nonce: accomplice.address,
        recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
        authority: world.wallet,
      },
    });
    expectDenied(await decided((draft) => ({ ...draft, first: [advance] })), 'DURABLE_NONCE');
  });

  it('T46 by making a second wallet of ours sign', async () => {
    const second = somebody('second wallet');
    const policy = world.policyWith((file) => ({
      ...file,
      wallets: [...file.wallets, { label: 'second', address: second.address }],
    }));
    const tamper = append(transfer(second.address, attacker.address, 1n));
    expectDenied(await world.decide(await config(tamper), 'config-1', policy), 'SIGNERS_MISMATCH');
  });

  it('T47 by letting somebody else pay', async () => {
    world.sandbox.chain.airdrop(attacker.address, 1_000_000_000n);
    const decision = await decided(cosigned((draft: Draft) => ({ ...draft, feePayer: attacker.address })));
    expectDenied(decision, 'FEE_PAYER_MISMATCH');
  });

  it('T50 by another format than was asked for', async () => {
    expectDenied(await decided((draft) => ({ ...draft, format: 'v1', tables: [] })), 'FORMAT_MISMATCH');
    expectDenied(
      await decided((draft) => ({ ...draft, format: 'v0' }), { transactionFormat: 'v1' }),
      'FORMAT_MISMATCH',
    );
  });

  it('T52 by repeating a Compute Budget instruction', async () => {
    const again = encodeInstruction('computeBudget.setComputeUnitLimit', {
      accounts: {},
      args: { units: 1 },
    });
    expectDenied(await decided(append(again)), 'NONCANONICAL_BYTES');
  });

  it('T19 by a program that only looks like the token program', async () => {
    const decision = await decided((draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) =>
        each.programAddress === TOKEN_2022_PROGRAM
          ? { ...each, programAddress: somebody('token program').address }
          : each,
      ),
    }));
    expectDenied(decision, 'PROGRAM_NOT_ALLOWED');
  });

  it('T19 by a token program an account creation is told to call', async () => {
    const { mint, uri } = await world.token();
    const request = { tokenMint: mint, ipfs: uri, wallet: world.wallet, quoteMint: WSOL_MINT };
    const plan = await world.plan('dammLaunch', request, (draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) =>
        each.programAddress === ASSOCIATED_TOKEN_PROGRAM
          ? {
              ...each,
              accounts: each.accounts.with(5, {
                address: somebody('token program').address,
                signer: false,
                writable: false,
              }),
            }
          : each,
      ),
    }));
    for (const id of ['lut_setup', 'create_token']) await world.land(plan, id);
    expectDenied(await world.decide(plan, 'launch'), 'PROGRAM_NOT_ALLOWED');
  });

  it('T58 by a tip wallet that looks like one of the address book', async () => {
    const known = somebody('treasury').address;
    const middle = known.slice(20, 21) === 'a' ? 'b' : 'a';
    const alike = `${known.slice(0, 20)}${middle}${known.slice(21)}`;
    const policy = world.policyWith((file) => ({
      ...file,
      addressBook: [{ label: 'treasury', address: known }],
    }));
    const tip = { tipLamports: 1_000_000 };
    const honest = await config((draft) => draft, { ...tip, tipWallet: known });
    expect((await world.decide(honest, 'config-1', policy)).effect).toBe('allow');
    const poisoned = await config((draft) => draft, { ...tip, tipWallet: alike });
    const decision = await world.decide(poisoned, 'config-1', policy);
    expectDenied(decision, 'RECIPIENT_LOOKALIKE');
  });
});
