/** From the checks to the decision: which reason decides, and what is recorded. */

import { sha256Text } from '../../base/canonicalJson.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import type { LoadedPolicy } from '../file/file.ts';
import type { Rule } from '../file/schema.ts';
import { type Amounts, assetsOf } from './amounts.ts';
import { isAsk } from './asks/asks.ts';
import { askAboutPurchase } from './asks/firstPurchase.ts';
import { askAboutPrice } from './asks/secondPrice.ts';
import type { Checklist } from './checklist.ts';
import type { SimulatedEffects } from './checks/effects.ts';
import type { DecisionContext } from './decisionContext.ts';
import { inputsDigest } from './decisionInputs.ts';
import type { ExpectedOutcome } from './operations/expectedOutcome.ts';
import type { Matched } from './operations/operation.ts';
import { askAboutPayments } from './operations/trade/payees.ts';
import { decisionClass, decisive, judged } from './reasons.ts';
import { labelled } from './recipients.ts';
import type { Asset, AssetChange, Check, Decision, DecisionInputs, LedgerView, LimitUse } from './types.ts';
import { isLocalChain, unsupportedWords } from './unsupported/entries.ts';

/** What the checks found, up to the end or to a failure after which no further check makes sense. */
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
  /** Tokens a swap sells that no limit names. */
  unlimited?: readonly Asset[] | undefined;
  /** What the whole run is held to, where every instruction of the stage is read. */
  expectedOutcome?: ExpectedOutcome | undefined;
}

/** Operations whose point is who earns, which no simulated change of assets can show. */
const ABOUT_WHO_EARNS: readonly string[] = ['config', 'manager_update', 'launch'];

export function conclude(found: Findings): Decision {
  const { inputs, list, rule, matched, loaded } = found;
  const binding = (found.case?.opaque.length ?? 0) > 0 ? 'effects' : 'exact';
  const approval = checkApproval(found, binding);
  const checks = judged(list.checks);
  const failed = decisive(checks);
  const effect = effectOf(failed);
  return {
    effect,
    // An ask decides nothing where the stage is denied.
    reasonCodes: [
      ...new Set(failed.flatMap((check) => (effect === 'deny' && isAsk(check) ? [] : (check.code ?? [])))),
    ],
    operation: inputs.plan.operation,
    class: decisionClass(failed),
    ...(rule === undefined ? {} : { ruleId: rule.id }),
    binding,
    // Bytes without a reading have no message; the hash of what came names them in the record.
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

/** A stage that others of its run follow only once it has landed: what these may do is expected by the request. */
const isSetup = ({ stage, plan }: DecisionInputs): boolean =>
  stage.kind === 'lookup_table_setup' && plan.operation !== 'lookup_table_setup';

/** Asks for the owner's approval where the rule says so or a check asks. */
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
  // Where no money is real, a rule may allow unsupported instructions, but not of a program whose reader is off (T75, T150).
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

/** Which instructions were not read, and which of this project's two promises does not hold because of them. */
function unsupportedReason({ case: c, inputs, matched }: Findings): string {
  const [first] = c?.opaque ?? [];
  const named = first?.kind === 'unknown' ? ` (${unsupportedWords(first)})` : '';
  const hidden = ABOUT_WHO_EARNS.includes(inputs.plan.operation)
    ? 'who earns could not be read from the bytes'
    : 'it calls an unsupported program';
  return [`${hidden}${named}`, ...(matched?.beside ?? [])].join('; ');
}

/**
 * Asks about an inferred layout where real money is at stake and the simulated accounts do not confirm it. A stage that
 * stands on others cannot be simulated before its turn; nothing is signed then.
 */
function askAboutInference({ case: c, matched, inputs, list }: Findings): void {
  if (c === undefined || isLocalChain(inputs) || matched?.confirmed === true) return;
  if (inputs.simulation.status === 'not_yet' && inputs.purpose === 'preview') return;
  const inferred = c.readings.find(({ reading }) => reading.status === 'read' && reading.inferred.length > 0);
  if (inferred === undefined) return;
  list.ask('READING_INFERRED', 'inferredLayout', { observed: `instruction #${inferred.reading.index}` });
}

/** Asks about each supported program whose deployed code is another one than the policy was written for. */
function askAboutCode({ case: c, inputs, list }: Findings): void {
  if (c === undefined) return;
  const asked = new Set<Address>();
  for (const { reading } of c.readings) {
    const slot = c.index.programs.get(reading.program)?.deployedSlot;
    if (slot === undefined || reading.status !== 'read' || asked.has(reading.program)) continue;
    const now = inputs.programs?.find(({ address }) => address === reading.program)?.deployedSlot;
    if (now === slot) continue;
    list.ask('CODE_REPLACED', 'deployedSlot', {
      params: { program: reading.program },
      observed: `${now ?? 'unknown'}`,
      allowed: `${slot}`,
    });
    asked.add(reading.program);
  }
}

/** Whether a stage names a token on a public network that this home did not register (T137). */
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

/** Per asset the most that may leave and the least that must arrive. */
function changesOf({ spend, matched }: Findings): AssetChange[] {
  const [out, least] = [spend ?? new Map<string, bigint>(), matched?.leastIn ?? new Map<string, bigint>()];
  return assetsOf(out, least).map((asset) => ({
    asset,
    out: `${out.get(asset) ?? 0n}`,
    in: `${least.get(asset) ?? 0n}`,
  }));
}
