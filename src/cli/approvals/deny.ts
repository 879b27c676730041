/** `countersign deny ID`: denies a question. Needs no key: any process that can write the ledger may stop things. */

import type { Command } from '../command.ts';
import { atDesk, questionNamed } from './answerDesk.ts';

export const denyCommand: Command = (input) =>
  atDesk(input, async (desk) => {
    const { id, envelopeDigest } = await questionNamed(input, desk, 'deny');
    await desk.answering.deny({ id, envelopeDigest, channel: 'command' });
    input.terminal.print(`Denied ${id}. Nothing is signed for it.`);
    return 0;
  });
