/**
 * One sentence for each reason, and what a person could change about it. Fixed templates; the values filled in were
 * made safe to show when the check was recorded. A check whose name would say the opposite of what was found has its own
 * sentence (`words/faults.ts`).
 */
import { isAskCode } from './asks/asks.ts';
import { ownerOf, PRICE_CHECKS } from './reasons.ts';
import type { AskCode, Check, ReasonCode } from './types.ts';
import { FAULTS, type Fault } from './words/faults.ts';
import { askWords, checkName, partName } from './words/names.ts';

/** What a sentence may use. */
export interface Told {
  readonly operation: string;
  readonly check: Check;
  readonly ruleId?: string | undefined;
  /** The asks of the stage that no approval answers. */
  readonly asks?: readonly Check[];
}

/** What a check of the request compared. */
const partOf = (check: Check): string =>
  check.params?.part === undefined ? checkName(check) : partName(`${check.params.part}`);

/** What was seen and what would have been right, in brackets; nothing where a check kept neither. */
function compared({ check }: Told, bound = 'allowed'): string {
  const right = check.allowed === undefined ? [] : [`${bound}: ${check.allowed}`];
  const seen = [...(check.observed === undefined ? [] : [check.observed]), ...right];
  return seen.length === 0 ? '' : ` (${seen.join('; ')})`;
}

const SENTENCES: Readonly<Record<Exclude<ReasonCode, AskCode>, (told: Told) => string>> = {
  POLICY_MISSING: () => 'There is no policy file, so nothing may be signed.',
  POLICY_INVALID: () => 'The policy file cannot be used, so nothing may be signed.',
  POLICY_CHANGED: () => 'The policy file changed while the server was running, so signing has stopped.',
  NONCANONICAL_BYTES: (told) =>
    `The transaction bytes are not in the one encoding that is accepted${compared(told)}.`,
  FORMAT_MISMATCH: (told) => `The transaction is not in the format that was asked for${compared(told)}.`,
  HASH_MISMATCH: (told) =>
    `The message hash the service states is not the hash of the bytes${compared(told)}.`,
  DURABLE_NONCE: () => 'The transaction uses a durable nonce, so a signature on it would never expire.',
  FEE_PAYER_MISMATCH: (told) => `The fee payer is not the one this operation expects${compared(told)}.`,
  SIGNERS_MISMATCH: (told) => `The signers are not the ones this operation expects${compared(told)}.`,
  COSIGNATURE_INVALID: (told) =>
    `A signature in the transaction is not valid for these bytes${compared(told)}.`,
  LIFETIME_MISMATCH: (told) =>
    told.check.class === 'availability'
      ? 'The transaction or its quote has expired and must be built again.'
      : `The blockhash or height is not the declared one${compared(told)}.`,
  FEE_OVER: (told) =>
    `The network fee, its refund or the compute budget is above what the policy allows${compared(told)}.`,
  LOOKUP_TABLE_UNRESOLVED: (told) => `A lookup table cannot be relied on${compared(told)}.`,
  AUTHORITY_CHANGE: (told) =>
    told.check.id === 'reach' || told.check.id === 'standing'
      ? `An instruction that is not read would get access to something of the wallet that is no part of this operation${compared(told)}.`
      : `The transaction would give control away${compared(told)}.`,
  DELEGATE_GRANTED: (told) =>
    `The transaction would let another key spend tokens of the wallet${compared(told)}.`,
  PROGRAM_NOT_ALLOWED: (told) =>
    `The transaction calls a program the policy does not allow${compared(told)}.`,
  INSTRUCTION_UNKNOWN: (told) => `The transaction holds an instruction that cannot be read${compared(told)}.`,
  INSTRUCTION_MISFIT: (told) =>
    `The transaction holds an instruction of a known kind that differs from its layout${compared(told)}.`,
  RECIPIENT_LOOKALIKE: (told) => `An address only looks like a known one${compared(told)}.`,
  UNEXPECTED_INSTRUCTION: (told) =>
    `The transaction holds an instruction that does not belong to a ${words(told.operation)}${compared(told)}.`,
  REQUEST_MISMATCH: (told) =>
    told.check.id === 'partThere'
      ? `The plan lacks a part of the ${words(told.operation)}: ${partOf(told.check)} (found ${told.check.observed}; needed ${told.check.allowed}).`
      : `The bytes do not do what was asked: ${partOf(told.check)}${compared(told)}.`,
  UNDECLARED_LOSS: (told) =>
    `The wallet would lose or not get something the operation does not explain${compared(told)}.`,
  TOKEN_EXTENSION_DENIED: (told) =>
    `A token gives another key a power that the policy denies${compared(told)}.`,
  FROZEN: () => 'Signing is frozen.',
  NO_RULE: (told) =>
    told.check.id === 'noRuleDenies'
      ? `The policy denies this ${words(told.operation)}${compared(told)}.`
      : `No rule of the policy allows a ${words(told.operation)}.`,
  RECIPIENT_NOT_ALLOWED: ({ check }) =>
    `No rule of the policy allows this ${roleOf(check)}${check.observed === undefined ? '' : `: ${check.observed}`}${ONLY[`${check.params?.only}`] ?? ''}.`,
  REPLAY: () => 'This stage was signed before and has landed or may still land.',
  IN_DOUBT: () => 'An earlier signature for the same step may still land, so no second one is made.',
  STAGE_ORDER: () => 'A stage this one depends on has not landed yet.',
  LIMIT_EXCEEDED: (told) => `A limit would be exceeded: ${checkName(told.check)}${compared(told)}.`,
  RATE_LIMITED: (told) => `Too many operations in a short time: ${checkName(told.check)}${compared(told)}.`,
  SIGNER_UNAVAILABLE: (told) => `A signature is missing that this home cannot make${compared(told)}.`,
  SIMULATION_FAILED: (told) =>
    told.check.observed === undefined
      ? 'The transaction would fail on the chain as it is now.'
      : `The transaction would fail on the chain as it is now: ${told.check.observed}.`,
  SIMULATION_UNAVAILABLE: (told) => `The effects could not be simulated${compared(told)}.`,
  APPROVAL_EXPIRED: () => 'The approval for this has expired.',
  PERSON_DENIED: () => 'A person was asked and denied this.',
  APPROVAL_REQUIRED: ({ operation, asks = [] }) =>
    `A person must approve this ${words(operation)} first${asks.length === 0 ? '' : `: ${asks.map(askWords).join('; ')}`}.`,
};

