/**
 * `countersign read TEXT | FILE | PLAN …`: shows the statement of transactions, as in a question, and their
 * unsupported parts. Signs and sends nothing.
 */

import { systemClock } from '../../clock.ts';
import { SETUP_REQUIRED } from '../../contract/plan.ts';
import { operationWords } from '../../plan/operationNames.ts';
import type { Stage } from '../../plan/types.ts';
import type { DecisionInputs } from '../../policy/decide/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { addEvidence, noEvidence } from '../../presentation/question/evidence.ts';
import { INCOMPLETE, UNVERIFIED } from '../../presentation/question/marks.ts';
import { peopleOf } from '../../presentation/question/people.ts';
import { questionFacts } from '../../presentation/question/question.ts';
import { statementOfStages } from '../../presentation/statement/stages.ts';
import { createChain } from '../../rpc/chain.ts';
import type { Chain } from '../../rpc/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { cleanText } from '../../service/untrusted.ts';
import { TransactionError } from '../../transaction/errors.ts';
import type { Address } from '../../transaction/types.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { walletOption } from '../keys/wallets/named.ts';
import { columnsFor } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { shownId } from '../records/history.ts';
import { type Found, impliedBy, isFile, looksLikePath, planAround, readFileOf, readText } from './input.ts';
import { type Given, planHere, requestedPlan } from './plan.ts';
import { notesOf, type ReadPage, readJson, readLines } from './readLines.ts';
import { inputsOf, type ReadStage, readOne } from './stages.ts';

const USE = 'countersign read TEXT | FILE | PLAN';

export const readCommand: Command = async (typed) => {
  const input: CommandInput = { ...typed, options: { ...typed.options, wallet: await walletOption(typed) } };
  const { options, terminal } = input;
  const chain = chainOf(input);
  const policyPath = textOption(options, 'policy');
  const loaded = policyPath === undefined ? undefined : await readPolicy(policyPath, terminal);
  if (policyPath !== undefined && loaded === undefined) return 1;
  const given = await found(input, loaded);
  const stages: ReadStage[] = [];
  for (const stage of given.plan.stages) {
    const recorded = given.decided.find(({ stageId }) => stageId === stage.id)?.inputs;
    // The home's RPC is used only for plans without records; an explicit one for everything.
    const isNamed = chain !== undefined && input.saved?.['rpc-url'] !== options['rpc-url'];
    const useRecorded = !isNamed && recorded !== undefined;
    const inputs = useRecorded ? recorded : await inputsOf(given.plan, stage, given.statuses, chain);
    stages.push(readOrRefuse(stage, inputs));
  }
  const page = pageOf(given, stages, loaded, chain !== undefined);
  const columns = columnsFor(terminal.columns);
  if (options.json === true) terminal.print(readJson(page));
  else for (const line of readLines(page, columns, systemClock.now())) terminal.print(line);
  return 0;
};

function readOrRefuse(stage: Stage, inputs: DecisionInputs): ReadStage {
  try {
    return readOne(stage, inputs);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new SetupError(
      `${shownId(stage.id)} cannot be read: ${error.message}.`,
      'The chain would refuse it.',
    );
  }
}

function pageOf(
  { plan, isRequested, decided, question, notes, ...given }: Given,
  stages: readonly ReadStage[],
  loaded: LoadedPolicy | undefined,
  isOnline: boolean,
): ReadPage {
  const evidence = noEvidence();
  for (const { inputs } of stages) addEvidence(inputs, evidence);
  const people = peopleOf(
    plan,
    loaded?.policy,
    decided.flatMap(({ decision }) => decision.recipients),
  );
  const acts = stages.flatMap(({ readings }) => readings.flatMap((each) => each.acts));
  const operation = isRequested ? plan.operation : impliedBy(acts).operation;
  const statement =
    given.statement ??
    statementOfStages(
      // Optional stages of a plan are judged separately.
      stages.flatMap(({ stage, stated }) => (stage.optional ? [] : [stated])),
      plan.readiness?.status === SETUP_REQUIRED ? plan.operation : undefined,
    );
  const facts =
    question?.facts ??
    questionFacts({
      ...{ plan: { ...plan, operation }, statement, evidence, people },
      mark: isRequested ? UNVERIFIED : INCOMPLETE,
      decided: stages.map(({ readings, inputs: { simulation } }) => ({
        binding: readings.every(({ reading }) => reading.status === 'read') ? 'exact' : 'effects',
        staticOnly: simulation.status !== 'done',
        checks: [],
      })),
    });
  return {
    ...{ wallet: plan.wallet, stages, statement, facts, label: people.label },
    ...(isRequested ? { title: operationWords(plan.operation) } : {}),
    ...(question === undefined ? {} : { question }),
    notes: [...notes, ...notesOf(stages, isOnline || decided.length > 0)],
    decided: decided.map(({ stageId, decision }) => ({ stageId, decision })),
    ...(loaded === undefined || isRequested ? {} : { policy: loaded.policy }),
  };
}

