/** `docs/kinds.md`: what the shipped templates decide about every kind of plan, as the test of the kinds has recorded it. */
import { readFileSync } from 'node:fs';

/** A line of the table. */
export interface KindRow {
  readonly kind: string;
  readonly binding: string;
  readonly sandbox: string;
  readonly template: string;
  readonly live: string;
  readonly questions: string;
}

const INTRODUCTION = `# Kinds of plans

What is decided about the kinds of plans the service builds, with the programs it uses on chain. *Exact*: every
instruction is read, and what the bytes do is compared with what was asked for. *Unread*: an instruction calls a program
whose interface is not published, or is one whose amounts cannot be relied on; it stands in the policy by an entry of its
own, and a person is asked about it.

The column *sandbox* is the embedded sandbox with its policy. The next two are a shipped template on a live network, with
those who earn, and the receiver of what a curve leaves over, in its address book and entries for the programs that are not read. *Questions* says how often a
person is asked about the whole plan, however many stages and rounds it has.

*Not there*: the embedded service builds no such call: the sandbox has no program of that router, or it is how others build
a claim. It stands in the place of the service's and is decided on as if it did the same; it is not run.

Recorded by a test that plays every kind (\`test/policy/kinds/\`); written by \`npm run gen\`.
`;

/** The page, from the recorded rows. */
export function kindsPage(): string {
  const rows: readonly KindRow[] = JSON.parse(readFileSync('test/policy/kinds/kinds.json', 'utf8'));
  return [
    INTRODUCTION,
    '| kind | binding | sandbox | template | verdict | questions |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ kind, binding, sandbox, template, live, questions }) =>
        `| ${kind} | ${binding} | ${sandbox} | \`${template}\` | ${live} | ${questions} |`,
    ),
    '',
  ].join('\n');
}
