/**
 * The command line as an approval channel: the question is in the ledger, and `countersign pending` shows it. Nothing
 * is sent: the answer is verified by the owner key's signature.
 */
import type { ApprovalChannel } from '../approval/types.ts';
import { hasOwnerKey } from '../page/channel.ts';
import type { Mode } from '../plan/types.ts';

export interface CommandChannelParts {
  readonly mode: Mode;
  readonly home: string;
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** Writes one line to standard error. */
  readonly log?: (line: string) => void;
}

export function createCommandChannel({
  mode,
  home,
  ownerPublicKey,
  log,
}: CommandChannelParts): ApprovalChannel {
  return {
    name: 'command',
    available: async () => mode === 'sandbox' || hasOwnerKey(home, ownerPublicKey),
    ask: async (id) => log?.(`Your approval is needed: countersign approve ${id}`),
  };
}
