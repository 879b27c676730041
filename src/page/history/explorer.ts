/**
 * Links from transactions to a block explorer. The page makes no request to the explorer: only a person who follows a
 * link does, and thereby discloses the transaction to it.
 */
import { GENESIS } from '../../policy/file/networks.ts';
import { type Html, html } from '../http/html.ts';

/** Placeholder for the signature in an explorer address. */
const PLACE = '{signature}';

/** Default explorers of the public networks, by genesis hash. */
const USUAL: Readonly<Record<string, string>> = {
  [GENESIS['mainnet-beta'] ?? '']: `https://explorer.solana.com/tx/${PLACE}`,
  [GENESIS.devnet ?? '']: `https://explorer.solana.com/tx/${PLACE}?cluster=devnet`,
  [GENESIS.testnet ?? '']: `https://explorer.solana.com/tx/${PLACE}?cluster=testnet`,
};

/** Returns the problem of an explorer address; `undefined` if it is usable. `none` and the empty text are usable. */
export function explorerProblem(template: string): string | undefined {
  if (template === '' || template === 'none') return undefined;
  if (!template.includes(PLACE)) return `the explorer address does not contain ${PLACE}`;
  try {
    const { protocol } = new URL(template.replaceAll(PLACE, 'x'));
    return protocol === 'https:' || protocol === 'http:'
      ? undefined
      : 'the explorer address is not an http or https URL';
  } catch {
    return 'the explorer address is not an http or https URL';
  }
}

/**
 * Returns the explorer address of a transaction; `undefined` if no explorer is configured and the network has no
 * default.
 */
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

/** Formats a short signature, as a link if there is an explorer. */
export function signatureLink(signature: string, network: string, configured: string | undefined): Html {
  const short = html`<span class="code" title="${signature}">${signature.slice(0, 8)}…${signature.slice(-6)}</span>`;
  const link = explorerLink(signature, network, configured);
  return link === undefined
    ? short
    : html`<a href="${link}" target="_blank" rel="noreferrer noopener" aria-label="Transaction ${signature} in the explorer">${short} ↗</a>`;
}
