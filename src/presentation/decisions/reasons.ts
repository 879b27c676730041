/**
 * The table of reason codes: sentence, what a person can change, and the agent's next step. Results, the page, the
 * command line, the operating guide and the served guide use it.
 */
import { ownerOf, PRICE_CHECKS } from '../../policy/decide/reasons.ts';
import type { Check, ReasonCode } from '../../policy/decide/types.ts';
import { askWords, checkName, partName } from '../../policy/decide/words/names.ts';

/** Input of a reason's sentence. */
export interface Told {
  readonly operation: string;
  /** The deciding check; absent if the ledger or a person refused what the checks allowed. */
  readonly check?: Check | undefined;
  readonly ruleId?: string | undefined;
  /** Failed checks that require an approval. */
  readonly asks: readonly Check[];
}

interface Reason {
  /** General description; also the sentence of a decision, with the compared values, unless `says` is given. */
  readonly cause: string;
  readonly says?: (told: Told) => string;
  /** What a person can change; absent for a hard denial. */
  readonly remedy?: string | ((told: Told) => string | undefined);
  /** The next step of the agent. */
  readonly next: string;
}

const PERSON = 'Tell the person';
const STOP = 'Stop and tell the person; build again only if they say so';
const APPROVE = 'A person can approve it with `countersign approve` or on the local page.';

const words = (operation: string) => operation.replaceAll('_', ' ');
/** Returns the compared values in brackets; empty if the check recorded none. */
export function compared({ check }: Told, bound = 'allowed'): string {
  const right = check?.allowed === undefined ? [] : [`${bound}: ${check.allowed}`];
  const seen = [...(check?.observed === undefined ? [] : [check.observed]), ...right];
  return seen.length === 0 ? '' : ` (${seen.join('; ')})`;
}

const asked = ({ operation, asks }: Told): string =>
  `A person must approve this ${words(operation)} first${asks.length === 0 ? '' : `: ${asks.map(askWords).join('; ')}`}.`;
const asks = (cause: string): Reason => ({
  cause,
  says: asked,
  remedy: APPROVE,
  next: 'submit_plan asks the owner. Tell them where to answer and what the question is, then call submit_plan again.',
});
const stops = (cause: string, more: Partial<Reason> = {}): Reason => ({ cause, next: `${STOP}.`, ...more });

/** Returns the name of the request part that a check compared. */
const partOf = (check: Check): string =>
  check.params?.part === undefined ? checkName(check) : partName(`${check.params.part}`);

/** Recipients by role. */
const ROLES: Readonly<Record<string, string>> = {
  claimer: 'claimer',
  admin: 'wallet to change the split later',
  partner: 'partner',
  tip: 'wallet for the tip',
  feeClaimer: 'wallet to receive the trading fees',
};
const roleOf = ({ id, params }: Check): string =>
  id === 'othersShare' ? 'split among claimers' : (ROLES[`${params?.role}`] ?? `${params?.role}`);

/** Allowed recipients, by the recipient setting of a rule. */
const ONLY: Readonly<Record<string, string>> = {
  own: '; only wallets of the policy are allowed',
  addressBook: '; only wallets and the address book of the policy are allowed',
};

const isOld = ({ check }: Told): boolean => check?.class === 'availability';

