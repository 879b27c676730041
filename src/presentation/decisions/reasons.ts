/**
 * The table of reason codes: sentences, what a person can change, and the agent's next step. Results, the page, the
 * command line, the operating guide and the served guide use it.
 */
import { ownerOf, PRICE_CHECKS } from '../../policy/decide/reasons.ts';
import type { Check, ReasonCode } from '../../policy/decide/types.ts';
import { askWords, checkName } from '../../policy/decide/words/names.ts';
import {
  AT_LEAST,
  compared,
  REQUEST_MISMATCH,
  type Reason,
  type ReasonFacts,
  words,
} from './requestMismatch.ts';

const PERSON = 'Tell the person';
const STOP = 'Stop and tell the person; build again only if they say so';
const APPROVE = 'A person can approve it with `countersign approve` or on the local page.';
const FILE = 'in the policy file';

const approvalSentence = ({ operation, asks }: ReasonFacts): string =>
  `A person must approve this ${words(operation)} first${asks.length === 0 ? '' : `: ${asks.map(askWords).join('; ')}`}.`;
const ask = (cause: string): Reason => ({
  cause,
  sentence: approvalSentence,
  remedy: APPROVE,
  next: 'submit_plan asks the owner. Tell them where to answer and what the question is, then call submit_plan again.',
});
const stops = (cause: string, more: Partial<Reason> = {}): Reason => ({ cause, next: `${STOP}.`, ...more });

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

const isOld = ({ check }: ReasonFacts): boolean => check?.class === 'availability';

