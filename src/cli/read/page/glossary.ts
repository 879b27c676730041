/** Words of Solana on a page of `countersign read`, each explained in a line where it stands there. Pure. */

const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  [
    'deposit',
    'SOL that must lie in an account as long as it exists; the controller of the account can get it back',
  ],
  ['wrapped SOL', 'SOL in the form of a token, one for one'],
  [
    'base unit',
    'the smallest part of a token; how many of them make one token is written on the chain (--rpc-url looks it up)',
  ],
  ['fee share', "an account on the chain that collects a token's trading fees for those who earn them"],
  ['pool', 'a market on the chain where two tokens are traded for each other'],
  [
    'curve',
    'the first market of a new token; when its part of the supply is sold, trading moves to an ordinary pool',
  ],
  ['position', "a part of a pool's money; its controller gets its fees and, unless it is locked, the money"],
  [
    'liquidity',
    "the money in a pool that trades are made against; a position's part of it, once locked, stays there",
  ],
  ['NFT', 'a token of which there is one; here the key to a position, whose holder controls the position'],
  [
    'the platform',
    'Bags, which runs the fee share program; it may take a part of the fees before the earners',
  ],
  ['address table', 'a list of addresses that later transactions can point into'],
];

/** The words that stand in a text, with what they mean. */
export const explained = (text: string): readonly string[] =>
  WORDS.filter(([word]) => new RegExp(`\\b${word}s?\\b`, 'i').test(text)).map(
    ([word, meaning]) => `${word}: ${meaning}`,
  );
