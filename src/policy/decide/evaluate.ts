/**
 * The policy decision. `examine` makes the checks in the order of the policy guide: the transaction, its acts, the rule and
 * the approval. `evaluate` is pure: the same inputs, policy and ledger view give an identical decision when replayed.
 */

import { jsonDigest } from '../../base/canonicalJson.ts';
import { amountOfAsset } from '../../base/format.ts';
import { feeOf } from '../../programs/solana/fee.ts';
import type { AccountFact } from '../../rpc/types.ts';
import type { StageLines } from '../../statement/types.ts';
import { withoutBigints } from '../../statement/view.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import { messageSha256 } from '../../transaction/read.ts';
import { messageWithoutBlockhash } from '../../transaction/signatures.ts';
import type { Address } from '../../transaction/types.ts';
import type { LoadedPolicy } from '../file/file.ts';
import type { Amounts } from './amounts.ts';
import { checkRehearsal } from './asks/rehearsal.ts';
import { askAboutEntries, askAboutRun } from './asks/run.ts';
import { Checklist } from './checklist.ts';
import type { SimulatedEffects } from './checks/effects.ts';
import { checkHardDenials } from './checks/hardDenials.ts';
import { checkLimits } from './checks/limits.ts';
import { checkFirstTime, checkNetwork, checkNotFrozen, checkOrder } from './checks/order.ts';
import { checkFit, checkPrograms } from './checks/programs.ts';
import { checkSimulation, maxOut } from './checks/simulation.ts';
import { resolveAccounts } from './checks/tables.ts';
import { checkTokens } from './checks/tokens.ts';
import {
  checkCosignatures,
  checkDeclaredSigners,
  checkFee,
  checkFeePayer,
  checkFormat,
  checkHash,
  checkLifetime,
  checkNoDurableNonce,
  checkReadyToSign,
  checkSigners,
  readBytes,
} from './checks/transaction.ts';
import { conclude, type Findings } from './conclude.ts';
import { type DecisionContext, tokenAccountAt } from './decisionContext.ts';
import { rulesOf } from './operations/index.ts';
import type { Matched } from './operations/operation.ts';
import { withRefund } from './operations/payment/refund.ts';
import { staticSpend } from './operations/spend.ts';
import { OwnKeys } from './ownKeys.ts';
import { checkLookalikes } from './recipients.ts';
import { findRule } from './rules.ts';
import { askAboutGuards, checkGuards, type GuardStage, guardStage, stagedOf } from './statement/guards.ts';
import { statedBy } from './statement/stated.ts';
import type { Decision, DecisionInputs, LedgerView } from './types.ts';
import { admitting } from './unsupported/entries.ts';
import { checkReach } from './unsupported/reach.ts';

/** The reason for a missing policy. */
export interface NoPolicy {
  readonly error: string;
  /** Whether the policy file was changed after the server started. */
  readonly changed?: boolean;
}

/** Decides one stage. Never throws because of data from a service, the chain or a file. */
export const evaluate = (
  inputs: DecisionInputs,
  loaded: LoadedPolicy | NoPolicy | undefined,
  view: LedgerView,
): Decision => conclude(examine(inputs, loaded, view));

/** Decides one stage and adds its statement. */
export const decide = (...of: Parameters<typeof evaluate>): Decision => decideStaged(...of).decision;

/** Decides one stage and returns the guards to append; `guard` is absent if the stage can have none. */
export function decideStaged(...of: Parameters<typeof evaluate>): {
  readonly decision: Decision;
  readonly guard?: GuardStage | undefined;
} {
  const found = examine(...of);
  const decision = conclude(found);
  const { case: c, matched, spend, list } = found;
  if (decision.effect === 'deny' || c === undefined || matched === undefined || spend === undefined)
    return { decision };
  const stated = statedBy(c, matched.minIn, spend, list.checks);
  return { decision: { ...decision, ...statementFor(c, stated) }, guard: guardStage(c, stated.lines) };
}

