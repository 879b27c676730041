/** `countersign policy test FILE CASES.json`: checks that the policy decides as its cases expect. */

import { readFile } from 'node:fs/promises';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { explain, explained } from '../../presentation/decisions/explain.ts';
import { type CaseResult, parseCases, runCase } from '../../review/cases.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { withHistory } from '../records/history.ts';
import { readPolicy } from './read.ts';

export const testPolicyCommand: Command = async (input) => {
  const { words, terminal } = input;
  const [, policyPath, casesPath] = words;
  if (policyPath === undefined || casesPath === undefined) {
    throw new SetupError('Which policy, and which cases?', 'countersign policy test FILE CASES.json');
  }
  const loaded = await readPolicy(policyPath, terminal);
  if (loaded === undefined) return 1;
  const parsed = parseCases(await readText(casesPath));
  if ('errors' in parsed) {
    for (const { line, column, message } of parsed.errors) {
      terminal.tell(`${casesPath}:${line}:${column}: ${message}`);
    }
    return 1;
  }
  const results = await decide(input, parsed.cases, loaded);
  report(input, results, loaded);
  return results.every(({ ok }) => ok) ? 0 : 1;
};

type Cases = Extract<ReturnType<typeof parseCases>, { cases: unknown }>['cases'];

async function decide(input: CommandInput, cases: Cases, loaded: LoadedPolicy): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  await withHistory(input, async (history) => {
    for (const each of cases) {
      const [found] = await history.ledger.rows('decisions', { id: each.decision, inputs: true });
      results.push(runCase(each, loaded, found?.made));
    }
    return 0;
  });
  return results.length > 0 ? results : cases.map((each) => runCase(each, loaded, undefined));
}

function report(
  { terminal, options }: CommandInput,
  results: CaseResult[],
  { policy, hash }: LoadedPolicy,
): void {
  if (options.json === true) {
    const printed = results.map(({ decision, ...each }) => ({
      ...each,
      ...(decision === undefined ? {} : { decision: { ...decision, ...explained(decision) } }),
    }));
    terminal.print(JSON.stringify({ policyId: policy.id, policyHash: hash, results: printed }));
    return;
  }
  const columns = columnsFor(terminal.columns);
  for (const { name, ok, problems, decision } of results) {
    for (const line of wrap(name, columns, ok ? 'ok    ' : 'FAIL  ')) terminal.print(line);
    for (const problem of problems)
      for (const line of wrap(problem, columns, '      - ')) terminal.print(line);
    if (!ok && decision !== undefined) {
      for (const line of wrap(explain(decision), columns, '      > ')) terminal.print(line);
    }
  }
  const failed = results.filter(({ ok }) => !ok).length;
  terminal.print(`${policy.id}: ${results.length - failed} of ${results.length} cases hold.`);
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new SetupError(`${path} cannot be read.`, 'countersign policy test FILE CASES.json');
  });
}
