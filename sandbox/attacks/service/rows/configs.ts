/**
 * Fee share configs that say something else than was asked, in bytes that are in perfect order (T54, T63). The service
 * builds them honestly for a request of its own, or writes one field of its own; every hash and co-signature fits.
 */
import { systemTransfer } from '../../../service/build/tokens.ts';
import { attackerKey } from '../assets.ts';
import { alters, both, claimedByAttacker, list, type ReadOf, read, withRequestFields } from '../drafts.ts';
import { type Attack, type Attacks, type AttackTools, type DraftHook, service } from '../types.ts';

/** Of 1,000,000,000. */
const HALF_OF_ALL = 500_000_000n;

type ConfigAttack = Omit<Attack, 'plays' | 'code' | 'endpoints' | 'row'> & { row?: string; code?: string };
const config = (attack: ConfigAttack): Attack =>
  service({ row: 'T63', code: 'REQUEST_MISMATCH', endpoints: ['feeShareConfig'], ...attack });

/** Writes other terms into a config's curve. */
const terms = (change: (args: CurveArgs) => Partial<CurveArgs>): DraftHook =>
  alters('dbc.createConfig', ({ args }) => ({ args: change(args) }));

type CurveArgs = ReadOf<'dbc.createConfig'>['args'];

/** Starts the curve at nine times the price, so that it is complete when a tenth of the supply is sold. */
const dear = ({ sqrtStartPrice, curve }: CurveArgs): Partial<CurveArgs> => ({
  sqrtStartPrice: 3n * sqrtStartPrice,
  curve: curve.map(({ sqrtPrice, liquidity }) => ({ sqrtPrice: 3n * sqrtPrice, liquidity: liquidity / 3n })),
});

/** Terms that the contract does not publish, which require approval under every rule. */
const needsApproval = (attack: Pick<Attack, 'does' | 'takes' | 'draft'>): Attack =>
  config({ ...attack, code: 'APPROVAL_REQUIRED' });

/** Pays the requested tip in every transaction after the first as well. */
function repeatTip(): Pick<Attack, 'request' | 'draft'> {
  let tip: { wallet: string; lamports: bigint } | undefined;
  return {
    request: (request) => {
      const { tipWallet, tipLamports } = request;
      tip = tipWallet ? { wallet: String(tipWallet), lamports: BigInt(String(tipLamports)) } : undefined;
      return request;
    },
    draft: (draft, { wallet }) => {
      const pays = draft.instructions
        .map(read)
        .some((each) => each.kind === 'system.transfer' && each.accounts.to.address === tip?.wallet);
      if (tip === undefined || pays) return draft;
      const again = systemTransfer(wallet, tip.wallet, tip.lamports);
      return { ...draft, instructions: [again, ...draft.instructions] };
    },
  };
}

const ofAnotherToken = (tools: AttackTools) => ({
  baseMint: attackerKey(tools, 'another token').address,
  feeShareConfig: undefined,
  feeShareAuthority: undefined,
});

/** The attacker as the partner of the config. */
const partnered = withRequestFields((_, { attacker }) => ({
  partner: attacker.address,
  partnerConfig: undefined,
}));

