/** `countersign ledger accept`: replaces a lost ledger. */
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command } from '../command.ts';
import { requireFile } from './place.ts';

export const ledgerCommand: Command = async (input) => {
  requireFile(input);
  if (input.words[0] === 'accept') return (await import('./ledger/accept.ts')).acceptCommand(input);
  throw new SetupError('The ledger command needs to know what to do.', 'countersign ledger accept');
};
