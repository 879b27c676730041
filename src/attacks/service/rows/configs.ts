/**
 * Fee share configs that say something else than was asked, in bytes that are in perfect order (T54, T63). The service
 * builds them honestly for a request of its own, or writes one field of its own; every hash and co-signature fits.
 */
import { systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import { altered, believes, firstOf, list, type ReadOf, rewrite } from '../drafts.ts';
import { lair } from '../loot.ts';
import { type Attack, type Attacks, type DraftHook, service } from '../types.ts';

/** Of 1,000,000,000. */
const HALF_OF_ALL = 500_000_000n;

const config = (attack: Omit<Attack, 'plays' | 'code' | 'endpoints' | 'row'> & { row?: string }): Attack =>
  service({ row: 'T63', code: 'REQUEST_MISMATCH', endpoints: ['feeShareConfig'], ...attack });

/** Writes other terms into the curve that a config is made for. */
const terms =
  (change: (args: CurveArgs) => Partial<CurveArgs>): DraftHook =>
  (draft) =>
    rewrite(draft, 'dbc.createConfig', (found) => [altered(found, { args: change(found.args) })]);

type CurveArgs = ReadOf<'dbc.createConfig'>['args'];

/** Pays the tip that was asked for in every transaction after the first. */
function tipAgain(): Pick<Attack, 'request' | 'draft'> {
  let tip: { wallet: string; lamports: bigint } | undefined;
  return {
    request: (asked) => {
      const { tipWallet, tipLamports } = asked;
      tip = tipWallet ? { wallet: String(tipWallet), lamports: BigInt(String(tipLamports)) } : undefined;
      return asked;
    },
    draft: (draft, { wallet }) => {
      if (tip === undefined || firstOf(draft, 'system.transfer') !== undefined) return draft;
      const again = systemTransfer(wallet, tip.wallet, tip.lamports);
      return { ...draft, instructions: [again, ...draft.instructions] };
    },
  };
}

export const configAttacks: Attacks = {
  'claimers-replaced': config({
    row: 'T54',
    does: 'builds the config for a split of its own',
    takes: 'every fee the token will ever earn',
    request: believes((_, { attacker }) => ({
      claimersArray: [attacker.address],
      basisPointsArray: [10_000],
    })),
  }),
  'shares-shifted': config({
    does: 'keeps the claimers and turns their shares around',
    takes: 'most of the fees of the earner with the larger share',
    request: believes(({ basisPointsArray }) => ({ basisPointsArray: list(basisPointsArray).toReversed() })),
  }),
  'claimer-slipped-in': config({
    does: 'slips one more claimer in, at the cost of the first',
    takes: 'a part of every fee',
    request: believes(({ claimersArray, basisPointsArray }, { attacker }) => {
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
    request: believes((_, { attacker }) => ({ admin: attacker.address })),
  }),
  'partner-added': config({
    does: 'adds a partner that was not asked for',
    takes: 'the share that goes to partners',
    request: believes((_, { attacker }) => ({ partner: attacker.address, partnerConfig: undefined })),
  }),
  'type-changed': config({
    does: 'uses another launch configuration than was asked for, of five times the fee',
    takes: 'the terms of the launch, which cannot be changed later',
    request: believes(() => ({ serviceConfigType: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e' })),
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
  'curve-earns-elsewhere': config({
    row: 'T63',
    does: 'makes itself the one who earns from the curve of an otherwise correct config',
    takes: 'every fee of the curve',
    draft: (draft, _, { attacker }) =>
      rewrite(draft, 'dbc.createConfig', (found) => [
        altered(found, { accounts: { feeClaimer: attacker.address } }),
      ]),
  }),
  'first-swap-changed': config({
    does: 'lets the first swap pay the lowest fee, which was not asked for',
    takes: 'the fee of the first swap',
    request: believes(() => ({ enableFirstSwapWithMinFee: true })),
  }),
  'partner-replaced': config({
    does: 'names another partner than was asked for',
    takes: 'the share that goes to partners',
    request: believes((_, { attacker }) => ({ partner: attacker.address, partnerConfig: undefined })),
  }),
  'base-mint-replaced': config({
    row: 'T54',
    does: 'makes the config of another token than was asked about',
    takes: 'every fee the token will ever earn: its config is of another one',
    draft: (draft, _, tools) => {
      const baseMint = lair(tools, 'another token').address;
      const anew = { feeShareConfig: undefined, feeShareAuthority: undefined };
      const made = rewrite(draft, 'feeShare.createFeeConfig', (found) => [
        altered(found, { accounts: { ...anew, feeShareAuthorityQuoteAta: undefined, baseMint } }),
      ]);
      return rewrite(made, 'feeShare.updateFeeConfigManager', (found) => [
        altered(found, { accounts: { ...anew, baseMint } }),
      ]);
    },
  }),
  'quote-mint-replaced': config({
    row: 'T54',
    does: 'makes the curve trade in another quote token than was asked for',
    takes: 'the money the fees are paid in',
    draft: (draft, _, { keys }) =>
      rewrite(draft, 'dbc.createConfig', (found) => [
        altered(found, { accounts: { quoteMint: keys.quoteMint('USDC').address } }),
      ]),
  }),
  'tip-paid-again': config({
    row: 'T23',
    does: 'has a config of several transactions pay the tip in each of them',
    takes: 'the tip, as often as there are transactions',
    ...tipAgain(),
  }),
};
