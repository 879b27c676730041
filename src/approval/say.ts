/** A question as plain lines, for a terminal and for a client's own dialog. */

import { duration, shortAddress } from '../base/words.ts';
import type { ApprovalView } from './view.ts';
import { UNVERIFIED } from './words.ts';

/** Everything the page shows, as text. `now` in milliseconds. */
export function sayApproval(view: ApprovalView, now: number): string[] {
  const unread = view.read ? '' : ` (${UNVERIFIED})`;
  const { wallet, leaves, arrives, authority, recipients, limits, stages, notes } = view;
  return [
    `${view.title} (${view.mode})${unread}`,
    view.why,
    ...(view.rule === undefined ? [] : [`Rule ${view.rule.id}: ${view.rule.why}`]),
    '',
    `From wallet    ${wallet.label === undefined ? '' : `${wallet.label} · `}${wallet.address}`,
    ...list(
      'Leaves',
      leaves.length === 0
        ? [`nothing${unread}`]
        : leaves.map((each) => `at most ${each.words}${marked(each)}`),
    ),
    ...list(
      'Arrives',
      arrives.length === 0
        ? [`nothing${unread}`]
        : arrives.map((each) => `at least ${each.words}${marked(each)}`),
    ),
    ...list('Network fee', [`${view.fee.words} (included)`]),
    ...list('Authority', authority.length === 0 ? ['no other address gains control'] : authority),
    ...list(
      'Recipients',
      recipients.map(({ address, label, roles, share, mark }) =>
        [label ?? 'not in your address book', share, roles.join(', '), address, mark]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    ...list(
      'Limits',
      limits.map(({ id, before, after, max }) => `${id}: ${before} → ${after} of ${max}`),
    ),
    ...list(
      'Steps',
      stages.map(
        ({ words, covered, optional, mark }, index) =>
          `${index + 1}. ${words}${marked({ mark })}${covered ? '' : optional ? ' (optional, not part of this approval)' : ' (not part of this approval)'}`,
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
      view.read ? 'Asked for' : 'Requested, not verified',
      view.asked.map(({ name, value }) => `${name} = ${value}`),
    ),
    '',
    view.state === 'pending'
      ? `Expires in ${duration(view.expiresAt - now)}.`
      : `This question is ${view.state}.`,
  ];
}

const marked = ({ mark }: { readonly mark?: string | undefined }): string =>
  mark === undefined ? '' : ` (${mark})`;

function list(name: string, values: readonly string[]): string[] {
  return values.map((value, index) => `${(index === 0 ? name : '').padEnd(14)} ${value}`);
}

const shortId = (id: string): string => (id.length > 24 ? shortAddress(id) : id);
