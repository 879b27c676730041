import { amountOfAsset } from '../../src/base/format.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { instructionOf, simulationOf, withRequest } from './recorded/edits.ts';
import { decide, policyFor, stage, WALLET } from './recorded/stages.ts';

export const token = stage('direct launch, token');
export const pool = stage('direct launch');
export const end = stage('direct launch, end');
export const MINT = String(pool.plan.request.tokenMint);
export const OPEN = 'dammV2.initializeCustomizablePool';
export const [POSITION, ADD, LOCK] = [
  'dammV2.createPosition',
  'dammV2.addLiquidity',
  'dammV2.permanentLockPosition',
];
export const creator = instructionOf(token, 'token.mintTo').accounts.mintAuthority.address;
export const MATCHES = 'REQUEST_MISMATCH: matchesRequest';
export const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';
export const LEAVES_CHECK = 'leavesAsAsked';
/** The stage with another stage of its plan as given. */
export const beside = (
  inputs: DecisionInputs,
  id: string,
  other: DecisionInputs,
  status?: DecisionInputs['siblings'][number]['status'],
): DecisionInputs => ({
  ...inputs,
  siblings: inputs.siblings.map((each) =>
    each.stage.id === id ? { status: status ?? each.status, stage: { ...other.stage, id } } : each,
  ),
});
/** The stage as the only one of its plan. */
export const alone = (inputs: DecisionInputs, others: readonly DecisionInputs[] = []): DecisionInputs => {
  const own = { ...inputs.stage, dependsOn: [] };
  const landed = others.map(({ stage: each }, i) => ({
    stage: { ...each, id: `other-${i}` },
    status: 'finalized' as const,
  }));
  return { ...inputs, stage: own, siblings: [...landed, { stage: own, status: 'ready' }] };
};
export const withoutFirstBuy = (inputs: DecisionInputs): DecisionInputs =>
  withRequest(inputs, { initialBuyQuoteRaw: undefined, tipWallet: undefined, tipLamports: undefined });
/** The request's maximum SOL spending, as recorded by the checks. */
export const mayLeave = (inputs: DecisionInputs, policy = policyFor('')) =>
  decide(inputs, policy).checks.find(
    ({ id, allowed }) => id === LEAVES_CHECK && (allowed?.endsWith(' SOL') ?? false),
  );
export const sol = (units: bigint) => amountOfAsset(units, 'SOL');
/** The stage with this many of the wallet's lamports more in an account after the simulation. */
export function paidTo(inputs: DecisionInputs, address: string, more: bigint): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map((each) => {
    const by = each.address === address ? more : each.address === WALLET ? -more : 0n;
    return { ...each, lamports: `${BigInt(each.lamports) + by}` };
  });
  return { ...inputs, simulation: { ...simulation, after } };
}
