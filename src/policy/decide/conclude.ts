/** Builds the decision from the checks. */

import { sha256Text } from '../../base/canonicalJson.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import type { LoadedPolicy } from '../file/file.ts';
import type { Rule } from '../file/schema.ts';
import { type Amounts, assetsOf } from './amounts.ts';
import { isAsk } from './asks/asks.ts';
import { askAboutPayments, askAboutPrice, askAboutPurchase } from './asks/trades.ts';
import type { Checklist } from './checklist.ts';
import type { SimulatedEffects } from './checks/effects.ts';
import type { DecisionContext } from './decisionContext.ts';
import { inputsDigest } from './decisionInputs.ts';
import type { ExpectedOutcome } from './operations/expectedOutcome.ts';
import type { Matched } from './operations/operation.ts';
import { decisionClass, decisive, judged } from './reasons.ts';
import { labelled } from './recipients.ts';
import type { Asset, AssetChange, Check, Decision, DecisionInputs, LedgerView, LimitUse } from './types.ts';
import { isLocalChain, unsupportedWords } from './unsupported/entries.ts';

/** Results of the checks, up to the first failure that prevents further checks. */
export interface Findings {
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
  readonly list: Checklist;
  loaded?: LoadedPolicy | undefined;
  transaction?: DecodedTransaction | undefined;
  case?: DecisionContext | undefined;
  matched?: Matched | undefined;
  rule?: Rule | undefined;
  effects?: SimulatedEffects | undefined;
  spend?: Amounts | undefined;
  limits?: readonly LimitUse[] | undefined;
  /** Sold tokens without a limit. */
  unlimited?: readonly Asset[] | undefined;
  /** The expected outcome of the run, if every instruction of the stage is supported. */
  expectedOutcome?: ExpectedOutcome | undefined;
}

/** Operations that set who receives fees, which a simulated asset diff cannot show. */
const SETS_CLAIMERS: readonly string[] = ['config', 'manager_update', 'launch'];

export function conclude(found: Findings): Decision {
  const { inputs, list, rule, matched, loaded } = found;
  const binding = (found.case?.opaque.length ?? 0) > 0 ? 'effects' : 'exact';
  const approval = checkApproval(found, binding);
  const checks = judged(list.checks);
  const failed = decisive(checks);
  const effect = effectOf(failed);
  return {
    effect,
    // Asks are irrelevant if the stage is denied.
    reasonCodes: [
      ...new Set(failed.flatMap((check) => (effect === 'deny' && isAsk(check) ? [] : (check.code ?? [])))),
    ],
    operation: inputs.plan.operation,
    class: decisionClass(failed),
    ...(rule === undefined ? {} : { ruleId: rule.id }),
    binding,
    // A transaction that cannot be decoded has no message; it is identified by the hash of its text.
    messageSha256: found.transaction?.messageSha256 ?? sha256Text(inputs.stage.transaction.text),
    checks,
    changes: changesOf(found),
    recipients:
      matched === undefined || loaded === undefined ? [] : labelled(matched.recipients, loaded.index),
    feeLamports: `${found.case?.fee.total ?? 0n}`,
    limits: found.limits ?? [],
    ...(found.expectedOutcome === undefined || (approval === 'unneeded' && !isSetup(inputs))
      ? {}
      : { expectedOutcome: found.expectedOutcome }),
    policyId: loaded?.policy.id ?? '',
    policyHash: loaded?.hash ?? '',
    inputsDigest: inputsDigest(inputs),
    staticOnly: inputs.simulation.status !== 'done',
  };
}

/** Whether the stage sets up a lookup table for the later stages of a run. */
const isSetup = ({ stage, plan }: DecisionInputs): boolean =>
  stage.kind === 'lookup_table_setup' && plan.operation !== 'lookup_table_setup';

/** Requires the owner's approval if the rule or a check asks for it. Returns whether an approval is given. */
function checkApproval(found: Findings, binding: 'exact' | 'effects'): 'unneeded' | 'given' | 'missing' {
  const { inputs, view, list, rule, loaded } = found;
  addAsks(found, binding);
  const asks = list.checks.filter(isAsk);
  const needsApproval = rule?.effect === 'require_approval' || (rule?.effect === 'allow' && asks.length > 0);
  if (!needsApproval || loaded === undefined) return 'unneeded';
  const { approval } = view;
  const isCurrent = approval !== undefined && approval.expiresAt > inputs.time;
  if (isCurrent && approval.messageSha256 === found.transaction?.messageSha256) {
    list.pass('approved', { observed: approval.id });
    list.answer();
    return 'given';
  }
  if (view.approvalExpired || (approval !== undefined && approval.expiresAt <= inputs.time)) {
    list.fail('APPROVAL_EXPIRED', 'approved');
  }
  list.fail('APPROVAL_REQUIRED', 'approved');
  return 'missing';
}

