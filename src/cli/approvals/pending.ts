/** `countersign pending`: what waits for a person's approval, and how to give it. */
import { existsSync } from 'node:fs';
import { pendingViews } from '../../approval/readView.ts';
import { leavesWords } from '../../approval/view.ts';
import { duration } from '../../base/words.ts';
import { doorPath } from '../../page/http/door.ts';
import type { Command } from '../command.ts';
import { atDesk } from './answerDesk.ts';

export const pendingCommand: Command = (input) =>
  atDesk(input, async ({ ledger, policy }) => {
    const { terminal, options, home } = input;
    const [views, frozen, now] = [
      await pendingViews(ledger, policy),
      await ledger.frozen(),
      await ledger.time(),
    ];
    if (options.json === true) {
      terminal.print(JSON.stringify({ frozen: frozen ?? null, pending: views }));
      return 0;
    }
    if (frozen !== undefined) terminal.print(`Signing is frozen: ${frozen.reason}`);
    if (views.length === 0) terminal.print('Nothing waits for you.');
    for (const view of views) {
      terminal.print(`${view.id}  ${view.title} (${view.mode})`);
      terminal.print(`  ${leavesWords(view)}; expires in ${duration(view.expiresAt - now)}`);
    }
    if (views.length > 0)
      terminal.tell('Look at one and answer: `countersign approve ID` or `countersign deny ID`.');
    if (existsSync(doorPath(home))) terminal.tell(`Or open ${doorPath(home)} in a browser.`);
    return 0;
  });
