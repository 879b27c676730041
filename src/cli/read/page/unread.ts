/** What the short part says of instructions that are not read: whose signature they get and what they may write to. Pure. */
import { listWords } from '../../../base/words.ts';
import { programName } from '../../../programs/index.ts';
import { addressList } from '../../../programs/words/earners.ts';
import type { Naming } from '../../../programs/words/naming.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Summary, Unread } from '../facts.ts';

/** The sentences, one for each step; steps of one program that only a table is missing for share one. */
export const unreadSentences = (summary: Summary, n: Naming): string[] =>
  grouped(summary.unread).map((each) => unreadWords(each, summary, n));

function unreadWords(
  { step, also, program, missingTable, signed, writes }: Unread & { readonly also: readonly number[] },
  { wallet }: Summary,
  n: Naming,
): string {
  const name = programName(program) ?? programWords(program, n).replace(/^the /, '');
  const why = missingTable
    ? 'cannot be read without the address table; pass --rpc-url'
    : 'is not read: what it does shows only when it runs';
  const reach = writes.length === 0 ? 'no account' : addressList(writes, n);
  const whose = `the signature of ${n.address(wallet)}, and may write to ${reach}`;
  if (also.length === 0)
    return `Step ${step} (${name}) ${why}. It ${signed ? 'gets' : 'does not get'} ${whose}.`;
  return `Steps ${listWords([step, ...also].map(String))} (${name}) ${why}. They ${signed ? 'get' : 'do not get'} ${whose}.`;
}

/** Steps of one program that only a table is missing for, as one. */
function grouped(unread: readonly Unread[]): (Unread & { readonly also: readonly number[] })[] {
  const groups: (Unread & { readonly also: readonly number[] })[] = [];
  for (const each of unread) {
    const at = groups.findIndex(
      ({ program, missingTable }) => missingTable && each.missingTable && program === each.program,
    );
    const group = groups[at];
    if (group === undefined) groups.push({ ...each, also: [] });
    else {
      const writes = [...new Set([...group.writes, ...each.writes])];
      groups[at] = {
        ...group,
        signed: group.signed || each.signed,
        writes,
        also: [...group.also, each.step],
      };
    }
  }
  return groups;
}

export const programWords = (program: Address, n: Naming): string =>
  `the program ${programName(program) ?? n.address(program)}`;
