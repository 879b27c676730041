/**
 * `countersign audit replay [DECISION…] --policy FILE`: decides recorded inputs again under the policy with the
 * recorded hash. The decision must be identical; any difference is reported.
 */

import { several } from '../../../base/format.ts';
import type { DecisionInputs } from '../../../policy/decide/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../../policy/file/file.ts';
import { type Replay, replay } from '../../../review/replay.ts';
import { embeddedPolicy } from '../../../review/templates/embedded.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { type Command, textOption } from '../../command.ts';
import { columnsFor, wrap } from '../../layout.ts';
import { readPolicy } from '../../policy/read.ts';
import { limitOption, withHistory } from '../history.ts';

interface Replayed {
  readonly id: string;
  readonly policyHash: string;
  readonly outcome: Replay['outcome'] | 'no_facts';
  readonly parts?: readonly string[];
}

export const replayCommand: Command = async (input) => {
  const { options, terminal } = input;
  const ids = input.words.slice(1);
  const path = textOption(options, 'policy');
  const given = path === undefined ? undefined : await readPolicy(path, terminal);
  if (path !== undefined && given === undefined) return 1;
  return withHistory(input, async (history) => {
    const limit = limitOption(input, Number.MAX_SAFE_INTEGER);
    const results: Replayed[] = [];
    for await (const { id, decision } of history.decisions()) {
      if (results.length >= limit || (ids.length > 0 && results.length === ids.length)) break;
      if (ids.length > 0 && !ids.includes(id)) continue;
      const recorded = (await history.ledger.rows('decisions', { id, inputs: true }))[0]?.made;
      const { policyHash: hash } = decision;
      if (recorded === undefined) {
        results.push({ id, policyHash: hash, outcome: 'no_facts' });
        continue;
      }
      const policies = [...(given === undefined ? [] : [given]), ...sandboxPolicies(recorded.inputs)];
      const found = replay(decision, recorded.inputs, recorded.view, policies);
      results.push({
        id,
        policyHash: hash,
        outcome: found.outcome,
        ...(found.outcome === 'different' ? { parts: found.parts } : {}),
      });
    }
    requireAll(ids, results);
    if (options.json === true) terminal.print(JSON.stringify({ decisions: results }));
    else for (const line of lines(results, columnsFor(terminal.columns))) terminal.print(line);
    return results.some(({ outcome }) => outcome === 'different') ? 1 : 0;
  });
};

function requireAll(ids: readonly string[], results: readonly Replayed[]): void {
  const missing = ids.find((id) => !results.some((result) => result.id === id));
  if (missing === undefined) return;
  throw new SetupError(`There is no ${missing} in this home.`, 'Run `countersign audit show` to see them.');
}

const made = new Map<string, readonly LoadedPolicy[]>();

/** Returns the policy of the embedded sandbox, which is created for each wallet and chain. */
function sandboxPolicies({ mode, network, plan }: DecisionInputs): readonly LoadedPolicy[] {
  if (mode !== 'sandbox') return [];
  const key = `${network} ${plan.wallet}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const parsed = parsePolicy(JSON.stringify(embeddedPolicy({ wallet: plan.wallet, network })));
  const policies = 'errors' in parsed ? [] : [parsed];
  made.set(key, policies);
  return policies;
}

function lines(results: readonly Replayed[], columns: number): string[] {
  const of = (outcome: Replayed['outcome']) => results.filter((result) => result.outcome === outcome);
  const [identical, different, other, none] = [
    of('identical'),
    of('different'),
    of('other_policy'),
    of('no_facts'),
  ];
  const hashes = [...new Set(other.map((result) => result.policyHash))];
  return [
    ...different.flatMap(({ id, parts = [] }) =>
      wrap(`${id} comes out differently: ${parts.join(', ')}`, columns, '', '  '),
    ),
    `${several(identical.length, 'decision')} came out exactly as recorded, ${different.length} differently.`,
    ...(other.length === 0
      ? []
      : [
          ...wrap(
            `${several(other.length, 'decision')} made under another policy; pass its file with --policy:`,
            columns,
          ),
          ...hashes.map((hash) => `  ${hash}`),
        ]),
    ...(none.length === 0 ? [] : [`${several(none.length, 'decision')} whose facts are missing.`]),
  ];
}