/** Asks that depend on the whole stage rather than on one operation. */
function addAsks(found: Findings, binding: 'exact' | 'effects'): void {
  const { inputs, list, rule, case: c, matched, unlimited = [] } = found;
  const isOff = c?.opaque.some(({ program }) => c.given.off.has(program)) === true;
  const hidden = binding === 'effects' ? unsupportedReason(found) : matched?.hidden;
  // On a local chain a rule may allow unsupported instructions, except those of a switched-off program (T75, T150).
  const maySkip = isLocalChain(inputs) && maySkipQuestion(rule) && !isOff;
  if (hidden !== undefined && !maySkip)
    list.ask('UNSUPPORTED_INSTRUCTION', 'unsupported', { observed: hidden });
  if (matched?.pool !== undefined && !isLocalChain(inputs)) {
    const { held } = matched.pool;
    const observed = held.length === 0 ? undefined : `positions in the custody of ${held.join(', ')}`;
    list.ask('POOL_LAUNCH', 'poolLaunch', { observed });
  }
  if (c !== undefined && matched !== undefined) {
    askAboutPayments(c, matched.unnamed ?? [], list);
    askAboutPrice(c, matched, rule, list);
    askAboutPurchase(c, matched, rule, list);
  }
  if (isUnregistered(found)) list.ask('NAME_UNREGISTERED', 'unregisteredToken');
  askAboutCode(found);
  askAboutInference(found);
  if (unlimited.length > 0) list.ask('LIMIT_MISSING', 'unlimitedAsset', { observed: unlimited.join(', ') });
}

const maySkipQuestion = (rule: Rule | undefined): boolean =>
  rule !== undefined && 'unsupported' in rule && rule.unsupported === 'allow';

/** Describes the unsupported instructions and the guarantee that they void. */
function unsupportedReason({ case: c, inputs, matched }: Findings): string {
  const [first] = c?.opaque ?? [];
  const named = first === undefined ? '' : ` (${unsupportedWords(first)})`;
  const hidden = SETS_CLAIMERS.includes(inputs.plan.operation)
    ? 'the claimers are unknown'
    : 'it calls an unsupported program';
  return [`${hidden}${named}`, ...(matched?.beside ?? [])].join('; ');
}

/**
 * Asks about an inferred layout on a public network, unless the simulated accounts confirm it. A preview of a stage that
 * cannot be simulated yet does not ask.
 */
function askAboutInference({ case: c, matched, inputs, list }: Findings): void {
  if (c === undefined || isLocalChain(inputs) || matched?.confirmed === true) return;
  if (inputs.simulation.status === 'not_yet' && inputs.purpose === 'preview') return;
  const inferred = c.readings.find(({ reading }) => reading.status === 'read' && reading.inferred.length > 0);
  if (inferred === undefined) return;
  list.ask('READING_INFERRED', 'inferredLayout', { observed: `instruction #${inferred.reading.index}` });
}

/** Asks about each supported program whose deployed slot differs from the policy's. */
function askAboutCode({ case: c, inputs, list }: Findings): void {
  if (c === undefined) return;
  const reported = new Set<Address>();
  for (const { reading } of c.readings) {
    const slot = c.index.programs.get(reading.program)?.deployedSlot;
    if (slot === undefined || reading.status !== 'read' || reported.has(reading.program)) continue;
    const now = inputs.programs?.find(({ address }) => address === reading.program)?.deployedSlot;
    if (now === slot) continue;
    list.ask('CODE_REPLACED', 'deployedSlot', {
      params: { program: reading.program },
      observed: `${now ?? 'unknown'}`,
      allowed: `${slot}`,
    });
    reported.add(reading.program);
  }
}

/** Whether a stage on a public network names a token that this home did not register (T137). */
function isUnregistered({ case: c, inputs }: Findings): boolean {
  if (c === undefined || isLocalChain(inputs) || inputs.named !== undefined) return false;
  return c.acts.some((act) => act.act === 'setMetadata' || ('token' in act && act.token !== undefined));
}

function effectOf(failed: readonly Check[]): Decision['effect'] {
  if (failed.length === 0) return 'allow';
  const onlyApproval = failed.every(
    (check) => isAsk(check) || check.code === 'APPROVAL_REQUIRED' || check.code === 'APPROVAL_EXPIRED',
  );
  return onlyApproval ? 'require_approval' : 'deny';
}

/** Returns, per asset, the maximum that may leave and the minimum that must arrive. */
function changesOf({ spend, matched }: Findings): AssetChange[] {
  const [out, least] = [spend ?? new Map<string, bigint>(), matched?.minIn ?? new Map<string, bigint>()];
  return assetsOf(out, least).map((asset) => ({
    asset,
    out: `${out.get(asset) ?? 0n}`,
    in: `${least.get(asset) ?? 0n}`,
  }));
}
