/** The page that says what was played on which programs, and what differed. */

export interface Result {
  readonly name: string;
  readonly steps: number;
  readonly landed: number;
  /** Whether an original took part. */
  readonly real: boolean;
  readonly found: readonly string[];
}

export interface Played {
  readonly date: string;
  readonly commit: string;
  /** `hash` where the original was played, else the stand-in stood on both sides. */
  readonly programs: readonly {
    readonly address: string;
    readonly source: string;
    readonly hash?: string;
  }[];
  readonly results: readonly Result[];
}

const WHAT: Readonly<Record<string, string>> = {
  metadata: 'token metadata (Metaplex)',
  dbc: 'bonding curve (Meteora DBC)',
  dammV2: 'DAMM v2 (Meteora)',
  feeShare: 'fee share, version 2',
  feeShareV1: 'fee share, version 1 (retired)',
  router: 'swap router (Jupiter, version 6)',
  quoteShare: 'fee share in other quotes (our own)',
  custody: 'position custody (our own)',
  earnings: 'vaults of partners and deployers (our own)',
};

/** The text of docs/reality.md. */
export function page({ date, commit, programs, results }: Played): string {
  const rows = programs.map(
    ({ address, source, hash }) =>
      `| ${WHAT[source] ?? source} | \`${address}\` | ${hash === undefined ? 'stand-in' : `\`${hash}\``} |`,
  );
  const played = results.map(
    ({ name, steps, landed, real, found }) =>
      `| ${name} | ${steps} | ${landed} | ${real ? (found.length === 0 ? 'none' : String(found.length)) : 'not compared'} |`,
  );
  const found = results.flatMap(({ name, found: each }) => each.map((words) => `- ${name}: ${words}`));
  return `# Stand-ins against the originals

Written by \`npm run reality -- --programs DIR\`, played on ${date} at commit ${commit}. Each scenario runs twice from the same
state: on the sandbox's stand-in programs, and with the originals of the folder in their place. After every step the error
and every account concerned (owner, lamports, all data) must be the same. In scenarios of the service, its requests are
answered on both sides and what it builds is landed. The originals are not part of this project; a row
without a hash is a program that is not public; there the stand-in was on both sides.

| program | address | SHA-256 of the original |
|---|---|---|
${rows.join('\n')}

The originals that are public lie as test fixtures in \`MeteoraAg/dynamic-bonding-curve-sdk\`
(\`packages/dynamic-bonding-curve/tests/fixtures\`: curve, DAMM v2, metadata) and \`MeteoraAg/dynamic-bonding-curve\`
(\`tests/fixtures\`: router).

| scenario | steps | of them landed | differences |
|---|---|---|---|
${played.join('\n')}

## Differences

${found.length === 0 ? 'None in what is played.' : found.join('\n')}

## What the stand-ins leave out

Stand-ins use other compute units, and do not tell events by calling themselves; neither is compared. An instruction or
option of this list is refused by the stand-in, so no plan of the sandbox can depend on it:

- **bonding curve**: volatility fees, the rate limiter, swaps for an exact output, Token-2022 launches, metadata whose update
  authority is the partner, withdrawal of surplus and leftovers, migration, and configs that migrate to the older DAMM.
- **DAMM v2**: volatility fees, the rate limiter, fees that follow the market cap, compounding, swaps for an exact output,
  rewards, vesting, splitting and closing of positions.
- **token metadata**: everything but \`CreateMetadataAccountV3\` without creators, collection and uses.
- **router**: everything but \`route_v2\` with one step, at the curve or DAMM v2.
- **fee share**: what the service alone does (updates by its admin, forced claims but into a vault, platform fees). How the
  original divides what cannot be divided evenly, and how a manager's update addresses ranges, is concluded from its
  interface. The deployer's part is an addition of our own.
- **fee share, version 1**: everything but the accounts two wallets share fees with.
`;
}