/** Returns what the arguments name: a plan of this home, files, or texts. */
async function found(input: CommandInput, loaded: LoadedPolicy | undefined): Promise<Given> {
  const [word, ...others] = input.words;
  if (word === undefined) throw new SetupError('Which transaction?', USE);
  const plan = others.length === 0 ? await planHere(input, word, loaded) : undefined;
  if (plan !== undefined) return plan;
  const transactions: Found[] = [];
  for (const each of input.words) transactions.push(await transactionIn(each, others.length > 0));
  return withoutRequest(transactions, input, loaded);
}

async function transactionIn(word: string, isOneOfSeveral: boolean): Promise<Found> {
  if (await isFile(word)) return { title: `File ${word}`, transaction: await readFileOf(word) };
  if (looksLikePath(word)) {
    throw new SetupError(
      `There is no file ${cleanText(word, 200).text}.`,
      'Give the path of a file that holds a transaction, its text as base64 or base58, or the id of a plan of this home.',
    );
  }
  const transaction = readText(word);
  const name = isOneOfSeveral ? ` ${transaction.messageSha256.slice(0, 8)}` : '';
  return { title: `Transaction${name}`, transaction };
}

/** Wraps transactions without a request, for the wallet that must sign them. */
async function withoutRequest(
  transactions: readonly Found[],
  { options }: CommandInput,
  loaded: LoadedPolicy | undefined,
): Promise<Given> {
  const named = textOption(options, 'wallet');
  const own = new Set([
    ...(named === undefined ? [] : [named]),
    ...(loaded?.policy.wallets ?? []).map(({ address }) => address),
  ]);
  const unsigned = transactions.flatMap(({ transaction: { staticAccounts, signatures } }) =>
    staticAccounts.filter((_, slot) => signatures[slot] === null),
  );
  const payer = transactions[0]?.transaction.staticAccounts[0] ?? '';
  const [only] = new Set(unsigned).size === 1 ? unsigned : [];
  const wallet =
    unsigned.find((address) => own.has(address)) ?? (unsigned.includes(payer) ? payer : (only ?? payer));
  // A first pass without a request: the acts imply its fields.
  const blind = planAround(transactions, wallet);
  const acts = [];
  for (const stage of blind.stages) {
    const { readings } = readOrRefuse(stage, await inputsOf(blind, stage, new Map(), undefined));
    acts.push(...readings.flatMap((each) => each.acts));
  }
  const plan = planAround(transactions, wallet, impliedBy(acts).fields);
  return { ...requestedPlan(plan), isRequested: false, notes: doubtsOf(own, new Set(unsigned)) };
}

function doubtsOf(own: ReadonlySet<Address>, unsigned: ReadonlySet<Address>): string[] {
  if ([...unsigned].some((address) => own.has(address))) return [];
  if (own.size > 0) return ['None of the named wallets is a signer.'];
  if (unsigned.size === 0) return ['Every key has signed: the facts are those of the fee payer.'];
  return unsigned.size > 1
    ? ['More than one key must sign. If this is not your wallet, pass --wallet ADDRESS.']
    : [];
}

function chainOf({ options }: CommandInput): Chain | undefined {
  const rpcUrl = textOption(options, 'rpc-url');
  return rpcUrl === undefined ? undefined : createChain({ rpcUrl });
}
