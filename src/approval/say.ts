/** A question as plain lines, for a terminal and for a client's own dialog. */

import { duration, shortAddress } from '../base/words.ts';
import type { ApprovalView } from './view.ts';

/** Everything the page shows, as text. `now` in milliseconds. */
export function sayApproval(view: ApprovalView, now: number): string[] {
  const { wallet, leaves, arrives, authority, recipients, limits, stages, notes } = view;
  return [
    `${view.title} (${view.mode})`,
    view.why,
    ...(view.rule === undefined ? [] : [`Rule ${view.rule.id}: ${view.rule.why}`]),
    '',
    `From wallet    ${wallet.label === undefined ? '' : `${wallet.label} · `}${wallet.address}`,
    ...list('Leaves', leaves.length === 0 ? ['nothing'] : leaves.map(({ words }) => `at most ${words}`)),
    ...list('Arrives', arrives.length === 0 ? ['nothing'] : arrives.map(({ words }) => `at least ${words}`)),
    ...list('Network fee', [`${view.fee.words} (included)`]),
    ...list('Authority', authority.length === 0 ? ['nobody gains control'] : authority),
    ...list(
      'Recipients',
      recipients.map(({ address, label, roles, share }) =>
        [label ?? 'not in your address book', share, roles.join(', '), address].filter(Boolean).join(' · '),
      ),
    ),
    ...list(
      'Limits',
      limits.map(({ id, before, after, max }) => `${id}: ${before} → ${after} of ${max}`),
    ),
    ...list(
      'Steps',
      stages.map(
        ({ words, covered, optional }, index) =>
          `${index + 1}. ${words}${covered ? '' : optional ? ' (optional, not part of this yes)' : ' (not part of this yes)'}`,
      ),
    ),
    ...list(
      'Message hash',
      stages.flatMap(({ id, messageSha256 }) =>
        messageSha256 === undefined ? [] : [`${shortId(id)} ${messageSha256.base58}`, messageSha256.hex],
      ),
    ),
    ...list('Note', notes),
    ...list(
      'Asked for',
      view.asked.map(({ name, value }) => `${name} = ${value}`),
    ),
    '',
    view.state === 'pending'
      ? `Expires in ${duration(view.expiresAt - now)}.`
      : `This question is ${view.state}.`,
  ];
}

function list(name: string, values: readonly string[]): string[] {
  return values.map((value, index) => `${(index === 0 ? name : '').padEnd(14)} ${value}`);
}

const shortId = (id: string): string => (id.length > 24 ? shortAddress(id) : id);