export const configAttacks: Attacks = {
  'claimers-replaced': config({
    row: 'T54',
    does: 'builds the config with its own split',
    takes: 'all future fees of the token',
    request: claimedByAttacker,
  }),
  'shares-shifted': config({
    does: 'keeps the claimers and swaps their shares',
    takes: 'most of the fees of the claimer with the larger share',
    request: withRequestFields(({ basisPointsArray }) => ({
      basisPointsArray: list(basisPointsArray).toReversed(),
    })),
  }),
  'claimer-slipped-in': config({
    does: 'adds a claimer at the expense of the first',
    takes: 'a share of every fee',
    request: withRequestFields(({ claimersArray, basisPointsArray }, { attacker }) => {
      const [first, ...others] = list(basisPointsArray);
      return {
        claimersArray: [...list(claimersArray), attacker.address],
        basisPointsArray: [Number(first) - 1_000, ...others, 1_000],
      };
    }),
  }),
  'admin-replaced': config({
    does: 'makes itself the manager of an otherwise correct config',
    takes: 'all fees once the manager changes the split',
    request: withRequestFields((_, { attacker }) => ({ admin: attacker.address })),
  }),
  'partner-added': config({
    does: 'adds an unrequested partner',
    takes: 'the partner’s share',
    request: partnered,
  }),
  'type-changed': config({
    does: 'uses another launch configuration than requested, with five times the fee',
    takes: 'the terms of the launch, which are final',
    request: withRequestFields(() => ({ serviceConfigType: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e' })),
  }),
  'curve-fee-raised': config({
    does: 'keeps the launch configuration and sets the curve’s fee to half of every trade',
    takes: 'half of every trade of the token',
    draft: terms(({ poolFees }) => ({
      poolFees: { ...poolFees, baseFee: { ...poolFees.baseFee, cliffFeeNumerator: HALF_OF_ALL } },
    })),
  }),
  'curve-never-complete': config({
    does: 'lets the curve graduate at a hundred times the amount of its launch configuration',
    takes: 'the migration into a pool, which never happens',
    draft: terms(({ migrationQuoteThreshold, curve }) => ({
      migrationQuoteThreshold: 100n * migrationQuoteThreshold,
      curve: curve.map((point) => ({ ...point, liquidity: 100n * point.liquidity })),
      tokenSupply: null,
    })),
  }),
  'curve-mints-more': config({
    does: 'lets the curve’s fee claimer mint more of the token at any time',
    takes: 'the value of every token sold',
    draft: terms(() => ({ tokenUpdateAuthority: 4 })),
  }),
  'curve-supply-doubled': config({
    does: 'mints twice the supply of its launch configuration',
    takes: 'half of the value of every token',
    draft: terms(({ tokenSupply }) => ({
      tokenSupply: tokenSupply && {
        preMigrationTokenSupply: 2n * tokenSupply.preMigrationTokenSupply,
        postMigrationTokenSupply: 2n * tokenSupply.postMigrationTokenSupply,
      },
    })),
  }),
  'curve-rest-elsewhere': needsApproval({
    does: 'starts the curve at so high a price that nine tenths of the supply are never sold, and keeps them',
    takes: 'nine tenths of the supply',
    draft: alters('dbc.createConfig', ({ args }, { attacker }) => ({
      args: dear(args),
      accounts: { leftoverReceiver: attacker.address },
    })),
  }),
  'curve-supply-held-back': needsApproval({
    does: 'withholds a third of the supply and vests it over time',
    takes: 'a third of the supply',
    draft: terms((args) => ({
      ...dear(args),
      lockedVesting: {
        ...args.lockedVesting,
        frequency: 1n,
        cliffUnlockAmount: (args.tokenSupply?.preMigrationTokenSupply ?? 0n) / 3n,
      },
    })),
  }),
  'curve-liquidity-unlocked': needsApproval({
    does: 'lets the fee claimer withdraw nine tenths of the liquidity once the curve is complete',
    takes: 'nine tenths of the curve’s proceeds',
    draft: terms(() => ({ partnerLiquidityPercentage: 90, partnerPermanentLockedLiquidityPercentage: 10 })),
  }),
  'curve-paid-out': needsApproval({
    does: 'pays out half of the curve’s proceeds instead of migrating them into the pool',
    takes: 'half of the curve’s proceeds',
    draft: terms(({ migrationFee }) => ({ migrationFee: { ...migrationFee, feePercentage: 50 } })),
  }),
  'curve-fee-falls': needsApproval({
    does: 'lets the curve’s fee drop to an eighth within a second of the launch',
    takes: 'nearly all fees of the claimers',
    draft: terms(({ poolFees }) => ({
      poolFees: {
        ...poolFees,
        baseFee: { ...poolFees.baseFee, firstFactor: 7, secondFactor: 1n, thirdFactor: 2_500_000n },
      },
    })),
  }),
  'curve-fee-after': needsApproval({
    does: 'sets the fee of the pool after the curve to 10% instead of 2%',
    takes: '8% of each trade, permanently',
    draft: terms(({ migratedPoolFee }) => ({ migratedPoolFee: { ...migratedPoolFee, poolFeeBps: 1_000 } })),
  }),
  'curve-fees-in-tokens': needsApproval({
    does: 'takes the curve’s fee in the token as well as in SOL',
    takes: 'half of the SOL the claimers would earn',
    draft: terms(() => ({ collectFeeMode: 1 })),
  }),
  'curve-supply-tenfold': needsApproval({
    does: 'mints ten times the supply, at a tenth of the price per token',
    takes: 'the requested supply',
    draft: terms(({ sqrtStartPrice, curve, tokenSupply, migrationQuoteThreshold }) => ({
      // The square root of ten is 3.1622…, rounded up so that the supply suffices.
      sqrtStartPrice: (sqrtStartPrice * 1_000n) / 3_160n,
      curve: curve.map(({ sqrtPrice, liquidity }) => ({
        sqrtPrice: (sqrtPrice * 1_000n) / 3_160n,
        liquidity: (liquidity * 3_160n) / 1_000n,
      })),
      migrationQuoteThreshold,
      tokenSupply: tokenSupply && {
        preMigrationTokenSupply: 10n * tokenSupply.preMigrationTokenSupply,
        postMigrationTokenSupply: 10n * tokenSupply.postMigrationTokenSupply,
      },
    })),
  }),
  'curve-earns-elsewhere': config({
    does: 'makes itself the fee claimer of the curve of an otherwise correct config',
    takes: 'all fees of the curve',
    draft: alters('dbc.createConfig', (_, { attacker }) => ({ accounts: { feeClaimer: attacker.address } })),
  }),
  'first-swap-changed': config({
    does: 'lets the first swap pay the lowest fee without a request',
    takes: 'the fee of the first swap',
    request: withRequestFields(() => ({ enableFirstSwapWithMinFee: true })),
  }),
  'partner-replaced': config({
    does: 'names another partner than requested',
    takes: 'the partner’s share',
    request: partnered,
  }),
  'base-mint-replaced': config({
    row: 'T54',
    does: 'creates the config of another token than requested',
    takes: 'all future fees of the token, which has no config',
    draft: both(
      alters('feeShare.createFeeConfig', (_, tools) => ({
        accounts: { ...ofAnotherToken(tools), feeShareAuthorityQuoteAta: undefined },
      })),
      alters('feeShare.updateFeeConfigManager', (_, tools) => ({ accounts: ofAnotherToken(tools) })),
    ),
  }),
  'quote-mint-replaced': config({
    row: 'T54',
    does: 'makes the curve trade in another quote token than requested',
    takes: 'the currency of the fees',
    draft: alters('dbc.createConfig', (_, { keys }) => ({
      accounts: { quoteMint: keys.quoteMint('USDC').address },
    })),
  }),
  'tip-paid-again': config({
    row: 'T23',
    does: 'pays the tip of a config in each of its transactions',
    takes: 'the tip once for each further transaction',
    ...repeatTip(),
  }),
};
