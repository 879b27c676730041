/** Powers that the issuer of a bought mint keeps over its holders' tokens (T180). Each power asks, unless the policy lists the mint. */
import { percent } from '../../../base/format.ts';
import type { MintState } from '../../../programs/token/accounts.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, formatAmount, mintAt } from '../decisionContext.ts';
import { isLocalChain } from '../unsupported/entries.ts';
import type { CheckId } from '../words/names.ts';

interface Power {
  readonly power: CheckId;
  /** The name of an unsupported extension. */
  readonly extension?: string;
  /** Details beyond the id, such as the rate of a transfer fee. */
  readonly details?: string;
  /** The key that holds the power; `undefined` if the mint names none. */
  readonly holder: Address | undefined;
}

/** Extensions that are harmless to holders, and those that `powersOf` handles. */
const JUDGED: readonly string[] = [
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'transferFeeConfig',
  'transferHook',
  'permanentDelegate',
  'mintCloseAuthority',
  'pausable',
  'defaultAccountState',
];

/** Asks about each power over a bought mint that is held by a key other than our wallets. */
export function askAboutIssuer(c: DecisionContext, mint: Address, list: Checklist): void {
  const state = mintAt(c, mint);
  if (state === undefined || c.policy.tokens.mints?.includes(mint)) return;
  for (const { power, extension, details, holder } of powersOf(c, mint, state)) {
    if (holder !== undefined && c.own.has(holder)) continue;
    const held = `held by ${holder ?? 'no named key'}`;
    list.ask('ISSUER_POWER', power, {
      params: { mint, ...(extension === undefined ? {} : { extension }) },
      observed: details === undefined ? held : `${details}, ${held}`,
    });
  }
}

function powersOf(c: DecisionContext, mint: Address, state: MintState): readonly Power[] {
  const { transferFee, transferHook, extensions, freezeAuthority } = state;
  const held = (power: CheckId, holder: Address | undefined): Power[] =>
    holder === undefined ? [] : [{ power, holder }];
  const isTaxed = transferFee !== undefined && [transferFee.older, transferFee.newer].some(chargesFee);
  return [
    ...held('freezeAuthority', freezeAuthority),
    // The sandbox's quote tokens keep a mint authority; they have no value that inflation could reduce.
    ...(isLocalChain(c.inputs) ? [] : held('mintAuthority', state.mintAuthority)),
    ...(isTaxed || transferFee?.configAuthority !== undefined
      ? [
          {
            power: 'transferFee',
            details: feeWords(c, mint, transferFee),
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

const chargesFee = ({ basisPoints, maximumFee }: TransferFee['older']): boolean =>
  basisPoints > 0 && maximumFee > 0n;

/** Formats the transfer fee of both schedules; the current epoch decides which one applies. */
function feeWords(c: DecisionContext, mint: Address, { older, newer }: TransferFee): string {
  const schedule = ({ basisPoints, maximumFee }: TransferFee['older']) =>
    `${percent(basisPoints)} and at most ${formatAmount(c, maximumFee, mint)}`;
  return `${schedule(older)}${newer.epoch > older.epoch ? `, from epoch ${newer.epoch} on ${schedule(newer)}` : ''}`;
}
