/**
 * Shared parts of the commands that answer questions: the home's ledger, the owner key, and the policy that names
 * limits.
 */
import { type Answering, createAnswering } from '../../answering/answering.ts';
import type { Ledger } from '../../ledger/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../policy/file/file.ts';
import { readApprovalView } from '../../presentation/question/readView.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { type CommandInput, textOption } from '../command.ts';
import { knownOwnerPublicKey } from '../keys/owner.ts';
import { withLedger } from '../records/place.ts';

export interface AnswerDesk {
  readonly ledger: Ledger;
  readonly answering: Answering;
  readonly policy: LoadedPolicy | undefined;
}

/** Opens the ledger of the home for one command, and closes it. */
export async function atDesk(
  input: CommandInput,
  work: (desk: AnswerDesk) => Promise<number>,
): Promise<number> {
  const { home } = input;
  return withLedger(input, async (ledger) => {
    const answering = createAnswering({ home, ledger, ownerPublicKey: knownOwnerPublicKey(input) });
    return work({ ledger, answering, policy: await givenPolicy(input) });
  });
}

/** Returns the policy file given by option, if it can be read; used only for names of limits and addresses. */
async function givenPolicy({ options }: CommandInput): Promise<LoadedPolicy | undefined> {
  const path = textOption(options, 'policy');
  if (path === undefined) return undefined;
  const file = await readPolicyFile(path);
  if ('problem' in file) return undefined;
  const parsed = parsePolicy(file.text);
  return 'errors' in parsed ? undefined : parsed;
}

/** Returns the question a command names, by its id or its plan's. */
export async function questionNamed(
  { words }: CommandInput,
  { ledger, policy }: AnswerDesk,
  command: string,
): Promise<ApprovalView> {
  const [id] = words;
  if (id === undefined) {
    throw new SetupError('Which question?', `countersign ${command} ID; see \`countersign pending\`.`);
  }
  const ofPlan = (await ledger.rows('approvals', { planId: id })).find(({ state }) => state === 'pending');
  const view = await readApprovalView(ledger, ofPlan?.id ?? id, policy);
  if (view !== undefined) return view;
  throw new SetupError('No question has this id.', 'See `countersign pending`.');
}
