/** What a launch request asks for, whichever of the four endpoints it went to, and who will earn from it. */
import { custodyMemo, launchMemo, readConfig } from '../../../contract/stockPrograms.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Checklist, shown } from '../checklist.ts';
import { type DecisionContext, mintAt } from '../decisionContext.ts';
import { type Tip, tipOf } from './config/config.ts';
import { fieldsOnChain } from './config/configRecord.ts';
import { amountOf, objectOf, type Recipient, textOf } from './profile.ts';

export interface RequestedLaunch {
  readonly mint: Address;
  readonly quoteMint: Address;
  /** Metadata link. */
  readonly uri: string | undefined;
  /** Quote base units of the initial buy; 0 for none. */
  readonly buy: bigint;
  readonly tip: Tip | undefined;
  /** The position mints a custody answer names. Their holder is the service; the memo says for whom. */
  readonly positions: readonly Address[];
  /** What the service's signed memo must say about who earns. */
  readonly memo: string;
  readonly custody?: { readonly feeClaimer: Address; readonly partner: Address | undefined };
  readonly feeShareConfig?: Address;
}

const MEMO_CONFIG = /^launch: feeShareConfig=([1-9A-HJ-NP-Za-km-z]{32,44})$/;

export function requestedLaunch(c: DecisionContext): RequestedLaunch {
  const { request, answer, endpoint, wallet } = c.facts.plan;
  const named = objectOf(answer, 'launch');
  const base = {
    mint: textOf(request, 'tokenMint') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    uri: textOf(request, 'ipfs'),
    // Each endpoint has its own name for it, and only one of them.
    buy:
      amountOf(request, 'initialBuyQuoteAmount') +
      amountOf(request, 'initialBuyQuoteRaw') +
      amountOf(request, 'initialBuyLamports'),
    tip: tipOf(request),
    positions: ['treasuryPositionNftMint', 'feeClaimerPositionNftMint'].flatMap(
      (name) => textOf(named, name) ?? [],
    ),
  };
  if (endpoint === 'dammLaunch') {
    const feeClaimer = textOf(request, 'feeClaimerWallet') ?? wallet;
    const partner = textOf(request, 'partner');
    return { ...base, memo: custodyMemo(feeClaimer, partner), custody: { feeClaimer, partner } };
  }
  // A bare curve launch asks by the venue's key alone; the config it names must then be the token's own.
  const feeShareConfig = textOf(request, 'feeShareConfig') ?? memoConfig(c) ?? '';
  return { ...base, memo: launchMemo(feeShareConfig), feeShareConfig };
}

/** The config a memo in the bytes names. */
function memoConfig(c: DecisionContext): Address | undefined {
  for (const i of c.instructions) {
    const match = i.kind === 'memo.memo' ? MEMO_CONFIG.exec(i.args.text) : null;
    if (match?.[1] !== undefined) return match[1];
  }
  return undefined;
}

/** Who earns from the launch: the fee claimer, or every earner the config on the chain names. */
export function launchRecipients(
  c: DecisionContext,
  { custody, tip, feeShareConfig, mint }: RequestedLaunch,
  list: Checklist,
): Recipient[] {
  const recipients: Recipient[] = tip === undefined ? [] : [{ address: tip.wallet, role: 'tip' }];
  if (custody !== undefined) recipients.push({ address: custody.feeClaimer, role: 'feeClaimer' });
  if (custody?.partner !== undefined) recipients.push({ address: custody.partner, role: 'partner' });
  if (feeShareConfig === undefined || c.opaque.length > 0) return recipients;

  const reading = mintAt(c, feeShareConfig) && readConfig(fieldsOnChain(c, feeShareConfig));
  const record = reading?.complete ? reading.record : undefined;
  list.expect(record?.baseMint === mint, 'REQUEST_MISMATCH', 'fee share config is the one of the token', {
    observed: shown(record?.baseMint),
    allowed: mint,
  });
  for (const { address } of record?.claimers ?? []) recipients.push({ address, role: 'claimer' });
  if (record !== undefined) recipients.push({ address: record.admin, role: 'admin' });
  return recipients;
}