export const REASONS: Readonly<Record<ReasonCode, Reason>> = {
  UNSUPPORTED_INSTRUCTION: asks('An instruction is of a program that is not supported.'),
  READING_INFERRED: asks('The layout of an instruction is inferred, and the simulation does not confirm it.'),
  CODE_REPLACED: asks('A program has other code than the policy was written for.'),
  TERM_DIFFERS: asks('A term of a curve or pool differs from the type that was asked for.'),
  TERM_UNKNOWN: asks('A term of a curve or pool is of an unsupported kind.'),
  POOL_LAUNCH: asks('The plan opens a pool: its terms and positions are final.'),
  PARTY_UNKNOWN: asks('An address outside the wallets and the address book earns or controls something.'),
  NAME_UNREGISTERED: asks('The token was not registered by this home.'),
  PAYEE_UNKNOWN: asks('A payment goes to an address that neither request nor owner named.'),
  NETWORK_FEE_HIGH: asks('The network fee is far above the usual one.'),
  ISSUER_POWER: asks('The issuer of a token keeps a power over it, and the policy does not list it.'),
  FIRST_PURCHASE: asks('The token is neither held nor listed in the policy.'),
  PRICE_DEVIATES: asks('The price differs widely from another price on the chain.'),
  CLAIM_COSTS_MORE: asks('The claim costs more than it pays.'),
  RUN_OVER_BUDGET: asks('The plan has more transactions or lookup tables than its request explains.'),
  LIMIT_MISSING: asks('An outgoing asset has no limit in the policy.'),
  REHEARSAL_MISSING: asks('The plan contains an unsupported instruction and could not be rehearsed.'),
  NOT_ENFORCED: asks(
    'The policy or an earlier signature requires guards, and guards do not enforce all amounts of this transaction.',
  ),
  HASH_MISMATCH: stops('The message hash stated by the service is not the hash of the transaction.'),
  NONCANONICAL_BYTES: stops('The transaction bytes are not in the canonical encoding.'),
  COSIGNATURE_INVALID: stops('A signature in the transaction is not valid for these bytes.'),
  SIGNERS_MISMATCH: stops('The signers are not the ones this operation expects.'),
  SIGNER_UNAVAILABLE: {
    cause: 'A signature is missing that this home cannot make.',
    remedy: 'The wallet named must sign the bytes elsewhere first.',
    next: 'Name the missing signer to the person. The resource plan://{planId}/stages/{stageId} holds the bytes; then submit_plan again.',
  },
  FEE_PAYER_MISMATCH: stops('The fee payer is not the one this operation expects.'),
  FORMAT_MISMATCH: stops('The transaction is not in the format that was asked for or that the policy lists.'),
  DURABLE_NONCE: stops('The transaction uses a durable nonce, so a signature on it would never expire.', {
    says: () => REASONS.DURABLE_NONCE.cause,
  }),
  LIFETIME_MISMATCH: {
    cause: 'The blockhash is not the declared one, or it or the quote has expired.',
    says: (told) =>
      isOld(told)
        ? 'The transaction or its quote has expired and must be built again.'
        : `The blockhash or height is not the declared one${compared(told)}.`,
    remedy: (told) => (isOld(told) ? 'Ask for it again.' : undefined),
    next: 'Expired: get a new quote and build again, or submit_plan, which asks for a rebuild. Otherwise stop.',
  },
  FEE_OVER: {
    cause: 'The network fee, its refund or the compute budget is above what the policy allows.',
    remedy:
      'A person can raise transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits in the policy file.',
    next: `${PERSON}: transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits.`,
  },
  LOOKUP_TABLE_UNRESOLVED: {
    cause: 'A lookup table is missing, changed, or was extended in this very block.',
    says: (told) => `A lookup table is not reliable${compared(told)}.`,
    next: 'Call review_plan again in a moment; if the result stays the same, stop.',
  },
  PROGRAM_NOT_ALLOWED: {
    cause: 'The transaction calls a program the policy does not allow.',
    remedy: 'A person who trusts the program can add it to "programs" in the policy file.',
    next: `${PERSON}: only they can judge the program.`,
  },
  INSTRUCTION_UNKNOWN: stops('The transaction contains an instruction that cannot be decoded.'),
  INSTRUCTION_MISFIT: stops(
    'The transaction contains an instruction of a known kind that differs from its layout.',
  ),
  UNEXPECTED_INSTRUCTION: {
    cause: 'An instruction does not belong to this operation.',
    says: (told) =>
      `The transaction contains an instruction that does not belong to a ${words(told.operation)}${compared(told)}.`,
    next: `${STOP}. A hijacked service would send this.`,
  },
  AUTHORITY_CHANGE: stops('Control over a token, an account or a config would change hands.', {
    says: (told) =>
      told.check?.id === 'reach' || told.check?.id === 'unlistedOwner'
        ? `An unsupported instruction would get access to assets of the wallet that this operation does not need${compared(told)}.`
        : `The transaction would give control away${compared(told)}.`,
    remedy: ({ check }) => {
      const program = check && ownerOf(check);
      return program === undefined
        ? undefined
        : `A person who trusts the program ${program} with it can add it to "programs" in the policy file.`;
    },
  }),
  DELEGATE_GRANTED: stops('The transaction would let another key spend tokens of the wallet.'),
  UNDECLARED_LOSS: stops('The wallet would lose, or not receive, something the operation does not explain.'),
  LIMIT_EXCEEDED: {
    cause: 'A spending or count limit would be exceeded.',
    says: (told) =>
      told.check === undefined
        ? 'Another signature used up the limit in the meantime.'
        : `A limit would be exceeded: ${checkName(told.check)}${compared(told)}.`,
    remedy: ({ check }) =>
      PRICE_CHECKS.some((id) => id === check?.id)
        ? 'Ask again for a better price; a person can change what the rule asks for in the policy file.'
        : check?.id === 'everyAssetLimited'
          ? 'A person can add a limit for this asset to the policy file.'
          : 'A person can raise the limit in the policy file; or wait until the window frees enough.',
    next: 'Wait for its window (get_policy shows what is left) or tell the person. Do not split the amount.',
  },
  RECIPIENT_NOT_ALLOWED: {
    cause: 'The rule does not allow this kind of recipient (own, address book, any).',
    says: ({ check }) =>
      check === undefined
        ? 'No rule of the policy allows a recipient.'
        : `No rule of the policy allows this ${roleOf(check)}${check.observed === undefined ? '' : `: ${check.observed}`}${ONLY[`${check.params?.only}`] ?? ''}.`,
    remedy: 'A person can add the address to the address book of the policy file, or widen the rule.',
    next: `${PERSON}: they can add the address to the address book.`,
  },
  RECIPIENT_LOOKALIKE: {
    cause: 'An address resembles a known one.',
    next: `${STOP}. Check where the address came from.`,
  },
  TOKEN_EXTENSION_DENIED: {
    cause: 'A token grants another key a power that the policy denies.',
    remedy: 'A person can change tokens.extensions.deny in the policy file.',
    next: `${PERSON}, with the name of the extension.`,
  },
  REQUEST_MISMATCH: {
    cause:
      'The transaction does not match the request: mint, split, amount, admin, fee or recipient differ; or the quote is not one this home fetched.',
    says: (told) => {
      const { check, operation } = told;
      if (check === undefined) return 'The transaction does not match the request.';
      return check.id === 'partThere'
        ? `The plan lacks a part of the ${words(operation)}: ${partOf(check)} (found ${check.observed}; needed ${check.allowed}).`
        : `The transaction does not match the request: ${partOf(check)}${compared(told)}.`;
    },
    next: 'Check your request. If it was right, stop: the answer does not match it.',
  },
  STAGE_ORDER: {
    cause: 'A stage this one depends on has not landed yet.',
    next: 'submit_plan: it keeps the order.',
  },
  REPLAY: {
    cause:
      'This stage was signed before and has landed or may still land, its quote was traded, or a newer plan replaced this one.',
    next: 'get_plan shows how it ended. For another trade get a new quote.',
  },
  IN_DOUBT: {
    cause: 'An earlier signature for the same step may still land, so no second one is made.',
    next: 'submit_plan with the earlier planId until it is resolved.',
  },
  SIMULATION_FAILED: {
    cause: 'The transaction would fail on the chain as it is now.',
    says: ({ check }) =>
      `The transaction would fail on the chain as it is now${check?.observed === undefined ? '' : `: ${check.observed}`}.`,
    remedy: ({ check }) =>
      check?.observed === undefined ? undefined : 'A person can send the missing SOL to the wallet.',
    next: 'get_wallet: is there enough SOL and token? If SOL is missing, tell the person which wallet lacks how much; once it has arrived, call submit_plan, or rebuild an expired plan.',
  },
  SIMULATION_UNAVAILABLE: {
    cause: 'The effects could not be simulated.',
    next: 'Wait and review_plan again.',
  },
  RPC_DISAGREE: {
    cause: 'The two RPCs show different balances of the wallet, so its guards would fail by one of them.',
    next: 'Wait and call submit_plan again. If it fails again, the person has to find out which RPC is wrong.',
  },
  REHEARSAL_FAILED: {
    cause: 'The plan failed its rehearsal on a copy of the chain, so it is not started.',
    next: 'Nothing was signed or paid. Look up the SOL and tokens that are missing (get_wallet), or build again where prices or accounts have changed; submit_plan rehearses it again.',
  },
  APPROVAL_REQUIRED: {
    cause: 'The rule, or an unsupported instruction, needs the approval of a person.',
    says: asked,
    remedy: APPROVE,
    next: 'submit_plan asks them. Tell the person where to answer, then call submit_plan again.',
  },
  PERSON_DENIED: {
    cause: 'A person was asked and denied this.',
    next: 'Do not resubmit it or request the same in another way: ask the person what they want instead.',
  },
  APPROVAL_EXPIRED: {
    cause: 'The approval expired, or was used before this could be signed.',
    says: () => REASONS.APPROVAL_EXPIRED.cause,
    remedy: 'A person can approve it again with `countersign approve` or on the local page.',
    next: 'submit_plan asks again.',
  },
  RATE_LIMITED: {
    cause: 'Too many operations in a short time.',
    says: (told) =>
      `Too many operations in a short time${told.check === undefined ? '' : `: ${checkName(told.check)}${compared(told)}`}.`,
    remedy: 'Wait a little; a person can raise the limit in the policy file.',
    next: 'Wait a minute, and check whether you are in a loop.',
  },
  FROZEN: {
    cause: 'Signing is frozen, by a person or after several denials.',
    says: () => 'Signing is frozen.',
    remedy: 'A person can look at `countersign audit show` and then run `countersign unfreeze`.',
    next: `${PERSON}: \`countersign audit show\`, then \`countersign unfreeze\`. Reads still work.`,
  },
  POLICY_MISSING: {
    cause: 'There is no policy file, so nothing may be signed.',
    remedy: 'A person can make one with `countersign policy init` and start the server with --policy FILE.',
    next: `${PERSON}: \`countersign policy init\`, then --policy FILE.`,
  },
  POLICY_INVALID: {
    cause: 'The policy file cannot be used, so nothing may be signed.',
    remedy: 'A person can run `countersign policy check` to see what is wrong with the file.',
    next: `${PERSON}: \`countersign policy check FILE\`.`,
  },
  POLICY_CHANGED: {
    cause: 'The policy file changed while the server was running, so signing has stopped.',
    remedy: 'A person can restart the server, or accept the new file with the owner key.',
    next: `${PERSON}: accept it with the owner key, or restart the server.`,
  },
  NO_RULE: {
    cause: 'No rule allows this operation, or a rule forbids it.',
    says: (told) =>
      told.check?.id === 'noRuleDenies'
        ? `The policy denies this ${words(told.operation)}${compared(told)}.`
        : `No rule of the policy allows a ${words(told.operation)}.`,
    remedy: ({ operation, ruleId }) =>
      ruleId === undefined
        ? `A person can add a rule for "${operation}" to the policy file.`
        : `A person can change the rule "${ruleId}" in the policy file.`,
    next: `${PERSON}, with the operation's name.`,
  },
};
