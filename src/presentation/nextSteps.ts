/**
 * The one table of the policy's reasons: what caused a refusal, and the one thing to do next. Results, the operating
 * guide and the served guide all say what stands here.
 */
import { PRICE_CHECKS } from '../policy/decide/reasons.ts';
import type { Decision, ReasonCode } from '../policy/decide/types.ts';

const PERSON = 'Tell the person';
const STOP = 'Stop and tell the person; build again only if they say so';

/** What a reason means for an agent. */
export interface ReasonStep {
  readonly cause: string;
  readonly next: string;
}

const ASKED =
  'submit_plan asks the owner; tell them where to look and what is asked, then submit_plan again.';

const asks = (cause: string): ReasonStep => ({ cause, next: ASKED });
const stops = (cause: string): ReasonStep => ({ cause, next: `${STOP}.` });

export const REASON_STEPS: Readonly<Record<ReasonCode, ReasonStep>> = {
  UNSUPPORTED_INSTRUCTION: asks('An instruction is of a program that is not supported.'),
  READING_INFERRED: asks('The layout of an instruction is inferred, and the simulation does not confirm it.'),
  CODE_REPLACED: asks('A program has other code than the policy was written for.'),
  TERM_DIFFERS: asks('A term of a curve or pool differs from the type that was asked for.'),
  TERM_UNKNOWN: asks('A term of a curve or pool is of a kind that is not decoded.'),
  POOL_LAUNCH: asks('The plan opens a pool: its terms and positions are final.'),
  PARTY_UNKNOWN: asks(
    'An address that neither the wallets nor the address book name earns or controls something.',
  ),
  NAME_UNREGISTERED: asks('The token was not registered by this home.'),
  PAYEE_UNKNOWN: asks('A payment goes to an address that neither request nor owner named.'),
  NETWORK_FEE_HIGH: asks('The network fee is far above the usual one.'),
  ISSUER_POWER: asks('The issuer of a token keeps a power over it, and the policy does not list it.'),
  FIRST_PURCHASE: asks('The token is neither held nor listed in the policy.'),
  PRICE_DEVIATES: asks('The price is far from another price on the chain.'),
  CLAIM_COSTS_MORE: asks('The claim costs more than it brings.'),
  RUN_OVER_BUDGET: asks('The plan has more transactions or lookup tables than its request explains.'),
  LIMIT_MISSING: asks('No limit of the policy names an asset that leaves.'),
  HASH_MISMATCH: stops('The service states another message hash than its bytes have.'),
  NONCANONICAL_BYTES: stops(
    'The bytes are not in the one accepted form: trailing or padded bytes, odd lengths.',
  ),
  COSIGNATURE_INVALID: stops('A signature that is already there does not verify over these bytes.'),
  SIGNERS_MISMATCH: stops('The bytes ask for other signers than the plan or the operation names.'),
  SIGNER_UNAVAILABLE: {
    cause: 'Another key must sign first: a signature this home cannot make is missing.',
    next: 'Name the missing signer to the person. The resource plan://{planId}/stages/{stageId} holds the bytes; then submit_plan again.',
  },
  FEE_PAYER_MISMATCH: stops('Another wallet pays the fee than this operation expects.'),
  FORMAT_MISMATCH: stops(
    'The transaction is v0 where v1 was asked for, or the reverse, or a format the policy does not list.',
  ),
  DURABLE_NONCE: stops('The transaction would stay valid for ever.'),
  LIFETIME_MISMATCH: {
    cause: 'The blockhash is not the declared one, or it or the quote has expired.',
    next: 'Expired: get a new quote and build again, or submit_plan, which asks for a rebuild. Otherwise stop.',
  },
  FEE_OVER: {
    cause: 'The network fee, its refund or the compute budget is above the policy.',
    next: `${PERSON}: transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits.`,
  },
  LOOKUP_TABLE_UNRESOLVED: {
    cause: 'A lookup table is missing, changed, or was extended in this very block.',
    next: 'review_plan once more in a moment; if it stays, stop.',
  },
  PROGRAM_NOT_ALLOWED: {
    cause: 'A program is called that the policy does not list.',
    next: `${PERSON}: only they can judge the program.`,
  },
  INSTRUCTION_UNKNOWN: stops('An instruction of a known program cannot be read.'),
  INSTRUCTION_MISFIT: stops('An instruction of a known kind has other bytes or accounts than its layout.'),
  UNEXPECTED_INSTRUCTION: {
    cause: 'An instruction does not belong to this operation.',
    next: `${STOP}. This is what a hijacked service looks like.`,
  },
  AUTHORITY_CHANGE: stops('Control over a token, an account or a config would change hands.'),
  DELEGATE_GRANTED: stops('Another key would be allowed to spend from the wallet.'),
  UNDECLARED_LOSS: stops(
    'The simulation shows that the wallet loses, or does not get, something unexplained.',
  ),
  LIMIT_EXCEEDED: {
    cause: 'A spending or count limit has no room for this.',
    next: 'Wait for its window (get_policy shows what is left) or tell the person. Do not split the amount.',
  },
  RECIPIENT_NOT_ALLOWED: {
    cause: 'A recipient is not of the kind the rule allows (own, address book, any).',
    next: `${PERSON}: they can add the address to the address book.`,
  },
  RECIPIENT_LOOKALIKE: {
    cause: 'An address begins and ends like a known one and is another.',
    next: `${STOP}. Check where the address came from.`,
  },
  TOKEN_EXTENSION_DENIED: {
    cause: 'A token gives another key a power that the policy denies, such as a permanent delegate.',
    next: `${PERSON}, with the name of the extension.`,
  },
  REQUEST_MISMATCH: {
    cause:
      'The bytes do not do what was asked: mint, split, amount, admin, fee or recipient differ; or the quote is not one this home fetched.',
    next: 'Check your request. If it was right, stop: the service answered something else.',
  },
  STAGE_ORDER: { cause: 'A stage it depends on has not landed.', next: 'submit_plan: it keeps the order.' },
  REPLAY: { cause: 'This very stage was signed before.', next: 'get_plan shows how it ended.' },
  IN_DOUBT: {
    cause: 'An earlier signature for the same step may still land.',
    next: 'submit_plan with the earlier planId until it is resolved.',
  },
  SIMULATION_FAILED: {
    cause: 'The transaction would fail on the chain as it is now.',
    next: 'get_wallet: is there enough SOL and token? Where SOL is missing, tell the person which wallet lacks how much; once it is there, submit_plan, or build again what has expired.',
  },
  SIMULATION_UNAVAILABLE: {
    cause: 'The chain could not be asked to simulate.',
    next: 'Wait and review_plan again.',
  },
  APPROVAL_REQUIRED: {
    cause: 'The rule, or an unread instruction, needs the approval of a person.',
    next: 'submit_plan asks them; tell the person where to look, then submit_plan again.',
  },
  PERSON_DENIED: {
    cause: 'A person was asked and denied it.',
    next: 'Do not submit it again or ask for the same by other means: ask the person what they want instead.',
  },
  APPROVAL_EXPIRED: {
    cause: 'The approval lapsed, or what it was given for has changed.',
    next: 'submit_plan asks again.',
  },
  RATE_LIMITED: {
    cause: 'Too many operations in a short time.',
    next: 'Wait a minute; look for a loop in what you are doing.',
  },
  FROZEN: {
    cause: 'Signing was stopped, by a person or after several denials.',
    next: `${PERSON}: \`countersign audit show\`, then \`countersign unfreeze\`. Reads still work.`,
  },
  POLICY_MISSING: {
    cause: 'There is no policy file.',
    next: `${PERSON}: \`countersign policy init\`, then --policy FILE.`,
  },
  POLICY_INVALID: {
    cause: 'The policy file cannot be used, or is for another network.',
    next: `${PERSON}: \`countersign policy check FILE\`.`,
  },
  POLICY_CHANGED: {
    cause: 'The policy file changed while the server runs.',
    next: `${PERSON}: accept it with the owner key, or restart the server.`,
  },
  NO_RULE: {
    cause: 'No rule allows this operation as it is, or a rule forbids it.',
    next: `${PERSON}, with the operation's name.`,
  },
};

