/** The public networks, by the hash of their first block: the hash identifies a chain, its name does not. */

/** Genesis hash by the name a policy file may use. */
export const GENESIS: Readonly<Record<string, string>> = {
  'mainnet-beta': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
};

const PUBLIC: ReadonlySet<string> = new Set(Object.entries(GENESIS).flat());

/** Whether a network, by name or by genesis hash, is a public one. */
export const isPublicNetwork = (network: string): boolean => PUBLIC.has(network);
