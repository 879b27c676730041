/**
 * `countersign ledger accept`: begins a new ledger after the old one was lost or damaged (T80). Every limit counts as
 * used until its window has passed. Requires the owner key.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerError, ownerStatement } from '../../../answering/answering.ts';
import { ledgerPayload } from '../../../approval/answers.ts';
import { systemClock } from '../../../clock.ts';
import { endOf } from '../../../ledger/calendar.ts';
import { checkpointFile, readCheckpoint } from '../../../ledger/checkpoint/checkpointFile.ts';
import { retiredError } from '../../../ledger/checkpoint/guard.ts';
import type { LedgerError } from '../../../ledger/errors.ts';
import { allFrozen } from '../../../ledger/frozen.ts';
import { type HomeLedger, openLedger } from '../../../ledger/sqlite/sqlite.ts';
import { windowLimits } from '../../../policy/decide/checks/limits.ts';
import { GENESIS } from '../../../policy/file/networks.ts';
import type { Policy } from '../../../policy/file/schema.ts';
import { createChain } from '../../../rpc/chain.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { keeperOf } from '../../../runtime/backends/checkpointKeeper.ts';
import { LONGEST_STATEMENT_MS } from '../../../secrets/keys/ownerStatement.ts';
import { type CommandInput, textOption } from '../../command.ts';
import { retiredOf } from '../../homes/copy.ts';
import { askOwnerPassphrase, knownOwnerPublicKey, storeOf } from '../../keys/owner.ts';
import { readPolicy } from '../../policy/read.ts';
import { buildLedger, placeLedger } from './newLedger.ts';
import { outlast } from './outlast.ts';

const USAGE = 'countersign ledger accept --rpc-url URL --policy FILE';

export async function acceptCommand(input: CommandInput): Promise<number> {
  const { home, terminal, options } = input;
  const store = storeOf(input, true);
  const keeper = keeperOf(store);
  const ledger = openLedger({ home, clock: systemClock, keeper });
  try {
    const damage = await ledger.damage();
    if (damage === undefined) {
      terminal.print('The ledger is whole: there is nothing to accept.');
      return 0;
    }
    requireLoss(damage);
    const retired = await retiredOf(home, systemClock);
    if (retired?.why === 'moved') throw retiredError(retired);
    terminal.tell(`${damage.code}: ${damage.message}`);
    const { rpcUrl, policy } = await given(input);
    const chain = createChain({ rpcUrl });
    const network = await chain.genesisHash();
    if ((GENESIS[policy.network] ?? policy.network) !== network) {
      throw new SetupError(
        `The policy is for the network ${policy.network}, and the RPC is on ${network}.`,
        'Give the RPC and the policy of the network whose ledger was lost.',
      );
    }
    const checkpoint = readCheckpoint(checkpointFile(home));
    await outlast({ chain, network, checkpoint, keeper, tell: terminal.tell, sleep });
    const frozen = await freezeLeft(ledger);
    for (const line of stateLines(policy, frozen)) terminal.tell(line);
    const instead = checkpoint === undefined || checkpoint === 'damaged' ? null : checkpoint.ledger;
    const identity = await accepted(input, frozen, network, instead);
    const aside = await placeLedger(home, identity, keeper, systemClock.now());
    terminal.print(
      options.json === true
        ? JSON.stringify({ ledger: identity.ledger, aside })
        : 'Accepted: a new ledger is in place, and running servers continue with it.',
    );
    terminal.tell(`The rest of the old one is in ${aside}.`);
    return 0;
  } finally {
    store.lock();
    await ledger.close().catch(() => undefined);
  }
}

/** Throws unless the ledger is lost: a busy ledger or one of another version is not. */
function requireLoss(damage: LedgerError): void {
  if (damage.code !== 'LEDGER_LOST' && damage.code !== 'LEDGER_CORRUPT') throw damage;
}

async function given(input: CommandInput) {
  const { options, terminal } = input;
  const rpcUrl = textOption(options, 'rpc-url');
  const path = textOption(options, 'policy');
  if (rpcUrl === undefined || path === undefined) {
    throw new SetupError('The RPC and the policy of the network whose ledger was lost are needed.', USAGE);
  }
  if ((await knownOwnerPublicKey(input)()) === undefined) {
    throw new SetupError(
      'The secret store does not know an owner key, so another ledger cannot be accepted.',
      'Make one with `countersign owner create`; with the environment store, set COUNTERSIGN_OWNER_PUBLIC_KEY.',
    );
  }
  const loaded = await readPolicy(path, terminal);
  if (loaded === undefined)
    throw new SetupError(`${path} cannot be used.`, `countersign policy check ${path}`);
  return { rpcUrl, policy: loaded.policy };
}

/** Returns the reason of a freeze in the remains of the old ledger. */
async function freezeLeft(ledger: HomeLedger): Promise<string | undefined> {
  try {
    return (await allFrozen(ledger))?.reason;
  } catch {
    return undefined;
  }
}

function stateLines(policy: Policy, frozen: string | undefined): string[] {
  const now = systemClock.now();
  const ends = windowLimits(policy).map(
    (limit) => `  ${limit.id}: until ${new Date(endOf(limit, now)).toISOString()}`,
  );
  return [
    'Spending under the old ledger is unknown. Every limit counts as used up until its window has passed:',
    ...ends,
    ...(frozen === undefined ? [] : ['Signing stays frozen: `countersign unfreeze` lifts it.']),
    'Plans and approvals of the old ledger are not kept.',
  ];
}

async function accepted(
  input: CommandInput,
  frozen: string | undefined,
  network: string,
  instead: string | null,
) {
  const passphrase = await askOwnerPassphrase(input);
  const ownerPublicKey = knownOwnerPublicKey(input);
  try {
    return await buildLedger(input.home, systemClock, frozen, async (ledger, now) => {
      const by = { home: input.home, ownerPublicKey, passphrase };
      if ((await ownerPublicKey()) === undefined) {
        throw new AnswerError('OWNER_KEY_NEEDED', 'The secret store names no owner key.', USAGE);
      }
      return ownerStatement(by, 'ledger', ledgerPayload(ledger, network, instead), {
        now,
        ttlMs: LONGEST_STATEMENT_MS,
      });
    });
  } finally {
    passphrase.wipe();
  }
}
