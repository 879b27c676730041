/** Programs of a sandbox: stand-ins at the originals' addresses, or their replacements from a folder. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  FEE_SHARE_PLATFORM_VAULT,
  FEE_SHARE_PROGRAM_CONFIG,
  METADATA_PROGRAM,
  ROUTER_PROGRAM,
} from '../../../sandbox/programs/addresses.ts';
import { codeOf } from '../../../sandbox/programs/deploy.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { readProgramFolder } from '../../../sandbox/programs/folder.ts';
import { compiledProgram, standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { budgetOf, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { createServiceKeys } from '../../../sandbox/service/serviceKeys.ts';
import { LOADER_V3_PROGRAM, TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';

const ELSEWHERE = createServiceKeys('programs').seeded('a program').address;
const folder = (files: Readonly<Record<string, Uint8Array | string>>): string => {
  const made = mkdtempSync(join(tmpdir(), 'countersign-programs-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(made, name), content);
  return made;
};

let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

describe('a sandbox', () => {
  test('has every stand-in at its address from the first slot, in the finalized view too', async () => {
    sandbox = await startSandbox({ seed: 'programs', clock: 'manual' });
    for (const [address, code] of standInPrograms()) {
      expect(sandbox.chain.getAccount(address, 'finalized')).toMatchObject({
        owner: LOADER_V3_PROGRAM,
        executable: true,
      });
      expect(Buffer.from(codeOf(sandbox.chain, address)).equals(code)).toBe(true);
    }
  });

  test('lets only the service create a fee share config', async () => {
    sandbox = await startSandbox({ seed: 'programs', clock: 'manual' });
    const { chain, wallet } = sandbox;
    const keys = createServiceKeys('programs');
    const [payer, admin, pair] = [
      keys.wallet,
      keys.feeShareAuthority,
      feeShare.inSol(keys.tokenMint(1).address),
    ];
    expect(wallet.address).toBe(payer.address);
    expect(chain.getAccount(FEE_SHARE_PLATFORM_VAULT)?.owner).toBe(TOKEN_PROGRAM);
    chain.airdrop(payer.address, 10_000_000_000n);
    const land = (by: typeof admin) => {
      const claimers = [{ address: payer.address, bps: 10_000 }];
      const instruction = feeShare.createFeeConfig(
        { payer: payer.address, admin: by.address },
        pair,
        claimers,
        { last: true },
      );
      const draft = {
        format: 'v0',
        feePayer: payer.address,
        instructions: [instruction],
        budget: budgetOf(400_000),
        signers: [payer, by],
      } as const;
      const outcome = chain.submit(compileDraft(draft, chain.latestBlockhash('processed')).bytes);
      return outcome.landed ? outcome.record.err : outcome.err;
    };
    expect(land(keys.sponsor)).toEqual({ InstructionError: [2, { Custom: 6009 }] });
    expect(land(admin)).toBeNull();
    expect(chain.getAccount(feeShare.feeShareConfig(pair))).not.toBeNull();
    expect(chain.getAccount(FEE_SHARE_PROGRAM_CONFIG)?.data).toHaveLength(195);
  });

  test('runs the programs of a folder in place of the stand-ins and beside them', async () => {
    const code = compiledProgram('harmless');
    const programs = readProgramFolder(
      folder({ [`${ROUTER_PROGRAM}.so`]: code, [`${ELSEWHERE}.so`]: code, 'notes.txt': 'not a program' }),
    );
    sandbox = await startSandbox({ seed: 'programs', clock: 'manual', programs });
    const { chain } = sandbox;
    expect([...programs.keys()].sort()).toEqual([ROUTER_PROGRAM, ELSEWHERE].sort());
    for (const address of programs.keys()) {
      expect(Buffer.from(codeOf(chain, address)).equals(code)).toBe(true);
    }
    const standIn = standInPrograms().get(METADATA_PROGRAM) ?? new Uint8Array();
    expect(Buffer.from(codeOf(chain, METADATA_PROGRAM)).equals(standIn)).toBe(true);
    const payer = createServiceKeys('programs').wallet;
    chain.airdrop(payer.address, 10_000_000_000n);
    const land = (programAddress: string) => {
      const draft = {
        format: 'v0',
        feePayer: payer.address,
        instructions: [{ programAddress, accounts: [], data: new Uint8Array() }],
        budget: budgetOf(400_000),
        signers: [payer],
      } as const;
      const outcome = chain.submit(compileDraft(draft, chain.latestBlockhash('processed')).bytes);
      return outcome.landed ? outcome.record.err : outcome.err;
    };
    expect([land(ROUTER_PROGRAM), land(ELSEWHERE)]).toEqual([null, null]);
    expect(land(METADATA_PROGRAM)).not.toBeNull();
  });
});

test.each([
  ['a missing folder', '/nowhere/at/all', 'cannot be read as a folder'],
  ['a folder without programs', folder({ 'notes.txt': 'x' }), 'no ADDRESS.so file'],
  [
    'a file that is not named after an address',
    folder({ 'router.so': compiledProgram('harmless') }),
    'router.so is not named',
  ],
  ['a file that is not a program', folder({ [`${ROUTER_PROGRAM}.so`]: 'text' }), 'is not a program file'],
])('refuses %s by name', (_, at, words) => {
  expect(() => readProgramFolder(at)).toThrow(words);
});
