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

/** Writes other terms into the curve that a config is made for. */
const terms = (change: (args: CurveArgs) => Partial<CurveArgs>): DraftHook =>
  alters('dbc.createConfig', ({ args }) => ({ args: change(args) }));

type CurveArgs = ReadOf<'dbc.createConfig'>['args'];

/** Begins the curve at nine times the price, so that it is complete when a tenth of the supply is sold. */
const dear = ({ sqrtStartPrice, curve }: CurveArgs): Partial<CurveArgs> => ({
  sqrtStartPrice: 3n * sqrtStartPrice,
  curve: curve.map(({ sqrtPrice, liquidity }) => ({ sqrtPrice: 3n * sqrtPrice, liquidity: liquidity / 3n })),
});

/** Terms that the contract publishes nothing about: a person is asked, whatever the rule allows. */
const needsApproval = (attack: Pick<Attack, 'does' | 'takes' | 'draft'>): Attack =>
  config({ ...attack, code: 'APPROVAL_REQUIRED' });

/** Pays the tip that was asked for in every transaction after the first. */
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
    does: 'builds the config for a split of its own',
    takes: 'every fee the token will ever earn',
    request: claimedByAttacker,
  }),
  'shares-shifted': config({
    does: 'keeps the claimers and turns their shares around',
    takes: 'most of the fees of the claimer with the larger share',
    request: withRequestFields(({ basisPointsArray }) => ({
      basisPointsArray: list(basisPointsArray).toReversed(),
    })),
  }),
  'claimer-slipped-in': config({
    does: 'slips one more claimer in, at the cost of the first',
    takes: 'a part of every fee',
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
    takes: 'every fee, from the day the manager changes the split',
    request: withRequestFields((_, { attacker }) => ({ admin: attacker.address })),
  }),
  'partner-added': config({
    does: 'adds a partner that was not asked for',
    takes: 'the share that goes to partners',
    request: partnered,
  }),
  'type-changed': config({
    does: 'uses another launch configuration than was asked for, of five times the fee',
    takes: 'the terms of the launch, which cannot be changed later',
    request: withRequestFields(() => ({ serviceConfigType: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e' })),
  }),
  'curve-fee-raised': config({
    does: 'keeps the launch configuration and writes half of every trade into the curve as its fee',
    takes: 'half of every trade, from all who trade the token',
    draft: terms(({ poolFees }) => ({
      poolFees: { ...poolFees, baseFee: { ...poolFees.baseFee, cliffFeeNumerator: HALF_OF_ALL } },
    })),
  }),
  'curve-never-complete': config({
    does: 'lets the curve graduate at a hundred times the amount of its launch configuration',
    takes: 'the pool that the token should move to',
    draft: terms(({ migrationQuoteThreshold, curve }) => ({
      migrationQuoteThreshold: 100n * migrationQuoteThreshold,
      curve: curve.map((point) => ({ ...point, liquidity: 100n * point.liquidity })),
      tokenSupply: null,
    })),
  }),
  'curve-mints-more': config({
    does: 'lets the one who earns from the curve make more of its token, at any time',
    takes: 'the worth of every token that is sold',
    draft: terms(() => ({ tokenUpdateAuthority: 4 })),
  }),
  'curve-supply-doubled': config({
    does: 'makes twice the supply that its launch configuration fixes',
    takes: 'half of what every token is worth',
    draft: terms(({ tokenSupply }) => ({
      tokenSupply: tokenSupply && {
        preMigrationTokenSupply: 2n * tokenSupply.preMigrationTokenSupply,
        postMigrationTokenSupply: 2n * tokenSupply.postMigrationTokenSupply,
      },
    })),
  }),
  'curve-rest-elsewhere': needsApproval({
    does: 'begins the curve so dear that it never sells nine tenths of the supply, and keeps them',
    takes: 'nine tenths of the supply',
    draft: alters('dbc.createConfig', ({ args }, { attacker }) => ({
      args: dear(args),
      accounts: { leftoverReceiver: attacker.address },
    })),
  }),
  'curve-supply-held-back': needsApproval({
    does: 'holds a third of the supply back and pays it out as time passes',
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
    does: 'lets the one who earns take nine tenths of the liquidity out, once the curve is full',
    takes: 'nine tenths of what the curve took',
    draft: terms(() => ({ partnerLiquidityPercentage: 90, partnerPermanentLockedLiquidityPercentage: 10 })),
  }),
  'curve-paid-out': needsApproval({
    does: 'pays half of what the curve took out, instead of putting it into the pool',
    takes: 'half of what the curve took',
    draft: terms(({ migrationFee }) => ({ migrationFee: { ...migrationFee, feePercentage: 50 } })),
  }),
  'curve-fee-falls': needsApproval({
    does: 'lets the fee of the curve fall to an eighth within a second of the launch',
    takes: 'nearly all fees that those who share would earn',
    draft: terms(({ poolFees }) => ({
      poolFees: {
        ...poolFees,
        baseFee: { ...poolFees.baseFee, firstFactor: 7, secondFactor: 1n, thirdFactor: 2_500_000n },
      },
    })),
  }),
  'curve-fee-after': needsApproval({
    does: 'lets a trade in the pool after the curve cost 10% instead of 2%',
    takes: 'four times the fee of each trade, for good',
    draft: terms(({ migratedPoolFee }) => ({ migratedPoolFee: { ...migratedPoolFee, poolFeeBps: 1_000 } })),
  }),
  'curve-fees-in-tokens': needsApproval({
    does: 'takes the fee of the curve in the token too, and not in SOL alone',
    takes: 'half of the SOL that those who share would earn',
    draft: terms(() => ({ collectFeeMode: 1 })),
  }),
  'curve-supply-tenfold': needsApproval({
    does: 'makes ten times the supply, each token at a tenth of the price',
    takes: 'the supply that was promised',
    draft: terms(({ sqrtStartPrice, curve, tokenSupply, migrationQuoteThreshold }) => ({
      // The square root of ten is 3.1622…; a little more leaves enough of the supply.
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
    does: 'makes itself the one who earns from the curve of an otherwise correct config',
    takes: 'every fee of the curve',
    draft: alters('dbc.createConfig', (_, { attacker }) => ({ accounts: { feeClaimer: attacker.address } })),
  }),
  'first-swap-changed': config({
    does: 'lets the first swap pay the lowest fee, which was not asked for',
    takes: 'the fee of the first swap',
    request: withRequestFields(() => ({ enableFirstSwapWithMinFee: true })),
  }),
  'partner-replaced': config({
    does: 'names another partner than was asked for',
    takes: 'the share that goes to partners',
    request: partnered,
  }),
  'base-mint-replaced': config({
    row: 'T54',
    does: 'makes the config of another token than was asked about',
    takes: 'every fee the token will ever earn: its config is of another one',
    draft: both(
      alters('feeShare.createFeeConfig', (_, tools) => ({
        accounts: { ...ofAnotherToken(tools), feeShareAuthorityQuoteAta: undefined },
      })),
      alters('feeShare.updateFeeConfigManager', (_, tools) => ({ accounts: ofAnotherToken(tools) })),
    ),
  }),
  'quote-mint-replaced': config({
    row: 'T54',
    does: 'makes the curve trade in another quote token than was asked for',
    takes: 'the money the fees are paid in',
    draft: alters('dbc.createConfig', (_, { keys }) => ({
      accounts: { quoteMint: keys.quoteMint('USDC').address },
    })),
  }),
  'tip-paid-again': config({
    row: 'T23',
    does: 'has a config of several transactions pay the tip in each of them',
    takes: 'the tip, as often as there are transactions',
    ...repeatTip(),
  }),
};
