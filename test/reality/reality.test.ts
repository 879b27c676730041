/** Comparison of stand-ins with originals: it plays, finds no false differences, and finds real ones. */

import { describe, expect, test } from 'vitest';
import { METADATA_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { compiledProgram, standInPrograms } from '../../sandbox/programs/standIns.ts';
import { differences, play } from './play.ts';
import { scenarios } from './scenarios.ts';
import { serviceScenarios } from './service.ts';
import { compareTerms } from './terms.ts';

describe('every scenario', () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s runs on the stand-ins to its end and lands some of its steps',
    async (_, scenario) => {
      const seen = await play(scenario, standInPrograms());
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.some(({ err }) => err === 'null')).toBe(true);
      expect(differences(seen, seen)).toEqual([]);
    },
  );
});

test('every step of a service scenario lands, and the wallet holds the purchased tokens', async () => {
  const direct = serviceScenarios.find(({ name }) => name.includes('opened by service,'));
  const seen = direct === undefined ? [] : await play(direct, standInPrograms());
  expect(seen.length).toBeGreaterThan(7);
  expect(seen.filter(({ err }) => err !== 'null')).toEqual([]);
  const { accounts = {} } = seen.at(-1) ?? {};
  const there = Object.entries(accounts).filter(([, account]) => account !== 'not there');
  expect(there.map(([name]) => name)).toEqual(
    expect.arrayContaining(['metadata', 'pool', 'position feeClaimer', 'NFT feeClaimer of the fee share']),
  );
  const amount = Buffer.from(accounts['tokens of the wallet']?.split(' ')[2] ?? '', 'hex');
  expect(amount.readBigUInt64LE(64)).toBeGreaterThan(0n);
});

test('a deviating program is detected step by step', async () => {
  const metadata = scenarios.find(({ programs }) => programs.every((each) => each === METADATA_PROGRAM));
  if (metadata === undefined) throw new Error('there is a scenario of metadata alone');
  const ours = standInPrograms();
  const other = new Map([...ours, [METADATA_PROGRAM, compiledProgram('harmless')] as const]);
  const found = differences(await play(metadata, ours), await play(metadata, other));
  expect(found[0]).toBe(
    'a stranger names it: ends with {"InstructionError":[2,{"Custom":10}]}, the original with null',
  );
  expect(
    found.some((words) => words.startsWith('the owner names it: metadata of 6 decimals belongs to')),
  ).toBe(true);
});

test('the account of every created config has the terms of its arguments', async () => {
  const compared = await compareTerms(standInPrograms());
  const made = compared.filter(({ err }) => err === null);
  for (const each of made) expect(each.made, each.name).toEqual(each.asked);
  // Unlike the original, the stand-in has no size or volatility fees, no vesting and no Token-2022.
  expect(made).toHaveLength(9);
  expect(compared.filter(({ err, made }) => err !== null && made !== undefined)).toEqual([]);
});