const REMEDIES: Partial<Record<ReasonCode, (told: Told) => string>> = {
  POLICY_MISSING: () =>
    'A person can make one with `countersign policy init` and start the server with --policy FILE.',
  POLICY_INVALID: () => 'A person can run `countersign policy check` to see what is wrong with the file.',
  POLICY_CHANGED: () => 'A person can restart the server, or accept the new file with the owner key.',
  FEE_OVER: () =>
    'A person can raise transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits in the policy file.',
  PROGRAM_NOT_ALLOWED: () => 'A person who trusts the program can add it to "programs" in the policy file.',
  AUTHORITY_CHANGE: ({ check }) => {
    const program = ownerOf(check);
    return program === undefined
      ? ''
      : `A person who trusts the program ${program} with it can add it to "programs" in the policy file.`;
  },
  TOKEN_EXTENSION_DENIED: () => 'A person can change tokens.extensions.deny in the policy file.',
  FROZEN: () => 'A person can look at `countersign audit show` and then run `countersign unfreeze`.',
  NO_RULE: ({ operation, ruleId }) =>
    ruleId === undefined
      ? `A person can add a rule for "${operation}" to the policy file.`
      : `A person can change the rule "${ruleId}" in the policy file.`,
  RECIPIENT_NOT_ALLOWED: () =>
    'A person can add the address to the address book of the policy file, or widen the rule.',
  LIMIT_EXCEEDED: ({ check }) =>
    PRICE_CHECKS.includes(check.id)
      ? 'Ask again for a better price; a person can change what the rule asks for in the policy file.'
      : check.id === 'everyAssetLimited'
        ? 'A person can add a limit for this asset to the policy file.'
        : 'A person can raise the limit in the policy file; or wait until its window has room.',
  RATE_LIMITED: () => 'Wait a little; a person can raise the limit in the policy file.',
  SIMULATION_FAILED: ({ check }) =>
    check.observed === undefined ? '' : 'A person can send the SOL that is missing to the wallet.',
  SIGNER_UNAVAILABLE: () => 'The wallet named must sign the bytes elsewhere first.',
  LIFETIME_MISMATCH: ({ check }) => (check.class === 'availability' ? 'Ask for it again.' : ''),
  APPROVAL_EXPIRED: () => 'A person can approve it again with `countersign approve` or on the local page.',
  APPROVAL_REQUIRED: () => 'A person can approve it with `countersign approve` or on the local page.',
};

const words = (operation: string) => operation.replaceAll('_', ' ');

/** Recipients by role. */
const ROLES: Readonly<Record<string, string>> = {
  claimer: 'earner',
  admin: 'wallet to change the split later',
  partner: 'partner',
  tip: 'wallet for the tip',
  feeClaimer: 'wallet to receive the trading fees',
};
const roleOf = ({ id, params }: Check): string =>
  id === 'othersShare' ? 'split among claimers' : (ROLES[`${params?.role}`] ?? `${params?.role}`);

/** Who is allowed, by the recipients that a rule names. */
const ONLY: Readonly<Record<string, string>> = {
  own: '; only wallets of the policy are allowed',
  addressBook: '; only wallets and the address book of the policy are allowed',
};

/** What is wrong: of a comparison with the request, by the part that differs. */
function faultOf({ id, params }: Check): Fault | undefined {
  const fault = FAULTS[id === 'matchesRequest' ? `${params?.part}` : id];
  return typeof fault === 'string' ? { says: fault } : fault;
}

/** The sentence for the reason that decided. */
export function explain(code: ReasonCode, told: Told): string {
  const fault = faultOf(told.check);
  if (fault !== undefined) return `${fault.says}${compared(told, fault.bound)}.`;
  return SENTENCES[isAskCode(code) ? 'APPROVAL_REQUIRED' : code](told);
}

/** What a person can change about it; nothing for a hard denial. */
export function remedy(code: ReasonCode, told: Told): string | undefined {
  return (faultOf(told.check)?.remedy ?? REMEDIES[code]?.(told)) || undefined;
}

/** The sentence for a decision with nothing against it. */
export function explainAllow(told: Omit<Told, 'check'>, staticOnly: boolean, approved: boolean): string {
  const why = approved ? 'A person approved this' : `Rule ${told.ruleId ?? ''} allows this`;
  const note = staticOnly ? '; its effects are simulated once the stages before it have landed' : '';
  return `${why} ${words(told.operation)} and every check held${note}.`;
}
