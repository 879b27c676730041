/**
 * The two retired configs (docs/contract.md C-LEGACY-01): one bare transaction that makes a config account with the
 * few fields its request names. The answer does not say who the authority is, so it is the authority of the new mint:
 * not the wallet, and the same key everywhere.
 */
import { type Claimer, claimerField } from '../../../../contract/stockPrograms.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf } from '../../decisionContext.ts';
import type { Facts } from '../../types.ts';
import { fieldHolds } from '../fields.ts';
import { all, atMost, exactly, part, place } from '../parts.ts';
import { type Bound, nothing, type Recipient, textOf } from '../profile.ts';
import { configMintParts } from './configMint.ts';
import { configBytes } from './configRecord.ts';

/** Whether a plan came from one of the retired endpoints. */
export const isRetired = ({ plan }: Facts): boolean =>
  plan.endpoint === 'createLaunchConfig' || plan.endpoint === 'legacyFeeShareConfig';

interface Wanted {
  readonly admin: Address;
  readonly quoteMint: Address;
  readonly claimers: readonly Claimer[];
  readonly fields: ReadonlyMap<string, string>;
}

/** What the request asks such a config to say. */
function wantedFields({ endpoint, request, wallet }: Facts['plan']): Wanted {
  const share = (name: string, points: string): Claimer => ({
    address: textOf(request, name) ?? '',
    basisPoints: Number(request[points]),
  });
  const alone = endpoint === 'createLaunchConfig';
  const claimers = alone
    ? [{ address: wallet, basisPoints: 10_000 }]
    : [share('walletA', 'walletABps'), share('walletB', 'walletBBps')];
  const quoteMint = alone ? WSOL_MINT : (textOf(request, 'quoteMint') ?? '');
  const fields = new Map([
    ...(alone ? [] : [['baseMint', textOf(request, 'baseMint') ?? ''] as const]),
    ['quoteMint', quoteMint],
    ['admin', wallet],
    ['claimers', String(claimers.length)],
    ...claimers.map((claimer, index) => claimerField(index, claimer)),
  ]);
  return { admin: wallet, quoteMint, claimers, fields };
}

export function bindRetiredConfig(c: DecisionContext, list: Checklist): Bound {
  const wanted = wantedFields(c.facts.plan);
  const account = textOf(c.facts.plan.answer, 'configKey');
  const authority = c.instructions.flatMap((each) =>
    each.kind === 'token.initializeMint2' ? [each.args.mintAuthority] : [],
  )[0];
  const isAccount = (address: Address) => exactly('config account', address, address === account, account);
  const isAuthority = (address: Address) =>
    exactly('config authority', address, address === authority && address !== c.wallet);
  place(
    c,
    [
      part(
        'config account',
        'system.createAccount',
        [1, 1],
        ({ accounts, args }) =>
          accounts.payer.address === c.wallet &&
          all(
            isAccount(accounts.newAccount.address),
            exactly('owner of the config account', args.owner, args.owner === TOKEN_2022_PROGRAM),
            atMost('rent of the config account', args.lamports, rentOf(c.facts, configBytes(wanted.fields))),
          ),
      ),
      ...configMintParts(account, isAuthority, [1, 1]),
      // Each field once: the bytes are one transaction, so nothing can come later.
      ...[...wanted.fields].map(([key, value]) =>
        part(
          `field ${key}`,
          'tokenMetadata.updateField',
          [1, 1],
          ({ accounts, args }) =>
            'key' in args.field &&
            args.field.key === key &&
            all(
              isAccount(accounts.metadata.address),
              isAuthority(accounts.updateAuthority.address),
              fieldHolds(key, args.value, value),
            ),
        ),
      ),
    ],
    list,
  );
  return {
    ...nothing(),
    recipients: [
      ...wanted.claimers.map(({ address }): Recipient => ({ address, role: 'claimer' })),
      { address: wanted.admin, role: 'admin' },
    ],
    mostRent: rentOf(c.facts, configBytes(wanted.fields)),
    mints: [wanted.quoteMint],
  };
}
