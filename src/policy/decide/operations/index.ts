/** The rules of every operation, and their selection by stage. */
import type { Operation, StageKind } from '../../../plan/types.ts';
import { isAddress } from '../../../transaction/base58.ts';
import type { DecisionInputs } from '../types.ts';
import { TABLE_STAGES } from '../unsupported/entries.ts';
import { holdingClaimRules, positionClaimRules, vaultClaimRules } from './claim.ts';
import { launchRules } from './launch/launch.ts';
import { nothing, type OperationRules } from './operation.ts';
import { unwrapRules } from './ownAccounts.ts';
import { sendRules } from './payment/send.ts';
import { requestedFormats } from './request.ts';
import { configRules, recipientsOf } from './sharing/config.ts';
import { splitRules } from './sharing/split.ts';
import { tableStage } from './tables.ts';
import { swapRules } from './trade/swap.ts';

const RULES: Readonly<Partial<Record<Operation, OperationRules>>> = {
  config: configRules,
  manager_update: splitRules,
  launch: launchRules,
  swap: swapRules,
  send: sendRules,
  unwrap: unwrapRules,
  holding_claim: holdingClaimRules,
  position_claim: positionClaimRules,
  vault_claim: vaultClaimRules,
  deployer_claim: vaultClaimRules,
};

/** Returns the stage kinds of an operation, without those about lookup tables. */
const kindsOf = (operation: Operation): readonly string[] => {
  if (operation === 'launch') return ['create_token', 'launch'];
  return [operation.endsWith('_claim') ? 'claim' : operation];
};

/** Returns the rules for a stage: those of its operation, or of a lookup table stage of that operation. */
export function rulesOf(inputs: DecisionInputs): OperationRules {
  const { operation } = inputs.plan;
  const { kind } = inputs.stage;
  const rules = RULES[operation];
  if (TABLE_STAGES.includes(kind)) return tableRules(inputs, rules);
  if (rules === undefined || !kindsOf(operation).includes(kind)) return refused(kind, rules);
  return namesAddresses(inputs) ? rules : refused(undefined, rules);
}

function tableRules(inputs: DecisionInputs, rules: OperationRules | undefined): OperationRules {
  const { kind } = inputs.stage;
  const match = tableStage(inputs.plan.operation, kind);
  if (match === undefined) return refused(kind, rules);
  const { feePayer = 'wallet', formats = requestedFormats, expected } = rules ?? {};
  if (expected === undefined || kind !== 'lookup_table_setup' || !namesAddresses(inputs))
    return { feePayer, formats, match };
  // The setup stage already names the recipients of the request, so the first approval shows them.
  return {
    feePayer,
    formats,
    expected,
    match: (c, list, expects = expected(c)) => ({ ...match(c, list), recipients: recipientsOf(expects) }),
  };
}

/** Returns rules that refuse a stage kind outside the operation or, without `kind`, a request with an invalid address. */
const refused = (
  kind: StageKind | undefined,
  { feePayer = 'wallet', formats = requestedFormats }: Partial<OperationRules> = {},
): OperationRules => ({
  feePayer,
  formats,
  match: (_, list) => {
    if (kind === undefined) list.fail('REQUEST_MISMATCH', 'requestAddresses');
    else list.fail('REQUEST_MISMATCH', 'stageBelongs', { observed: kind });
    return nothing();
  },
});

/** Operations on one token. */
const ABOUT_A_TOKEN: readonly Operation[] = ['config', 'manager_update', 'launch'];
const NAMED = ['baseMint', 'tokenMint', 'quoteMint', 'configKey'] as const;

/** Whether the address fields of a request are valid, so that other addresses can be derived from them. */
function namesAddresses({ plan: { operation, request, wallet } }: DecisionInputs): boolean {
  const base = request.baseMint ?? request.tokenMint;
  if (ABOUT_A_TOKEN.includes(operation) && base === undefined) return false;
  const given = [wallet, ...NAMED.map((name) => request[name] ?? wallet)];
  return given.every((value) => typeof value === 'string' && isAddress(value));
}
