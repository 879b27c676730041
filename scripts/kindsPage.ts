/** The section of `docs/programs.md` about kinds of plans: the verdict of the shipped templates on each, as recorded by the tests. */
import { readFileSync } from 'node:fs';

/** A line of the table. */
export interface KindRow {
  readonly kind: string;
  readonly binding: string;
  readonly sandbox: string;
  readonly template: string;
  readonly live: string;
  readonly bounds: string;
  readonly questions: string;
}

const INTRODUCTION = `## Kinds of plans

The decision for each kind of plan that the service builds. *Exact*: every instruction is read. *Unread*: at least one is
unsupported, named by an entry of the policy, and asks. *Sandbox* is the verdict in the embedded sandbox; *template* and
*verdict* are a shipped template on a live network, with all claimers in its address book. *Questions* counts the approvals of a
whole plan. *Bounds* says whether [guards](statement.md#guards), on by default, let the chain enforce the amounts of
every transaction, as they also do for payments that are built here, or whether amounts that no program guarantees stand on a
simulation. *Not there*: the embedded service does not build it; another builder's transaction was decided instead.

Recorded by \`test/policy/kinds/\`.
`;

/** Returns the section, from the recorded rows. */
export function kindsSection(): string {
  const rows: readonly KindRow[] = JSON.parse(readFileSync('test/policy/kinds/kinds.json', 'utf8'));
  return [
    INTRODUCTION,
    '| kind | binding | sandbox | template | verdict | bounds | questions |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ kind, binding, sandbox, template, live, bounds, questions }) =>
        `| ${kind} | ${binding} | ${sandbox} | \`${template}\` | ${live} | ${bounds} | ${questions} |`,
    ),
    '',
  ].join('\n');
}
