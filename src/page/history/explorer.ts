/**
 * Links from a transaction to a block explorer. The page itself asks it nothing: only a person who follows a link does,
 * and then the explorer learns which transactions they look at.
 */
import { GENESIS } from '../../policy/file/networks.ts';
import { type Html, html } from '../http/html.ts';

/** What stands for the signature in the address of an explorer. */
const PLACE = '{signature}';

/** The explorer of the public networks where none is configured, by genesis hash. */
const USUAL: Readonly<Record<string, string>> = {
  [GENESIS['mainnet-beta'] ?? '']: `https://explorer.solana.com/tx/${PLACE}`,
  [GENESIS.devnet ?? '']: `https://explorer.solana.com/tx/${PLACE}?cluster=devnet`,
  [GENESIS.testnet ?? '']: `https://explorer.solana.com/tx/${PLACE}?cluster=testnet`,
};

/** What is wrong with the address of an explorer; `undefined` when it can be used. `none` and nothing are usable. */
export function explorerProblem(template: string): string | undefined {
  if (template === '' || template === 'none') return undefined;
  if (!template.includes(PLACE)) return `the address of the explorer has no ${PLACE} in it`;
  try {
    const { protocol } = new URL(template.replaceAll(PLACE, 'x'));
    return protocol === 'https:' || protocol === 'http:' ? undefined : 'the explorer is not a web address';
  } catch {
    return 'the explorer is not a web address';
  }
}

/** The address of a transaction; `undefined` where no explorer is configured and none is usual for the network. */
export function explorerLink(
  signature: string,
  network: string,
  configured: string | undefined,
): string | undefined {
  const template = configured === undefined || configured === '' ? USUAL[network] : configured;
  if (template === undefined || template === 'none' || explorerProblem(template) !== undefined)
    return undefined;
  return template.replaceAll(PLACE, encodeURIComponent(signature));
}

/** A signature, short, as a link where there is an explorer. */
export function signatureLink(signature: string, network: string, configured: string | undefined): Html {
  const short = html`<span class="code" title="${signature}">${signature.slice(0, 8)}…${signature.slice(-6)}</span>`;
  const link = explorerLink(signature, network, configured);
  return link === undefined
    ? short
    : html`<a href="${link}" target="_blank" rel="noreferrer noopener" aria-label="Transaction ${signature} in the explorer">${short} ↗</a>`;
}
