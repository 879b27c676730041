/**
 * Guards: instructions at the end of a transaction that assert balances of the wallet's accounts. They are built from the
 * decision and checked like untrusted instructions; the rest of the transaction must equal the staged one.
 */
import { boundsOf, enforcedAssets, movedAssets, openBuckets, type Promised } from '../../../guards/bounds.ts';
import { failedAt, guardsFor, type Proven, provenBy, unitsOf } from '../../../guards/guards.ts';
import { DecodedStage, type ResolvedStage } from '../../../plan/decodedStage.ts';
import type { Stage } from '../../../plan/types.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import type { Line } from '../../../statement/types.ts';
import { appendInstructions } from '../../../transaction/append.ts';
import { equal } from '../../../transaction/read.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, rentOf, type StageContext } from '../decisionContext.ts';
import type { DecisionInputs, LedgerView } from '../types.ts';

/** Returns the stage without guards. */
export const stagedOf = ({ stage, siblings, guards }: DecisionInputs) =>
  (guards && siblings.find((each) => each.stage.id === stage.id)?.stage) ?? stage;

/**
 * Whether guards may be appended to a stage: it is unsigned, the wallet is the only signer, and no hash is declared. It must
 * be the only stage, so that its guards cover the bounds of the whole plan.
 */
export function mayGuard(
  { refresh, declared, transaction: { decoded } }: Stage,
  wallet: Address,
  stages: number,
): boolean {
  if (decoded === undefined || stages !== 1) return false;
  const { signatures, staticAccounts } = decoded;
  const isAlone = signatures.length === 1 && signatures[0] === null && staticAccounts[0] === wallet;
  return refresh === 'blockhash' && declared.messageSha256 === undefined && isAlone;
}

const isFree = (inputs: DecisionInputs): boolean =>
  mayGuard(stagedOf(inputs), inputs.plan.wallet, inputs.siblings.length);

const promisedOf = (
  { inputs, wallet, loaded, acts, accounts }: StageContext,
  second = inputs.guards?.second,
): Omit<Promised, 'lines'> => ({
  ...{ wallet, loaded, acts, rent: (bytes) => rentOf(inputs, bytes) },
  ...(inputs.simulation.status === 'done' && inputs.simulation.error === null
    ? { after: byAddress(inputs.simulation.after) }
    : {}),
  views: [accounts, ...(second === undefined ? [] : [byAddress(second)])],
  isAgreed: second === undefined || inputs.secondRpc?.agrees === true,
});

const byAddress = (accounts: readonly AccountFact[]) =>
  new Map(accounts.map((account) => [account.address, account]));

/** Appends guards; `count` is 0 if they do not fit. `second`: as in `DecisionInputs.guards`. */
export type GuardStage = (second: readonly AccountFact[] | undefined) => {
  readonly transaction: DecodedStage;
  readonly count: number;
};

/** Returns a function that appends guards for these lines, or `undefined` if the stage can have none. */
export function guardStage(c: DecisionContext, lines: readonly Line[]): GuardStage | undefined {
  const { inputs, policy, wallet, transaction, loaded, fee } = c;
  if (policy.transaction.guards === 'off' || inputs.guards !== undefined || !isFree(inputs)) return undefined;
  return (second) => {
    const guards = guardsFor(boundsOf({ ...promisedOf(c, second), lines }), wallet);
    const used = inputs.simulation.status === 'done' ? (inputs.simulation.unitsConsumed ?? 0) : 0;
    const fits = guards.reduce((sum, guard) => sum + unitsOf(guard), used) <= fee.computeUnitLimit;
    const longer = fits ? appendInstructions(transaction, loaded, guards) : undefined;
    return longer === undefined
      ? { transaction: inputs.stage.transaction, count: 0 }
      : { transaction: DecodedStage.ofBytes(longer.bytes), count: guards.length };
  };
}

/** Returns the balances that the guards of a stage prove, or `undefined` if it has none or they are refused. */
export function checkGuards(
  c: Omit<StageContext, 'proven'>,
  stage: ResolvedStage,
  list: Checklist,
): Proven | undefined {
  const count = c.inputs.guards?.count;
  if (count === undefined) return undefined;
  const end = stage.readings.length - count;
  const proven = provenBy(stage.readings.slice(end), openBuckets(promisedOf(c)), c.wallet);
  const isStaged =
    isFree(c.inputs) && beginsWith(stage, stagedOf(c.inputs).transaction.resolve(c.given), end);
  const observed = isStaged
    ? 'unexpected instructions among the guards'
    : 'differs from the staged transaction';
  const isRight = isStaged && proven !== undefined;
  list.expect(isRight, 'UNEXPECTED_INSTRUCTION', 'instructionBelongs', isRight ? {} : { observed });
  return proven;
}

/** Whether the failed instruction is a guard and the second RPC shows other balances of the wallet. */
export function failsBySecondRpc(
  { stage: { transaction }, accounts, guards: { count, second } = { count: 0 } }: DecisionInputs,
  error: string,
): boolean {
  const first = byAddress(accounts);
  const isOther = second?.some(({ address, lamports, data }) => {
    const seen = first.get(address);
    return seen?.lamports !== lamports || seen.data !== data;
  });
  return isOther === true && failedAt(error) >= transaction.read().instructions.length - count;
}

/** Whether the first `end` instructions of a stage equal those of another, with the same accounts and privileges. */
function beginsWith(stage: ResolvedStage, staged: ResolvedStage, end: number): boolean {
  const isSame = staged.readings.every(({ program, accounts, data }, i) => {
    const now = stage.readings[i];
    return (
      now?.program === program &&
      equal(now.data, data) &&
      now.accounts.length === accounts.length &&
      accounts.every(
        ({ address, signer, writable }, at) =>
          now.accounts[at]?.address === address &&
          now.accounts[at].signer === signer &&
          now.accounts[at].writable === writable,
      )
    );
  });
  return isSame && staged.readings.length === end;
}

/** Marks lines that the stage's guards enforce, and adds a line for every moved asset, enforced or not. */
export function withGuards(c: StageContext, lines: readonly Line[]): readonly Line[] {
  if (c.proven === undefined) return lines;
  const promised = { ...promisedOf(c), lines };
  const assets = enforcedAssets(boundsOf(promised), promised, c.proven);
  const views = promised.isAgreed ? promised.views.length : 1;
  return [
    ...lines.map(
      (line): Line =>
        line.id === 'receives' && assets.includes(line.asset) ? { ...line, enforcedBy: 'guard' } : line,
    ),
    ...movedAssets(lines).map(
      (asset): Line => ({
        ...{ id: 'enforced', source: 'chain', asset, views: assets.includes(asset) ? views : 0 },
      }),
    ),
  ];
}

/**
 * Asks about assets without guards although the policy requires them, or although an earlier signature of the stage had
 * them (T199).
 */
export function askAboutGuards(
  { policy }: DecisionContext,
  { enforced = [] }: LedgerView,
  linesOf: () => readonly Line[],
  list: Checklist,
): void {
  const isRequired = policy.transaction.guards === 'required';
  if (!isRequired && enforced.length === 0) return;
  const lines = linesOf();
  const now = lines.flatMap((line) => (line.id === 'enforced' && line.views > 0 ? [line.asset] : []));
  const open = [...(isRequired ? movedAssets(lines) : []), ...enforced].filter((each) => !now.includes(each));
  if (open.length > 0) list.ask('NOT_ENFORCED', 'guards', { observed: [...new Set(open)].join(', ') });
}