/** The one next step of a decision that lets nothing be signed, by the reason that decided. */
export function nextOfRefusal(decision: Decision): string {
  const [code] = decision.reasonCodes;
  if (code === undefined) return REASON_STEPS.NO_RULE.next;
  if (code === 'LIMIT_EXCEEDED') {
    const failed = decision.checks.find((check) => !check.ok && check.code === code)?.id;
    if (PRICE_CHECKS.some((id) => id === failed)) return PRICE;
    if (failed === 'everyAssetLimited') return UNNAMED;
  }
  return isAboveLimit(decision) ? ABOVE : REASON_STEPS[code].next;
}

/** What a person can change about a decision; where waiting does not help, it does not say so. */
export const remedyOf = (decision: Decision): string | undefined =>
  isAboveLimit(decision) ? 'A person can raise the limit in the policy file.' : decision.remedy;

const PRICE =
  'Ask again for a better price, or tell the person: the rule bounds the price, so waiting for a window does not help. Do not split the amount.';

const UNNAMED = `${PERSON}: no limit of the policy names this asset, so waiting does not help.`;

const ABOVE =
  'Ask for less only if the person agrees, or tell them: the amount is above the limit itself, so waiting does not help. Do not split the amount.';

/** Whether an amount is above a limit by itself, so that no window will ever have room for it. */
function isAboveLimit({ reasonCodes, checks, limits }: Decision): boolean {
  if (reasonCodes[0] !== 'LIMIT_EXCEEDED') return false;
  const failed = checks.filter(({ ok, code, id }) => !ok && code === 'LIMIT_EXCEEDED' && id === 'limit');
  return failed.some(({ params }) => {
    const use = limits.find(({ limitId }) => limitId === params?.limitId);
    // A limit for each transaction has no window and is not among those that are counted.
    return use === undefined || BigInt(use.amount) > BigInt(use.max);
  });
}
