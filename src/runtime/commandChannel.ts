/**
 * The command line as a way to reach a person: the question waits in the ledger, and `countersign pending` shows it.
 * Nothing is sent anywhere: the answer is proved by the owner key's signature.
 */
import type { ApprovalChannel } from '../approval/types.ts';
import { hasOwnerKey } from '../page/channel.ts';
import type { Mode } from '../plan/types.ts';

export interface CommandChannelParts {
  readonly mode: Mode;
  readonly home: string;
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** One line for standard error. */
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
    ask: async (id) => log?.(`A person is asked to approve: countersign approve ${id}`),
  };
}
