/**
 * Guards at the end of a stage's bytes: made from its decision, and judged as if a stranger had appended them. They may only
 * prove what accounts of the wallet hold; the rest of the bytes is the staged transaction.
 */
import { boundsOf, enforcedAssets, openBuckets, type Promised } from '../../../guards/bounds.ts';
import { guardsFor, type Proven, provenBy, unitsOf } from '../../../guards/guards.ts';
import { DecodedStage, type ResolvedStage } from '../../../plan/decodedStage.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import type { Line } from '../../../statement/types.ts';
import { stageFrom } from '../../../statement/view.ts';
import { appendInstructions } from '../../../transaction/append.ts';
import { equal } from '../../../transaction/read.ts';
import type { Policy } from '../../file/schema.ts';
import { Checklist } from '../checklist.ts';
import { resolveAccounts } from '../checks/tables.ts';
import { rentOf, type StageContext, tokenAccountAt } from '../decisionContext.ts';
import type { Decision, Facts } from '../types.ts';
import { switchedOff } from '../unread/entries.ts';

/** The stage as it was staged, before guards were appended. */
export const stagedOf = ({ stage, siblings, guards }: Facts) =>
  (guards && siblings.find((each) => each.stage.id === stage.id)?.stage) ?? stage;

/**
 * Whether the bytes may be built anew: nobody has signed them, only the wallet has to, and no hash is declared. The stage is
 * the whole plan, so that what it enforces holds for all the plan's bounds.
 */
function isFree(facts: Facts): boolean {
  const { refresh, declared, transaction } = stagedOf(facts);
  const { signatures, staticAccounts } = transaction.read();
  const isAlone =
    signatures.length === 1 && signatures[0] === null && staticAccounts[0] === facts.plan.wallet;
  const isWhole = facts.siblings.every((each) => each.stage.id === facts.stage.id);
  return refresh === 'blockhash' && declared.messageSha256 === undefined && isAlone && isWhole;
}

const promisedOf = (
  {
    facts,
    wallet,
    loaded,
    acts,
    accounts,
  }: Pick<StageContext, 'facts' | 'wallet' | 'loaded' | 'acts' | 'accounts'>,
  second = facts.guards?.second,
): Omit<Promised, 'lines'> => ({
  ...{ wallet, loaded, acts, rent: (bytes) => rentOf(facts, bytes) },
  views: [accounts, ...(second === undefined ? [] : [byAddress(second)])],
});

const byAddress = (accounts: readonly AccountFact[]) =>
  new Map(accounts.map((account) => [account.address, account]));

/** Returns the stage of a decision with guards; `undefined` where it gets none. `second`: as in `Facts.guards`. */
export function guardStage(
  facts: Facts,
  policy: Policy,
  { effect, statement }: Decision,
  second: readonly AccountFact[] | undefined,
): { readonly transaction: DecodedStage; readonly count: number } | undefined {
  if (policy.transaction.guards === 'off' || effect === 'deny' || statement === undefined || !isFree(facts))
    return undefined;
  const transaction = facts.stage.transaction.read();
  const stage = resolveAccounts(facts, transaction, switchedOff(policy), new Checklist())?.stage;
  if (stage === undefined || stage.fee instanceof Error) return undefined;
  const { wallet } = facts.plan;
  const accounts = byAddress(facts.accounts);
  const readings = stage.actsIn({ tokenAccount: (each) => tokenAccountAt({ accounts }, each) });
  const { loaded } = stage;
  const promised = promisedOf(
    { facts, wallet, loaded, accounts, acts: readings.flatMap(({ acts }) => acts) },
    second,
  );
  const guards = guardsFor(boundsOf({ ...promised, lines: stageFrom(statement).lines }), wallet);
  const used = facts.simulation.status === 'done' ? (facts.simulation.unitsConsumed ?? 0) : 0;
  const isRoom = guards.reduce((sum, guard) => sum + unitsOf(guard), used) <= stage.fee.computeUnitLimit;
  if (guards.length === 0 || !isRoom) return undefined;
  const longer = appendInstructions(transaction, loaded, guards);
  return longer && { transaction: DecodedStage.ofBytes(longer.bytes), count: guards.length };
}

/** Returns what the guards of a stage prove; `undefined` where it has none, or where they are refused. */
export function checkGuards(
  c: Omit<StageContext, 'proven'>,
  stage: ResolvedStage,
  list: Checklist,
): Proven | undefined {
  const count = c.facts.guards?.count;
  if (count === undefined) return undefined;
  const end = stage.instructions.length - count;
  const proven = provenBy(stage.instructions.slice(end), openBuckets(promisedOf(c)), c.wallet);
  const wrong = 'at' in proven ? `instruction #${proven.at}` : undefined;
  const isStaged = isFree(c.facts) && beginsWith(stage, stagedOf(c.facts).transaction.resolve(c.given), end);
  const observed = wrong ?? (isStaged ? undefined : 'other bytes than were staged');
  list.expect(observed === undefined, 'UNEXPECTED_INSTRUCTION', 'instructionBelongs', { observed });
  return 'at' in proven ? undefined : proven;
}

/** Whether the first instructions of a stage are those of another one, with the same accounts and privileges. */
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

/** The lines with what the chain enforces by the guards of the stage. */
export function withGuards(c: StageContext, lines: readonly Line[]): readonly Line[] {
  if (c.proven === undefined) return lines;
  const promised = { ...promisedOf(c), lines };
  const assets = enforcedAssets(boundsOf(promised), promised, c.proven);
  const views = promised.views.length;
  return [
    ...lines.map(
      (line): Line =>
        line.id === 'receives' && assets.includes(line.asset) ? { ...line, enforcedBy: 'guard' } : line,
    ),
    ...assets.map((asset): Line => ({ id: 'enforced', source: 'chain', asset, views })),
  ];
}
