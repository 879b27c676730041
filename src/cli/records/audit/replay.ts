/**
 * `countersign audit replay [DECISION…] --policy FILE`: decides the recorded facts once more, under the policy whose
 * hash was recorded. The outcome must be the same to the last byte; anything else is reported.
 */

import { JsonError, readJson } from '../../../base/strictJson.ts';
import { several } from '../../../base/words.ts';
import type { Facts } from '../../../policy/decide/types.ts';
import { embeddedPolicy } from '../../../policy/file/embedded.ts';
import { type LoadedPolicy, parsePolicy, policyHash } from '../../../policy/file/file.ts';
import { policyTemplate } from '../../../policy/file/templates.ts';
import { isVersion1 } from '../../../policy/file/upgrade.ts';
import { type Replay, replay } from '../../../review/replay.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../../runtime/policyFile.ts';
import { type Command, textOption } from '../../command.ts';
import { columnsFor, wrap } from '../../layout.ts';
import { readPolicy } from '../../policy/read.ts';
import { limitOption, withHistory } from '../history.ts';

interface Replayed {
  readonly id: string;
  readonly policyHash: string;
  /** `version_1`: the policy file is of version 1, which this release cannot decide with any more. */
  readonly outcome: Replay['outcome'] | 'no_facts' | 'version_1';
  readonly parts?: readonly string[];
}

export const replayCommand: Command = async (input) => {
  const { options, terminal } = input;
  const ids = input.words.slice(1);
  const path = textOption(options, 'policy');
  const old = path === undefined ? undefined : await version1Hash(path);
  const given = path === undefined || old !== undefined ? undefined : await readPolicy(path, terminal);
  if (path !== undefined && given === undefined && old === undefined) return 1;
  return withHistory(input, async (history) => {
    const limit = limitOption(input, Number.MAX_SAFE_INTEGER);
    const results: Replayed[] = [];
    for await (const { id, decision } of history.decisions()) {
      if (results.length >= limit || (ids.length > 0 && results.length === ids.length)) break;
      if (ids.length > 0 && !ids.includes(id)) continue;
      const recorded = await history.ledger.decisionFacts(id);
      const { policyHash: hash } = decision;
      if (hash !== '' && hash === old) {
        results.push({ id, policyHash: hash, outcome: 'version_1' });
        continue;
      }
      if (recorded === undefined) {
        results.push({ id, policyHash: hash, outcome: 'no_facts' });
        continue;
      }
      const policies = [...(given === undefined ? [] : [given]), ...sandboxPolicies(recorded.facts)];
      const found = replay(decision, recorded.facts, recorded.view, policies);
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

/** The hash of a policy file of version 1, as decisions under it recorded it; `undefined` for any other file. */
async function version1Hash(path: string): Promise<string | undefined> {
  const file = await readPolicyFile(path);
  if ('problem' in file) return undefined;
  try {
    const { value } = readJson(file.text);
    return isVersion1(value) ? policyHash(value) : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function requireAll(ids: readonly string[], results: readonly Replayed[]): void {
  const missing = ids.find((id) => !results.some((result) => result.id === id));
  if (missing === undefined) return;
  throw new SetupError(`There is no ${missing} in this home.`, 'Run `countersign audit show` to see them.');
}

const made = new Map<string, readonly LoadedPolicy[]>();

/**
 * The embedded sandbox makes its policy anew for each chain; the same wallet and chain give the same policy. Sandboxes of
 * earlier versions decided by the template alone.
 */
function sandboxPolicies({ mode, network, plan }: Facts): readonly LoadedPolicy[] {
  if (mode !== 'sandbox') return [];
  const key = `${network} ${plan.wallet}`;
  const of = { wallet: plan.wallet, network };
  const policies =
    made.get(key) ??
    [embeddedPolicy(of), policyTemplate('sandbox', of)].flatMap((file) => {
      const parsed = parsePolicy(JSON.stringify(file));
      return 'errors' in parsed ? [] : [parsed];
    });
  made.set(key, policies);
  return policies;
}

function lines(results: readonly Replayed[], columns: number): string[] {
  const of = (outcome: Replayed['outcome']) => results.filter((result) => result.outcome === outcome);
  const earlier = of('version_1');
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
            `${several(other.length, 'decision')} made under a policy that is not at hand; give its file with --policy:`,
            columns,
          ),
          ...hashes.map((hash) => `  ${hash}`),
        ]),
    ...(earlier.length === 0
      ? []
      : wrap(
          `${several(earlier.length, 'decision')} made under this policy of version 1 cannot be decided again: version 2 ` +
            'reads such files no more, and what was not read is decided otherwise. The record and its hashes stand; ' +
            '`countersign audit verify` checks them.',
          columns,
        )),
    ...(none.length === 0 ? [] : [`${several(none.length, 'decision')} whose facts are missing.`]),
  ];
}
