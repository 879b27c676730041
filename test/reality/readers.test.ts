/**
 * Readers against stand-ins, which were written independently from the same published facts: output of the sandbox's
 * builders and programs must be read completely.
 */
import { expect, test } from 'vitest';
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  FEE_SHARE_PROGRAM,
  METADATA_PROGRAM,
  ROUTER_PROGRAM,
} from '../../sandbox/programs/addresses.ts';
import * as feeShare from '../../sandbox/programs/feeShare.ts';
import { standInPrograms } from '../../sandbox/programs/standIns.ts';
import { createKeyring } from '../../sandbox/service/keys.ts';
import { readInstruction } from '../../src/programs/read.ts';
import { readAccount } from '../programs/readAccount.ts';
import { Scene } from '../sandbox/programs/scene.ts';
import { scenarios } from './scenarios.ts';

const keys = createKeyring('readers');
const PUBLIC = [FEE_SHARE_PROGRAM, DBC_PROGRAM, DAMM_V2_PROGRAM, METADATA_PROGRAM, ROUTER_PROGRAM];

/** Known by name only; no service operation contains them. */
const NEVER_REQUESTED = ['remove_liquidity', 'transfer_pool_creator'];

/** Service scenarios are read in the tests of the sandbox's service. */
const played = scenarios.filter((scenario) => 'play' in scenario);

test.each(played.map((scenario) => [scenario.name, scenario] as const))(
  '%s: every instruction and every account of a public program is decoded',
  async (_, scenario) => {
    const scene = await Scene.start(standInPrograms());
    const watched = new Map<string, string>();
    const unsupported: string[] = [];
    const named = new Set<string>();
    scenario.play({
      scene,
      watch: (name, address) => watched.set(name, address),
      step: (step, signers, ...instructions) => {
        for (const [index, { programAddress, accounts, data }] of instructions.entries()) {
          if (!PUBLIC.includes(programAddress)) continue;
          const reading = readInstruction({ index, program: programAddress, accounts, data });
          if (reading.status === 'unsupported') unsupported.push(`${step}: ${reading.reason}`);
          if (reading.status === 'named') named.add(reading.name);
        }
        scene.land(signers, ...instructions);
        for (const [name, address] of watched) {
          const account = scene.chain.getAccount(address);
          if (account === null || !PUBLIC.includes(account.owner)) continue;
          const reading = readAccount(account);
          if (reading === undefined) unsupported.push(`${name} is not read`);
        }
      },
    });
    expect([...new Set(unsupported)]).toEqual([]);
    expect([...named].filter((name) => !NEVER_REQUESTED.includes(name))).toEqual([]);
  },
);

test('every instruction about a fee share config is decoded, or known to belong to no operation', () => {
  const [payer, admin, manager, user, mint] = ['payer', 'admin', 'manager', 'user', 'mint'].map(
    (name) => keys.get(name).address,
  ) as [string, string, string, string, string]; // as many as names
  const pair = feeShare.inSol(mint);
  const claimers = [{ address: user, bps: 10_000 }];
  const built = [
    feeShare.extendFeeConfig({ payer, admin }, pair, claimers, { last: true }),
    feeShare.updateFeeConfigManager({ payer, admin }, pair, manager),
    feeShare.managerUpdateFeeConfig({ payer, manager }, pair, claimers, { from: 0, to: 1, last: true }),
    feeShare.claimUserVault(user, pair),
    feeShare.claimPartner(payer, user, pair),
    feeShare.claimDbc(payer, pair, admin, user),
    feeShare.claimDammV2(payer, pair, admin, user),
    feeShare.managerTransferFeeConfig(payer, manager, user, pair),
    feeShare.managerWaiveFeeConfig(payer, manager, pair),
    feeShare.claimUserToVault(payer, admin, user, pair, 0),
  ];
  const readings = built.map(({ programAddress, accounts, data }, index) =>
    readInstruction({ index, program: programAddress, accounts, data }),
  );
  expect(readings.map((each) => (each.status === 'unsupported' ? each.reason : each.status))).toEqual([
    ...Array(7).fill('read'),
    ...Array(3).fill('named'),
  ]);
});
