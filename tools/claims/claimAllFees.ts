import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { type Claim, claimKey, MAX_CLAIMS } from '../../src/plan/claimAll.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { again } from '../build.ts';
import { positionsOf } from '../fees/listDeployerClaimables.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { heading, joinLines, line } from '../resultText.ts';
import { defineTool, type ToolContext } from '../tool.ts';

const leftOut = z.object({
  claim: z.string(),
  tokenMint: z.string().optional(),
  quoteMint: z.string().optional(),
  why: z.string(),
});
type LeftOut = z.input<typeof leftOut>;

/** Everything a wallet has claimable as one plan (docs/policy.md). */
export const claimAllFees = defineTool({
  name: 'claim_all_fees',
  title: 'Claim everything',
  domain: 'fees',
  effect: 'build',
  description: 'Builds one plan that claims all a wallet has: fees of every token, vaults, deployer revenue.',
  input: z.strictObject({
    wallet: publicKey('Claimer; signs. Default: yours.').nullish(),
    again,
  }),
  output: z.looseObject({ ...builtFields, leftOut: z.array(leftOut).optional() }),
  async run({ again: repeat, ...input }, context) {
    const wallet = input.wallet ?? (await context.wallet.address());
    const begun = await context.plans.beginClaims(wallet);
    const found = await claimable(context, wallet);
    const missing: LeftOut[] = found.slice(MAX_CLAIMS).map((claim) => ({ ...named(claim), why: LATER }));
    const built = [];
    for (const claim of found.slice(0, MAX_CLAIMS)) {
      const answer = await builtBy(context, claim);
      if (answer === undefined) missing.push({ ...named(claim), why: REFUSED });
      else built.push({ ...claim, answer });
    }
    const rest = missing.length === 0 ? {} : { leftOut: missing };
    if (built.length === 0) return { plan: null, note: NOTHING, ...rest };
    const how = { begun, ...(repeat === undefined ? {} : { again: repeat }) };
    return { ...briefly(await context.plans.openClaims(wallet, built, how)), ...rest };
  },
  text: ({ leftOut: missing = [], ...result }) =>
    joinLines(
      builtText(result),
      missing.length > 0 && `Left out, ${heading(missing.length, 'claim')}`,
      ...missing.map((each) => `- ${line(each)}`),
    ),
});

const NOTHING = 'Nothing to claim was found.';
const LATER = 'One plan holds no more: call again when this plan is complete.';
const REFUSED = 'The service does not build it now.';

const named = ({ endpoint, fields: { tokenMint, quoteMint } }: Claim): Omit<LeftOut, 'why'> => ({
  claim: NAMES[endpoint],
  ...(typeof tokenMint === 'string' ? { tokenMint } : {}),
  ...(typeof quoteMint === 'string' ? { quoteMint } : {}),
});

/** Returns the tool that builds a claim alone. */
const NAMES: Readonly<Record<Claim['endpoint'], string>> = {
  claimTxs: 'create_fee_claims',
  claimVault: 'create_vault_claim',
  deployerClaimTxs: 'create_deployer_claims',
};

/** Returns the service's transactions of a claim; `undefined` if the service refuses it. Rejects if it is unavailable. */
async function builtBy({ service }: ToolContext, claim: Claim): Promise<unknown> {
  try {
    return await service.call(claim.endpoint, Object(claim.fields));
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return undefined;
    throw error;
  }
}

/** Whether an amount is stated as zero; unknown amounts are not. */
const isNothing = (raw: unknown): boolean => typeof raw === 'string' && /^0*$/.test(raw);

const position = z.looseObject({
  tokenMint: publicKey('Token.'),
  quoteMint: publicKey('Quote.').nullish(),
  source: z
    .looseObject({ kind: z.enum(['position', 'holding']), authority: publicKey('Authority.').nullish() })
    .nullish(),
  claimableAmountRaw: z.string().nullish(),
});

/**
 * Returns a wallet's claims by the service's three lists, which select the requests only. A deployer claim empties the
 * deployer's vaults too (C-DEPLOY-04), so these get no claim of their own.
 */
async function claimable({ service }: ToolContext, wallet: string): Promise<Claim[]> {
  const { items } = await service.call('claimablePositions', { wallet });
  const { vaults } = await service.call('vaultClaimables', { wallet });
  const deployed = await service.call('deployerClaimables', { wallet });
  const full = vaults.filter(({ claimableAmountRaw }) => !isNothing(claimableAmountRaw));
  const isDeployer = hasSome(deployed) || full.some(({ kind }) => kind === 'deployer');
  const claims = [
    ...items.flatMap((item) => positionClaim(item, wallet)),
    ...full
      .filter(({ kind }) => kind === 'partner')
      .map(({ kind, quoteMint }): Claim => ({ endpoint: 'claimVault', fields: { kind, wallet, quoteMint } })),
    ...(isDeployer ? [{ endpoint: 'deployerClaimTxs', fields: { wallet } } as const] : []),
  ];
  // Two vaults of one kind and quote are one request: the service builds them one after the other.
  return [...new Map(claims.map((claim) => [claimKey(claim), claim])).values()];
}

function positionClaim(item: unknown, wallet: string): Claim[] {
  const read = position.safeParse(item);
  if (!read.success || isNothing(read.data.claimableAmountRaw)) return [];
  const { tokenMint, quoteMint, source } = read.data;
  const { kind, authority } = source ?? {};
  const fields = {
    feeClaimer: wallet,
    tokenMint,
    ...(quoteMint == null ? {} : { quoteMint }),
    ...(kind === undefined
      ? {}
      : { source: { kind, ...(kind === 'holding' && authority != null ? { authority } : {}) } }),
  };
  return [{ endpoint: 'claimTxs', fields }];
}

/** Whether a deployer has something to claim. The response schema is undocumented; unknown shapes count as non-empty. */
function hasSome(answer: unknown): boolean {
  const known = positionsOf(answer);
  if (known !== undefined) return known.some(({ units }) => units > 0n);
  return Object.values(Object(answer)).some((value) => Array.isArray(value) && value.length > 0);
}