/** Makes the checks in order, up to the first failure that prevents further checks. */
function examine(
  inputs: DecisionInputs,
  loaded: LoadedPolicy | NoPolicy | undefined,
  view: LedgerView,
): Findings {
  const list = new Checklist();
  const found: Findings = { inputs, view, list };

  // Policy, network and freeze.
  checkNotFrozen(view, list);
  if (loaded === undefined || 'error' in loaded) {
    const code =
      loaded === undefined ? 'POLICY_MISSING' : loaded.changed ? 'POLICY_CHANGED' : 'POLICY_INVALID';
    list.fail(code, 'policyExists');
    return { ...found, transaction: readBytes(inputs, new Checklist()) };
  }
  const { policy, index } = loaded;
  found.loaded = loaded;
  checkNetwork(inputs, policy, list);

  // The transaction itself. A transaction that cannot be decoded ends the checks.
  const transaction = readBytes(inputs, list);
  if (transaction === undefined) return found;
  found.transaction = transaction;
  checkHash(inputs, transaction, list);
  checkDeclaredSigners(inputs, transaction, list);
  const slots = checkCosignatures(transaction, list);
  checkNoDurableNonce(transaction, list);
  checkLifetime(inputs, transaction, list);
  const resolved = resolveAccounts(inputs, transaction, index.switchedOff, list);
  const fee = checkFee(resolved?.stage.fee ?? feeOf(transaction), policy, list);
  if (fee === undefined || resolved === undefined) return found;

  // Every act must be one that the operation expects, with the expected accounts.
  const { stage, given } = resolved;
  const end = stage.readings.length - (inputs.guards?.count ?? 0);
  // The fee covers Compute Budget instructions; `checkGuards` covers the guards.
  const isCall = ({ program, index }: { readonly program: Address; readonly index: number }): boolean =>
    program !== COMPUTE_BUDGET_PROGRAM && index < end;
  const accounts = accountsByAddress(inputs);
  const tokenAccount = (address: Address) => tokenAccountAt({ accounts }, address);
  const readings = stage.actsIn({ tokenAccount }).filter(({ reading }) => isCall(reading));
  const operation = rulesOf(inputs);
  checkFormat(inputs, policy, operation.formats(inputs), transaction, list);
  const unguarded: DecisionContext = {
    inputs,
    policy,
    index,
    wallet: inputs.plan.wallet,
    own: new OwnKeys([
      inputs.plan.wallet,
      ...inputs.ourWallets,
      ...policy.wallets.map((entry) => entry.address),
    ]),
    transaction,
    slots,
    feePayer: transaction.staticAccounts[0] ?? '',
    fee,
    readings,
    acts: readings.flatMap(({ acts }) => acts),
    given,
    opaque: readings.flatMap(({ reading }) =>
      admitting(reading, policy, inputs) === undefined ? [] : [reading],
    ),
    accounts,
    accountReadings: new Map(),
    loaded: stage.loaded,
  };
  const proven = checkGuards(unguarded, stage, list);
  const c = proven === undefined ? unguarded : { ...unguarded, proven };
  found.case = c;
  checkFeePayer(c, operation.feePayer, list);
  checkSigners(c, list);
  checkFit(stage.readings, list);
  checkPrograms(c, list);
  const expected = operation.expected?.(c);
  const matched = withRefund(c, operation.match(c, list, expected));
  found.matched = matched;
  if (c.opaque.length === 0) found.expectedOutcome = expected;
  checkHardDenials(c, list);
  checkReach(c, matched, list);
  checkLookalikes(c, matched.recipients, list);
  checkTokens(c, matched, list);
  askAboutRun(inputs, list);
  askAboutEntries(c, list);

  // The rule, and the order of stages.
  found.rule = findRule(c, matched, list);
  checkReadyToSign(c, list);
  checkFirstTime(view, transaction.messageSha256, list);
  checkOrder(inputs, list);
  checkRehearsal(c, list);

  // The simulation and the limits.
  const spend = staticSpend(c);
  const effects = checkSimulation(c, matched, found.rule, spend, list);
  found.effects = effects;
  found.spend = counted(c, matched, spend, effects);
  const { uses, unlimited } = checkLimits(c, found.spend, view, list);
  found.limits = uses;
  found.unlimited = unlimited;
  checkSecondRpc(c, found.spend, list);
  const { spend: counts } = found;
  askAboutGuards(c, view, () => statedBy(c, matched.minIn, counts, []).lines, list);

  return found;
}

/** Returns the statement of a stage, its digest and, if an instruction is unsupported, the data that an approval pins. */
function statementFor(c: DecisionContext, stated: StageLines): Partial<Decision> {
  // The digest excludes guards, which depend on current balances.
  const { transaction } = stagedOf(c.inputs);
  const bytesDigest = messageSha256(messageWithoutBlockhash(transaction.read()));
  // The message contains only indexes into lookup tables, so the digest adds the addresses.
  const digest = jsonDigest([bytesDigest, transaction.resolve(c.given).loaded.map(({ address }) => address)]);
  const programs = (c.inputs.programs ?? []).map(({ address, deployedSlot }) => ({
    address,
    deployedSlot: `${deployedSlot ?? 'unknown'}`,
  }));
  return {
    statement: withoutBigints(stated),
    bytesDigest,
    ...(stated.lines.some(({ id }) => id === 'unsupported') ? { pin: { digest, programs } } : {}),
  };
}

/**
 * Returns the amounts that count as spent: the static spend or, with unsupported instructions, the larger of it and the
 * simulated loss (without a simulation, the maximum of the request).
 */
function counted(
  c: DecisionContext,
  matched: Matched,
  spend: Amounts,
  effects: SimulatedEffects | undefined,
): Amounts {
  const most = new Map(spend);
  if (matched.made !== undefined) most.delete(matched.made);
  if (c.opaque.length === 0) return most;
  for (const [asset, amount] of effects?.out ?? maxOut(c, matched, matched.maxRent ?? 0n)) {
    if (amount > (most.get(asset) ?? 0n)) most.set(asset, amount);
  }
  return most;
}

/** Checks that a second RPC agrees if the SOL spent is above the policy's `secondRpcAbove` (T55). */
function checkSecondRpc(c: DecisionContext, spend: Amounts, list: Checklist): void {
  const above = c.policy.simulation.secondRpcAbove;
  const amount = spend.get('SOL') ?? 0n;
  if (above === undefined || amount <= BigInt(above)) return;
  list.expect(c.inputs.secondRpc?.agrees === true, 'SIMULATION_UNAVAILABLE', 'secondRpc', {
    observed: c.inputs.secondRpc === undefined ? 'there is no second RPC' : 'it disagrees',
    allowed: `${amountOfAsset(BigInt(above), 'SOL')} without one`,
  });
}

function accountsByAddress(inputs: DecisionInputs): ReadonlyMap<Address, AccountFact> {
  const accounts = new Map<Address, AccountFact>();
  for (const account of inputs.accounts) accounts.set(account.address, account);
  return accounts;
}
