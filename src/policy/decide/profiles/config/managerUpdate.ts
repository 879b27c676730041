/**
 * A change of who earns: claimer fields of an existing config are rewritten or removed. The config is known by
 * the chain, not by the answer: it must be the one of the token that was asked about.
 */
import { claimerField, claimerIndex } from '../../../../contract/stockPrograms.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Checklist, shown } from '../../checklist.ts';
import { type DecisionContext, mintAt, rentOf } from '../../decisionContext.ts';
import { fieldHolds } from '../fields.ts';
import { lookupTableSetup } from '../lookupTables.ts';
import { all, atMost, exactly, part, place } from '../parts.ts';
import { askedFormat, type Bound, nothing, type Profile, textOf } from '../profile.ts';
import { checkWhole } from './config.ts';
import { configBytes, fieldsOnChain, requestedClaimers } from './configRecord.ts';

export const manager_update: Profile = {
  stages: { manager_update: bindUpdate, lookup_table_setup: lookupTableSetup },
  feePayer: 'wallet',
  formats: askedFormat,
};

function bindUpdate(c: DecisionContext, list: Checklist): Bound {
  const { request } = c.facts.plan;
  const claimers = requestedClaimers(request);
  const account = configOf(c) ?? (c.opaque.length > 0 ? unreadConfigOf(c) : undefined);
  const before = new Map(account === undefined ? [] : fieldsOnChain(c, account));
  const authority = account === undefined ? undefined : mintAt(c, account)?.metadata?.updateAuthority;
  const wanted = new Map([...before].filter(([key]) => claimerIndex(key) === null));
  wanted.set('claimers', String(claimers.length));
  for (const [i, claimer] of claimers.entries()) wanted.set(...claimerField(i, claimer));
  if (c.opaque.length === 0) {
    const same = before.get('baseMint') === textOf(request, 'baseMint');
    list.expect(same, 'REQUEST_MISMATCH', 'config is the one of the token', {
      observed: shown(before.get('baseMint')),
    });
    list.expect(before.get('admin') === c.wallet, 'REQUEST_MISMATCH', 'wallet manages the config', {
      observed: shown(before.get('admin')),
      allowed: c.wallet,
    });
  }
  // A longer list needs a larger account: what the account still lacks of its rent then, and no more.
  const held = BigInt(c.accounts.get(account ?? '')?.lamports ?? 0);
  const rent = rentOf(c.facts, configBytes(wanted));
  const deposit = rent > held ? rent - held : 0n;
  const isAccount = (address: Address) => exactly('config account', address, address === account, account);
  const isAuthority = (address: Address) =>
    exactly('config authority', address, address === authority, authority);
  place(
    c,
    [
      part('claimer field', 'tokenMetadata.updateField', [0, wanted.size], ({ accounts, args }) => {
        const key = 'key' in args.field ? args.field.key : '';
        const changes = key === 'claimers' || claimerIndex(key) !== null;
        return all(
          isAccount(accounts.metadata.address),
          isAuthority(accounts.updateAuthority.address),
          fieldHolds(key, args.value, changes ? wanted.get(key) : undefined),
        );
      }),
      part('surplus claimer', 'tokenMetadata.removeKey', [0, before.size], ({ accounts, args }) => {
        const surplus = claimerIndex(args.key) !== null && !wanted.has(args.key);
        return all(
          isAccount(accounts.metadata.address),
          isAuthority(accounts.updateAuthority.address),
          exactly('a field that must stay', args.key, surplus),
        );
      }),
      part(
        'rent of the config account',
        'system.transfer',
        [0, 1],
        ({ accounts, args }) =>
          accounts.from.address === c.wallet &&
          accounts.to.address === account &&
          all(atMost('rent of the config account', args.lamports, deposit)),
      ),
    ],
    list,
  );
  if (c.opaque.length === 0 && account !== undefined) checkWhole(c, account, wanted, list, 'manager_update');
  return {
    ...nothing(),
    recipients: claimers.map(({ address }) => ({ address, role: 'claimer' })),
    deposits: new Map(account === undefined ? [] : [[account, deposit]]),
    mostRent: deposit,
  };
}

/** The one metadata account the stage writes to. */
function configOf(c: DecisionContext): Address | undefined {
  const accounts = new Set(
    c.instructions.flatMap((i) =>
      i.kind === 'tokenMetadata.updateField' || i.kind === 'tokenMetadata.removeKey'
        ? [i.accounts.metadata.address]
        : [],
    ),
  );
  return accounts.size === 1 ? [...accounts][0] : undefined;
}

/** The config of the token among the accounts of the message, by what the chain shows: where no instruction is read. */
function unreadConfigOf(c: DecisionContext): Address | undefined {
  const { baseMint } = c.facts.plan.request;
  const isOf = (address: Address) =>
    mintAt(c, address) !== undefined && new Map(fieldsOnChain(c, address)).get('baseMint') === baseMint;
  return c.loaded.find(({ address, writable }) => writable && isOf(address))?.address;
}
