/**
 * Fee share configs that say something else than was asked, in bytes that are in perfect order (T54, T63). The service
 * builds them honestly for a request of its own, or writes one field of its own; every hash and co-signature fits.
 */
import { CONFIG_TYPE_IDS } from '../../../contract/configTypes.ts';
import { updateField } from '../../../sandbox/service/build/config.ts';
import { believes, list, rewrite } from '../drafts.ts';
import { sameLength } from '../loot.ts';
import { type Attack, type Attacks, type AttackTools, type DraftHook, service } from '../types.ts';

const config = (attack: Omit<Attack, 'plays' | 'code' | 'endpoints' | 'row'> & { row?: string }): Attack =>
  service({ row: 'T63', code: 'REQUEST_MISMATCH', endpoints: ['feeShareConfig'], ...attack });

/** Writes another value into a field of the config. A value of the same length needs no other rent. */
const writes =
  (name: string, value: (was: string, tools: AttackTools) => string): DraftHook =>
  (draft, _, tools) =>
    rewrite(draft, 'tokenMetadata.updateField', ({ accounts, args }) => {
      if (!('key' in args.field) || args.field.key !== name) return undefined;
      const { metadata, updateAuthority } = accounts;
      return [updateField(metadata.address, updateAuthority.address, [name, value(args.value, tools)])];
    });

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
    takes: 'the share the service pays to partners',
    request: believes((_, { attacker, keys }) => ({
      partner: attacker.address,
      partnerConfig: keys.seeded('attacker partner config').address,
    })),
  }),
  'type-changed': config({
    does: 'uses another launch configuration than was asked for',
    takes: 'the terms of the launch, which cannot be changed later',
    request: believes(({ serviceConfigType }) => ({
      serviceConfigType: CONFIG_TYPE_IDS.findLast((id) => id !== serviceConfigType),
    })),
  }),
  'first-swap-changed': config({
    does: 'lets the first swap pay the lowest fee, which was not asked for',
    takes: 'the fee of the first swap',
    request: believes(() => ({ enableFirstSwapWithMinFee: true })),
  }),
  'fee-limits-dropped': config({
    does: 'leaves the fee limits of the request out',
    takes: 'the protection against a raised transfer fee',
    request: believes(() => ({ feeLimits: undefined })),
  }),
  'partner-config-replaced': config({
    does: 'keeps the partner and writes down another partner config',
    takes: 'the share the service pays to partners, which that config directs',
    request: believes((_, { keys }) => ({ partnerConfig: keys.seeded('attacker partner config').address })),
  }),
  'fee-limits-raised': config({
    does: 'writes far higher fee limits than were asked for',
    takes: 'the protection against a raised transfer fee',
    request: believes(({ feeLimits }) => ({
      feeLimits: list(feeLimits).map((limit) => ({ ...Object(limit), basisPoints: 9_999 })),
    })),
  }),
  'base-mint-replaced': config({
    row: 'T54',
    does: 'writes another token into the config than was asked about',
    takes: 'every fee the token will ever earn: its config is of another one',
    draft: writes('baseMint', (was, tools) => sameLength(tools, 'another token', was)),
  }),
  'quote-mint-replaced': config({
    row: 'T54',
    does: 'writes another quote token into the config than was asked for',
    takes: 'the money the fees are paid in',
    draft: writes('quoteMint', (was, tools) => sameLength(tools, 'another quote', was)),
  }),
};
