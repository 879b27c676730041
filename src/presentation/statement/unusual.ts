/**
 * Describes findings that require approval whatever the rule allows. Findings covered by the statement's own lines
 * are omitted.
 */
import { capital, shortAddress } from '../../base/format.ts';
import { isAskCode } from '../../policy/decide/asks/asks.ts';
import type { AskCode, Check } from '../../policy/decide/types.ts';
import { type CheckId, checkName } from '../../policy/decide/words/names.ts';
import { DISPLAY_EXTENSIONS } from '../../programs/token2022/extensions.ts';
import type { NoRehearsal } from '../../rpc/types.ts';
import { otherAmounts } from './amounts.ts';
import type { Names } from './names.ts';
import type { Sentence } from './sentence.ts';

/** Findings covered by a line of the statement: beneficiaries, unsupported programs, final launches. */
const COVERED_CODES: readonly AskCode[] = ['UNSUPPORTED_INSTRUCTION', 'PARTY_UNKNOWN', 'POOL_LAUNCH'];

type Finding = Pick<Check, 'observed' | 'allowed'> & { readonly params: NonNullable<Check['params']> };

const NO_REHEARSAL: Readonly<Record<string, string>> = {
  runtime: 'this machine has no runtime for it',
  rpc: 'the RPC does not show what it needs',
  views: 'the RPC answers from states that are too far apart',
  size: 'its accounts and programs are too large',
  time: 'it took too long',
  broken: 'its process ended',
} satisfies Record<NoRehearsal, string>;

const SENTENCES: Readonly<Partial<Record<CheckId, (finding: Finding) => string>>> = {
  freezeAuthority: ({ params, observed }) =>
    `Your ${params.mint} can be frozen: the freeze authority is ${observed}.`,
  permanentDelegate: ({ params, observed }) =>
    `Your ${params.mint} can be taken: a permanent delegate is ${observed}.`,
  mintAuthority: ({ params, observed }) =>
    `More ${params.mint} can be minted: the mint authority is ${observed}.`,
  extension: ({ params }) =>
    DISPLAY_EXTENSIONS.includes(`${params.extension}`)
      ? otherAmounts(`${params.mint}`)
      : `Your ${params.mint} has the extension ${params.extension}, which is not decoded.`,
  secondPrice: ({ observed, allowed, params }) =>
    `A bad price, ${params.below} below that of the pool ${shortAddress(`${params.pool}`)}: ${observed}, where the pool gives ${allowed}.`,
  firstPurchase: ({ params }) =>
    `This home has never bought ${params.mint}, and your policy does not list it.`,
  askedConfiguration: () =>
    'This home did not set up the fee shares, so the launch type is unknown: terms that differ from the default type are listed.',
  poolSettings: ({ observed }) => `The pool takes settings from ${observed} that are not decoded.`,
  unknownTerm: ({ params, observed }) => `The term “${params.part}” is ${observed}, which is not decoded.`,
  deployedSlot: ({ params }) => `The code of ${params.program} is not the code your policy was written for.`,
  inferredLayout: () => 'The layout of an instruction is inferred, and the simulation does not confirm it.',
  unregisteredToken: () => 'This home did not register the token: its name comes from the service.',
  claimCosts: ({ observed }) => `The claim brings ${observed}.`,
  networkFee: ({ observed, params }) =>
    `The network fee is ${observed}, more than ${params.times} times the usual one.`,
  noRehearsal: ({ params }) =>
    `The plan could not be rehearsed: ${NO_REHEARSAL[`${params.reason}`] ?? params.reason}.`,
  guards: ({ observed }) => `The chain does not enforce the amounts of ${observed}: they are simulated only.`,
  unlimitedAsset: ({ observed }) => `No limit of your policy counts ${observed}, which leaves.`,
};

const ADDRESS = /(\d of )?\b([1-9A-HJ-NP-Za-km-z]{32,44})\b/g;

/** Findings whose only addresses are those of tokens. */
const ABOUT_TOKENS: readonly CheckId[] = ['unlimitedAsset', 'guards'];

/** Replaces addresses in a text by their names; an amount's token is written without "of". */
const named = (text: string, { id, params }: Pick<Check, 'id' | 'params'>, names: Names): string =>
  text.replaceAll(ADDRESS, (_, of: string | undefined, address: string) => {
    const isToken = of !== undefined || address === params?.mint || ABOUT_TOKENS.includes(id);
    const { text: name, isKnown } = isToken ? names.account(address) : names.party(address);
    return `${(isKnown ? of?.replace(' of', '') : of) ?? ''}${name}`;
  });

const openAsks = (checks: readonly Check[]): readonly Check[] =>
  checks.filter(
    ({ ok, code }) => !ok && code !== undefined && isAskCode(code) && !COVERED_CODES.includes(code),
  );

/** Returns the tokens whose issuer's powers require approval. */
export const issuerTokens = (checks: readonly Check[]): readonly unknown[] =>
  openAsks(checks).flatMap(({ code, params }) => (code === 'ISSUER_POWER' ? [params?.mint] : []));

/** Returns one distinct sentence for each finding that no approval covers. */
export function unusual(checks: readonly Check[], names: Names): readonly Sentence[] {
  const texts = openAsks(checks).map((check) => {
    const { id, params = {}, observed, allowed } = check;
    const general = () =>
      `${capital(checkName(check))}: ${observed}${allowed === undefined ? '' : `, expected ${allowed}`}.`;
    return named(SENTENCES[id]?.({ params, observed, allowed }) ?? general(), check, names);
  });
  return [...new Set(texts)].map((text) => ({ part: 'unusual', tone: 'bad', text }));
}
