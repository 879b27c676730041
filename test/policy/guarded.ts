/** Recorded stages with guards, and the changes that tests make to them. */
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide, decideStaged } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import type { Line } from '../../src/statement/types.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { appendInstructions } from '../../src/transaction/append.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { policyFor, STAGES, stage, WALLET } from './recorded/stages.ts';

export const ATTACKER = keyNamed('attacker').address;
/** Recorded plans that only the wallet signs, each of one stage. */
export const NAMES = STAGES.filter(
  (name) => stage(name).stage.refresh === 'blockhash' && stage(name).siblings.length === 1,
);
export const SWAP = 'swap of USDC';

export type Guards = LoadedPolicy['policy']['transaction']['guards'];
export const policyOf = (name: string, guards: Guards = 'on'): LoadedPolicy => {
  const { policy, ...rest } = policyFor(name);
  return { ...rest, policy: { ...policy, transaction: { ...policy.transaction, guards } } };
};
export const decided = (inputs: DecisionInputs, name: string): Decision =>
  decide(inputs, policyOf(name), NOTHING_USED);
export const linesOf = ({ statement }: Decision): readonly Line[] => stageFrom(statement).lines;
export const enforced = (decision: Decision) =>
  linesOf(decision).flatMap((line) => (line.id === 'enforced' && line.views > 0 ? [line.asset] : []));

/** Returns inputs with guards, or `undefined` if the stage gets none. A second RPC has the same lookup tables. */
export function guarded(
  staged: DecisionInputs,
  name: string,
  second?: readonly AccountFact[],
  on: Guards = 'on',
) {
  const inputs: DecisionInputs = second === undefined ? staged : { secondRpc: { agrees: true }, ...staged };
  const made = decideStaged(inputs, policyOf(name, on), NOTHING_USED).guard?.(second);
  if (made === undefined || made.count === 0) return undefined;
  const { transaction, count } = made;
  const guards = { count, ...(second === undefined ? {} : { second }) };
  return { ...inputs, stage: { ...inputs.stage, transaction }, guards } satisfies DecisionInputs;
}

/** Returns the inputs of a stage that must get guards. */
export function mustGuard(
  inputs: DecisionInputs,
  name: string,
  second?: readonly AccountFact[],
): DecisionInputs & Required<Pick<DecisionInputs, 'guards'>> {
  const found = guarded(inputs, name, second);
  if (found === undefined) throw new Error(`${name} gets no guards`);
  return found;
}

/** The requested compute units of a stage. */
export function unitsOf({ stage: { transaction }, tables }: DecisionInputs): number {
  const held = new Map(tables.map(({ table, addresses }) => [table, addresses]));
  const { fee } = transaction.resolve({ tables: held, off: new Set() });
  if (fee instanceof Error) throw fee;
  return fee.computeUnitLimit;
}

export const wireOf = ({ stage: { transaction } }: DecisionInputs) => transaction.read();

/** The staged bytes with other instructions in the guards' place. */
export function ending(
  inputs: DecisionInputs,
  instructions: readonly EncodedInstruction[],
  count = instructions.length,
): DecisionInputs {
  const staged = wireOf(inputs);
  const longer = appendInstructions(staged, accountList(staged, inputs.tables), instructions);
  if (longer === undefined) throw new Error('the instructions do not fit');
  const transaction = DecodedStage.ofBytes(longer.bytes);
  return { ...inputs, stage: { ...inputs.stage, transaction }, guards: { count } };
}

/** The wallet's token accounts among those of a stage. */
export const accountsOf = (inputs: DecisionInputs) =>
  inputs.accounts.flatMap((fact) => {
    const state = tokenAccountOf(fact);
    return state?.owner === WALLET ? [{ ...state, account: fact.address, program: fact.owner }] : [];
  });

/** The inputs with the data of one account changed. */
export const changed = (
  inputs: DecisionInputs,
  address: string,
  change: (data: Buffer) => void,
): DecisionInputs => ({
  ...inputs,
  accounts: inputs.accounts.map((fact) => {
    if (fact.address !== address) return fact;
    const data = Buffer.from(fact.data, 'base64');
    change(data);
    return { ...fact, data: data.toString('base64') };
  }),
});
export const delegated = (data: Buffer) => {
  data.writeUInt32LE(1, 72);
  data.set(addressBytes(ATTACKER), 76);
  data.writeBigUInt64LE(5n, 121);
};
export const closable = (data: Buffer) => {
  data.writeUInt32LE(1, 129);
  data.set(addressBytes(ATTACKER), 133);
};
