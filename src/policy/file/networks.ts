/** The public networks and their genesis hashes. */

/** Genesis hashes by network name. */
export const GENESIS: Readonly<Record<string, string>> = {
  'mainnet-beta': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
};

const PUBLIC: ReadonlySet<string> = new Set(Object.entries(GENESIS).flat());

/** Whether a network, given by name or genesis hash, is public. */
export const isPublicNetwork = (network: string): boolean => PUBLIC.has(network);
