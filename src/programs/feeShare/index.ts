/** Bags fee share v2: what each instruction does. */
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { AccountUse } from '../../transaction/types.ts';
import type { Act, ClaimerShare } from '../acts.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { FEE_SHARE_PROGRAM, PROGRAM_CONFIG } from './addresses.ts';
import { feeShareLayouts, feeShareNamed } from './instructions.ts';

/** Pairs claimers with their shares; the layout checks that both lists have the same length. */
const claimersOf = (rest: readonly AccountUse[], bps: readonly number[]): readonly ClaimerShare[] =>
  rest.map(({ address }, index) => ({ wallet: address, bps: bps[index] ?? 0 }));

type In<K extends (typeof feeShareLayouts)[number]['kind']> = InstructionIn<
  typeof feeShareLayouts,
  K
>['accounts'];
type ConfigRoles = Pick<In<'feeShare.createFeeConfig'>, 'feeShareConfig' | 'baseMint' | 'quoteMint'>;

const configOf = ({ feeShareConfig, baseMint, quoteMint }: ConfigRoles) => ({
  config: feeShareConfig.address,
  base: baseMint.address,
  quote: quoteMint.address,
});

const adminOf = ({ payer, admin }: Pick<In<'feeShare.createFeeConfig'>, 'payer' | 'admin'>) => ({
  payer: payer.address,
  admin: admin.address,
});

const partnerOf = ({ partner }: { readonly partner?: AccountUse }) =>
  partner === undefined ? {} : { partner: partner.address };

/**
 * Returns the act that moves a pool's fees to the launch's fee account, with the shares of the platform and a partner. Any
 * wallet may trigger it.
 */
function collect(
  from: AccountUse,
  accounts: In<'feeShare.claimDbc' | 'feeShare.claimDammV2'>,
): readonly Act[] {
  const { feeShareAuthority, partnerConfig, partnerConfigQuoteAta } = accounts;
  const owner = feeShareAuthority.address;
  const quote = accounts.quoteMint.address;
  const partner =
    partnerConfig === undefined || partnerConfigQuoteAta === undefined
      ? []
      : [
          {
            asset: quote,
            to: { account: partnerConfigQuoteAta.address, owner: partnerConfig.address },
          },
        ];
  return [
    {
      act: 'claim',
      what: "the pool's fees",
      from: from.address,
      payouts: [
        { asset: quote, to: { account: accounts.feeShareAuthorityQuoteAta.address, owner } },
        {
          asset: accounts.baseMint.address,
          to: { account: accounts.feeShareAuthorityBaseAta.address, owner },
        },
        ...partner,
        { asset: quote, to: { account: accounts.platformVault.address, owner: PROGRAM_CONFIG } },
      ],
      payer: accounts.payer.address,
    },
  ];
}

export const feeShare = defineProgram({
  name: 'Bags fee share v2',
  addresses: [FEE_SHARE_PROGRAM],
  source: 'the public interface 2.4.0 in @bagsfm/bags-sdk 1.3.7; the program itself has not been run',
  layouts: feeShareLayouts,
  named: feeShareNamed,
  acts: {
    'feeShare.createFeeConfig': ({ accounts, rest, args }) => [
      {
        act: 'createConfig',
        ...configOf(accounts),
        ...adminOf(accounts),
        ...partnerOf(accounts),
        claimers: claimersOf(rest, args.bps),
        final: args.finalizeInit,
      },
    ],
    'feeShare.extendCreatedFeeConfig': ({ accounts, rest, args }) => [
      {
        act: 'extendConfig',
        ...configOf(accounts),
        ...adminOf(accounts),
        ...partnerOf(accounts),
        claimers: claimersOf(rest, args.bps),
        final: args.finalizeInit,
      },
    ],
    'feeShare.updateFeeConfigManager': ({ accounts }) => [
      {
        act: 'setManager',
        ...configOf(accounts),
        ...adminOf(accounts),
        manager: accounts.newManager.address,
      },
    ],
    'feeShare.managerUpdateFeeConfig': ({ accounts, rest, args }) => [
      {
        act: 'changeShares',
        ...configOf(accounts),
        claimers: claimersOf(rest, args.bps),
        fromIndex: args.fromIdx,
        toIndex: args.toIdx,
        final: args.finalizeUpdate,
        manager: accounts.manager.address,
        payer: accounts.payer.address,
      },
    ],
    'feeShare.claimUser': ({ accounts }) => [
      {
        act: 'claim',
        what: 'a share of fees',
        from: accounts.feeShareAuthority.address,
        base: accounts.baseMint.address,
        payouts: [
          {
            asset: accounts.quoteMint.address,
            to: { account: accounts.userQuoteAta.address, owner: accounts.user.address },
          },
        ],
        beneficiary: accounts.user.address,
        payer: accounts.payer.address,
      },
    ],
    'feeShare.claimUserVault': ({ accounts }) => [
      {
        act: 'claim',
        what: 'fees in a vault, as SOL',
        from: accounts.userFeeVault.address,
        base: accounts.baseMint.address,
        payouts: [{ asset: 'SOL', to: { account: accounts.user.address, owner: accounts.user.address } }],
        beneficiary: accounts.user.address,
      },
      {
        act: 'closeAccount',
        account: { account: accounts.userVaultQuoteAta.address, owner: accounts.userFeeVault.address },
        refundTo: accounts.user.address,
        authority: accounts.userFeeVault.address,
      },
    ],
    'feeShare.claimDbc': ({ accounts }) => collect(accounts.pool, accounts),
    'feeShare.claimDammV2': ({ accounts }) => collect(accounts.position, accounts),
    'feeShare.claimPartner': ({ accounts }) => [
      {
        act: 'claim',
        what: "a partner's share of fees",
        from: accounts.partnerConfig.address,
        payouts: [
          {
            asset: WSOL_MINT,
            to: { account: accounts.partnerQuoteAta.address, owner: accounts.partner.address },
          },
        ],
        beneficiary: accounts.partner.address,
        payer: accounts.payer.address,
      },
    ],
    'feeShare.createPartnerConfig': ({ accounts, args }) => [
      {
        act: 'createPartner',
        partnerConfig: accounts.partnerConfig.address,
        partner: accounts.partner.address,
        bps: args.bps,
        ...adminOf(accounts),
      },
    ],
  },
});
