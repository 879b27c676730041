/** Powers that the issuer of a bought mint keeps over the tokens of its holders (T180). Each asks; a mint of the policy's list does not. */
import { percent } from '../../../base/format.ts';
import type { MintState } from '../../../programs/token/accounts.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, mintAt, saidAmount } from '../decisionContext.ts';
import { isLocalChain } from '../unsupported/entries.ts';
import type { CheckId } from '../words/names.ts';

interface Power {
  readonly power: CheckId;
  /** The name of an extension without a reader. */
  readonly extension?: string;
  /** The power itself, where its id does not say all of it. */
  readonly says?: string;
  /** Who holds it; `undefined` where the mint names nobody. */
  readonly holder: Address | undefined;
}

/** Extensions that give nobody a power over tokens of others, and those that `powersOf` reads. */
const JUDGED: readonly string[] = [
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'interestBearing',
  'scaledUiAmount',
  'transferFeeConfig',
  'transferHook',
  'permanentDelegate',
  'mintCloseAuthority',
  'pausable',
  'defaultAccountState',
];

/** Asks about each power over a bought mint that no wallet of ours holds. */
export function askAboutIssuer(c: DecisionContext, mint: Address, list: Checklist): void {
  const state = mintAt(c, mint);
  if (state === undefined || c.policy.tokens.mints?.includes(mint)) return;
  for (const { power, extension, says, holder } of powersOf(c, mint, state)) {
    if (holder !== undefined && c.own.has(holder)) continue;
    const held = `held by ${holder ?? 'no named key'}`;
    list.ask('ISSUER_POWER', power, {
      params: { mint, ...(extension === undefined ? {} : { extension }) },
      observed: says === undefined ? held : `${says}, ${held}`,
    });
  }
}

function powersOf(c: DecisionContext, mint: Address, state: MintState): readonly Power[] {
  const { transferFee, transferHook, extensions, freezeAuthority } = state;
  const held = (power: CheckId, holder: Address | undefined): Power[] =>
    holder === undefined ? [] : [{ power, holder }];
  const isTaxed = transferFee !== undefined && [transferFee.older, transferFee.newer].some(takesSome);
  return [
    ...held('freezeAuthority', freezeAuthority),
    // Quote tokens of a sandbox keep one; more of a token that is worth nothing harms nobody.
    ...(isLocalChain(c.inputs) ? [] : held('mintAuthority', state.mintAuthority)),
    ...(isTaxed || transferFee?.configAuthority !== undefined
      ? [
          {
            power: 'transferFee',
            says: feeWords(c, mint, transferFee),
            holder: transferFee.configAuthority,
          } as const,
        ]
      : []),
    ...held('hookProgram', transferHook?.program),
    ...held('hookAuthority', transferHook?.authority),
    ...held('permanentDelegate', state.permanentDelegate),
    ...held('closeAuthority', state.mintCloseAuthority),
    ...held('pauseAuthority', state.pauseAuthority),
    ...(state.defaultAccountState === 'frozen'
      ? [{ power: 'frozenAtFirst', holder: freezeAuthority } as const]
      : []),
    ...extensions
      .filter((name) => !JUDGED.includes(name))
      .map((extension): Power => ({ power: 'extension', extension, holder: undefined })),
  ];
}

type TransferFee = NonNullable<MintState['transferFee']>;

const takesSome = ({ basisPoints, maximumFee }: TransferFee['older']): boolean =>
  basisPoints > 0 && maximumFee > 0n;

/** The transfer fee in both schedules: which of them is in force is a matter of the epoch. */
function feeWords(c: DecisionContext, mint: Address, { older, newer }: TransferFee): string {
  const said = ({ basisPoints, maximumFee }: TransferFee['older']) =>
    `${percent(basisPoints)} and at most ${saidAmount(c, maximumFee, mint)}`;
  return `${said(older)}${newer.epoch > older.epoch ? `, from epoch ${newer.epoch} on ${said(newer)}` : ''}`;
}