export const REASONS: Readonly<Record<ReasonCode, Reason>> = {
  UNSUPPORTED_INSTRUCTION: ask('An instruction is of a program that is not supported.'),
  READING_INFERRED: ask('The layout of an instruction is inferred, and the simulation does not confirm it.'),
  CODE_REPLACED: ask('A program has other code than the policy was written for.'),
  TERM_DIFFERS: ask('A term of a curve or pool differs from the type that was asked for.'),
  TERM_UNKNOWN: ask('A term of a curve or pool is of an unsupported kind.'),
  POOL_LAUNCH: ask('The plan opens a pool: its terms and positions are final.'),
  PARTY_UNKNOWN: ask('An address outside the wallets and the address book earns or controls something.'),
  NAME_UNREGISTERED: ask('The token was not registered by this home.'),
  PAYEE_UNKNOWN: ask('A payment goes to an address that neither request nor owner named.'),
  NETWORK_FEE_HIGH: ask('The network fee is far above the usual one.'),
  ISSUER_POWER: ask('The issuer of a token keeps a power over it, and the policy does not list it.'),
  FIRST_PURCHASE: ask('The token is neither held nor listed in the policy.'),
  PRICE_DEVIATES: ask('The price differs widely from another price on the chain.'),
  CLAIM_COSTS_MORE: ask('The claim costs more than it pays.'),
  RUN_OVER_BUDGET: ask('The plan has more transactions or lookup tables than its request explains.'),
  LIMIT_MISSING: ask('An outgoing asset has no limit in the policy.'),
  REHEARSAL_MISSING: ask('The plan contains an unsupported instruction and could not be rehearsed.'),
  NOT_ENFORCED: ask(
    'The policy or an earlier signature requires guards, and guards do not enforce all amounts of this transaction.',
  ),
  HASH_MISMATCH: stops('The message hash stated by the service is not the hash of the transaction.'),
  NONCANONICAL_BYTES: stops('The transaction bytes are not in the canonical encoding.'),
  COSIGNATURE_INVALID: stops('A signature in the transaction is not valid for these bytes.'),
  SIGNERS_MISMATCH: stops('The signers are not the ones this operation expects.', {
    checks: {
      declaredSigners: 'The signers are not the ones the service declares',
      signersNeeded: 'A key would sign that no instruction uses',
    },
  }),
  SIGNER_UNAVAILABLE: {
    cause: 'A signature is missing that this home cannot make.',
    remedy: 'The wallet named must sign the bytes elsewhere first.',
    next: 'Name the missing signer to the person. The resource plan://{planId}/stages/{stageId} holds the bytes; then submit_plan again.',
    checks: {
      otherSignatures: {
        sentence: 'Another key has to sign before the wallet, and its signature is missing',
        remedy: 'The key named must sign the bytes elsewhere first.',
      },
      walletCanSign: {
        sentence: 'This home has no key of the wallet, so it cannot sign',
        remedy: 'Sign the bytes elsewhere, or use the home that holds the key of the wallet.',
      },
    },
  },
  FEE_PAYER_MISMATCH: stops('The fee payer is not the one this operation expects.'),
  FORMAT_MISMATCH: stops(
    'The transaction is not in the format that was asked for or that the policy lists.',
    {
      checks: {
        declaredFormat: 'The transaction is not in the format the service declares',
        allowedFormat: {
          sentence: 'The transaction is in a format the policy does not allow',
          remedy: `A person can add the format to transaction.formats ${FILE}.`,
        },
      },
    },
  ),
  DURABLE_NONCE: stops('The transaction uses a durable nonce, so a signature on it would never expire.', {
    sentence: () => REASONS.DURABLE_NONCE.cause,
  }),
  LIFETIME_MISMATCH: {
    cause: 'The blockhash is not the declared one, or it or the quote has expired.',
    sentence: (facts) =>
      isOld(facts)
        ? 'The transaction or its quote has expired and must be built again.'
        : `The blockhash or height is not the declared one${compared(facts)}.`,
    remedy: (facts) => (isOld(facts) ? 'Ask for it again.' : undefined),
    next: 'Expired: get a new quote and build again, or submit_plan, which asks for a rebuild. Otherwise stop.',
    checks: {
      declaredHeight: 'The height the service declares is not a number',
    },
  },
  FEE_OVER: {
    cause: 'The network fee, its refund or the compute budget is above what the policy allows.',
    remedy:
      'A person can raise transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits in the policy file.',
    next: `${PERSON}: transaction.maxFeeLamports, maxServiceRefundLamports or maxComputeUnits.`,
  },
  LOOKUP_TABLE_UNRESOLVED: {
    cause: 'A lookup table is missing, changed, or was extended in this very block.',
    sentence: (facts) => `A lookup table is not reliable${compared(facts)}.`,
    next: 'Call review_plan again in a moment; if the result stays the same, stop.',
    checks: {
      accountsKnown: 'The transaction uses a lookup table index that has no address',
      stagesReadable: {
        sentence: 'Another stage of the plan names accounts of a lookup table that are not known yet',
        remedy: 'Review the plan again once the stages before it have landed.',
      },
    },
  },
  PROGRAM_NOT_ALLOWED: {
    cause: 'The transaction calls a program the policy does not allow.',
    remedy: 'A person who trusts the program can add it to "programs" in the policy file.',
    next: `${PERSON}: only they can judge the program.`,
    checks: {
      acceptedCode: {
        sentence: 'The code of an unsupported program is not the accepted code',
        remedy: `A person who has looked at the new code can change its deployedSlot ${FILE}.`,
      },
    },
  },
  INSTRUCTION_UNKNOWN: stops('The transaction contains an instruction that cannot be decoded.', {
    checks: {
      unsupportedNamed: {
        sentence: 'The transaction contains an unsupported instruction that the policy does not list',
        remedy: `A person who knows what it does can name it in "instructions" of the program ${FILE}.`,
      },
    },
  }),
  INSTRUCTION_MISFIT: stops(
    'The transaction contains an instruction of a known kind that differs from its layout.',
  ),
  UNEXPECTED_INSTRUCTION: {
    cause: 'An instruction does not belong to this operation.',
    sentence: (facts) =>
      `The transaction contains an instruction that does not belong to a ${words(facts.operation)}${compared(facts)}.`,
    next: `${STOP}. A hijacked service would send this.`,
    checks: {
      unsupportedCount: {
        sentence:
          'The transaction contains more unsupported instructions of a program than the policy allows',
        remedy: `A person can change atMost of the program ${FILE}.`,
      },
    },
  },
  AUTHORITY_CHANGE: stops('Control over a token, an account or a config would change hands.', {
    sentence: (facts) =>
      facts.check?.id === 'reach' || facts.check?.id === 'unlistedOwner'
        ? `An unsupported instruction would get access to assets of the wallet that this operation does not need${compared(facts)}.`
        : `The transaction would give control away${compared(facts)}.`,
    remedy: ({ check }) => {
      const program = check && ownerOf(check);
      return program === undefined
        ? undefined
        : `A person who trusts the program ${program} with it can add it to "programs" in the policy file.`;
    },
  }),
  DELEGATE_GRANTED: stops('The transaction would let another key spend tokens of the wallet.'),
  UNDECLARED_LOSS: stops('The wallet would lose, or not receive, something the operation does not explain.', {
    checks: {
      leavesByBytes: 'The simulation shows that more would leave the wallet than the transaction states',
      leavesAsAsked: 'The simulation shows that more would leave the wallet than was asked for',
      promisedArrives: {
        sentence: 'The simulation shows that less would arrive than was promised',
        bound: AT_LEAST,
      },
      claimPays: 'The simulation shows that the wallet would get nothing from the claim',
      ownControl: 'Another key could take what arrives',
      rentReceiver: 'The rent would come back to another account',
    },
  }),
  LIMIT_EXCEEDED: {
    cause: 'A spending or count limit would be exceeded.',
    sentence: (facts) =>
      facts.check === undefined
        ? 'Another signature used up the limit in the meantime.'
        : `A limit would be exceeded: ${checkName(facts.check)}${compared(facts)}.`,
    remedy: ({ check }) =>
      PRICE_CHECKS.some((id) => id === check?.id)
        ? 'Ask again for a better price; a person can change what the rule asks for in the policy file.'
        : check?.id === 'everyAssetLimited'
          ? 'A person can add a limit for this asset to the policy file.'
          : 'A person can raise the limit in the policy file; or wait until the window frees enough.',
    next: 'Wait for its window (get_policy shows what is left) or tell the person. Do not split the amount.',
    checks: {
      quoteShare: {
        sentence: 'The guaranteed output is below the share of the quoted amount the rule requires',
        bound: AT_LEAST,
      },
      ruleServiceFee: 'The service fee is above what the rule allows',
      lowestRate: { sentence: 'The rate is below the lowest the rule allows', bound: AT_LEAST },
      firstBuyShare: {
        sentence: 'The first buy brings less of the supply than the rule asks for what it pays',
        bound: AT_LEAST,
      },
      everyAssetLimited: 'An asset without a limit in the policy would leave the wallet',
    },
  },
  RECIPIENT_NOT_ALLOWED: {
    cause: 'The rule does not allow this kind of recipient (own, address book, any).',
    sentence: ({ check }) =>
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
    checks: {
      boughtTokenFee: {
        sentence: 'Transfers of the token cost half of it or more, now or from a later epoch on',
        remedy: '',
      },
      tokenVisible: {
        sentence: 'Our RPC does not show the token, so the powers of other keys over it are not known',
        remedy: 'Check that the address of the token is right; ask again once our RPC shows it.',
      },
      launchedTokenPowers: {
        sentence: 'The launched token would give another key a power over it',
        remedy: '',
      },
    },
  },
  REQUEST_MISMATCH,
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
    sentence: ({ check }) =>
      `The transaction would fail on the chain as it is now${check?.observed === undefined ? '' : `: ${check.observed}`}.`,
    remedy: ({ check }) =>
      check?.observed === undefined ? undefined : 'A person can send the missing SOL to the wallet.',
    next: 'get_wallet: is there enough SOL and token? If SOL is missing, tell the person which wallet lacks how much; once it has arrived, call submit_plan, or rebuild an expired plan.',
  },
  SIMULATION_UNAVAILABLE: {
    cause: 'The effects could not be simulated.',
    next: 'Wait and review_plan again.',
    checks: {
      accountsWatched: 'The simulation did not show every account that the transaction may change',
      secondRpc: 'An amount this large needs a second RPC that sees the same',
    },
  },
  RPC_DISAGREE: {
    cause: 'The two RPCs show different balances of the wallet, so its guards would fail by one of them.',
    next: 'Wait and call submit_plan again. If it fails again, the person has to find out which RPC is wrong.',
    checks: {
      secondBalances: 'The two RPCs show different balances of the wallet',
    },
  },
  REHEARSAL_FAILED: {
    cause: 'The plan failed its rehearsal on a copy of the chain, so it is not started.',
    next: 'Nothing was signed or paid. Look up the SOL and tokens that are missing (get_wallet), or build again where prices or accounts have changed; submit_plan rehearses it again.',
  },
  APPROVAL_REQUIRED: {
    cause: 'The rule, or an unsupported instruction, needs the approval of a person.',
    sentence: approvalSentence,
    remedy: APPROVE,
    next: 'submit_plan asks them. Tell the person where to answer, then call submit_plan again.',
  },
  PERSON_DENIED: {
    cause: 'A person was asked and denied this.',
    next: 'Do not resubmit it or request the same in another way: ask the person what they want instead.',
  },
  APPROVAL_EXPIRED: {
    cause: 'The approval expired, or was used before this could be signed.',
    sentence: () => REASONS.APPROVAL_EXPIRED.cause,
    remedy: 'A person can approve it again with `countersign approve` or on the local page.',
    next: 'submit_plan asks again.',
  },
  RATE_LIMITED: {
    cause: 'Too many operations in a short time.',
    sentence: (facts) =>
      `Too many operations in a short time${facts.check === undefined ? '' : `: ${checkName(facts.check)}${compared(facts)}`}.`,
    remedy: 'Wait a little; a person can raise the limit in the policy file.',
    next: 'Wait a minute, and check whether you are in a loop.',
  },
  FROZEN: {
    cause: 'Signing is frozen, by a person or after several denials.',
    sentence: () => 'Signing is frozen.',
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
    checks: {
      policyNetwork: 'The policy is for another network than the one in use',
    },
  },
  POLICY_CHANGED: {
    cause: 'The policy file changed while the server was running, so signing has stopped.',
    remedy: 'A person can restart the server, or accept the new file with the owner key.',
    next: `${PERSON}: accept it with the owner key, or restart the server.`,
  },
  NO_RULE: {
    cause: 'No rule allows this operation, or a rule forbids it.',
    sentence: (facts) =>
      facts.check?.id === 'noRuleDenies'
        ? `The policy denies this ${words(facts.operation)}${compared(facts)}.`
        : `No rule of the policy allows a ${words(facts.operation)}.`,
    remedy: ({ operation, ruleId }) =>
      ruleId === undefined
        ? `A person can add a rule for "${operation}" to the policy file.`
        : `A person can change the rule "${ruleId}" in the policy file.`,
    next: `${PERSON}, with the operation's name.`,
    checks: {
      walletListed: {
        sentence: 'The policy names no such wallet, so no rule of it is about this',
        remedy: `A person can add the wallet to "wallets" ${FILE}.`,
      },
      tokenListed: {
        sentence: 'The policy lists the tokens it is about, and this token is not among them',
        remedy: `A person can add the token to tokens.mints ${FILE}.`,
      },
      withinHours: {
        sentence: 'It is outside the hours in which a rule of the policy allows this',
        remedy: `Ask again within those hours; a person can change the hours of the rule ${FILE}.`,
      },
    },
  },
};
