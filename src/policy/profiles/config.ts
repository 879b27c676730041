/**
 * A fee share config: an account is made, and fields are written that say who earns what. No asset moves, so the
 * whole worth of the check lies in the fields: each must be exactly what was asked for (T63).
 */
import {
  CONFIG_KEYS,
  CONFIG_NAME,
  CONFIG_SYMBOL,
  CONFIG_URI,
  claimerIndex,
} from '../../contract/stockPrograms.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Case, rentOf } from '../case.ts';
import { type Checklist, shown } from '../checklist.ts';
import { configBytes, fieldsOf, plannedFields, requestedConfig } from './configRecord.ts';
import { lookupTableSetup } from './lookupTables.ts';
import { all, part, place, type Verdict } from './parts.ts';
import {
  amountOf,
  askedFormat,
  type Bound,
  nothing,
  type Profile,
  type Recipient,
  textOf,
} from './profile.ts';

export const config: Profile = {
  stages: { config: bindConfig, lookup_table_setup: lookupTableSetup },
  feePayer: 'wallet',
  formats: askedFormat,
};

function bindConfig(c: Case, list: Checklist): Bound {
  const { request, answer } = c.facts.plan;
  const record = requestedConfig(c.facts.plan);
  const wanted = fieldsOf(record);
  const account = textOf(answer, 'feeShareConfig');
  const authority = textOf(answer, 'feeShareAuthority');
  const creates = c.instructions.some((instruction) => instruction.kind === 'system.createAccount');
  const once = creates ? ([1, 1] as const) : ([0, 0] as const);
  const tip = tipOf(request);
  const most = rentOf(c.facts, configBytes([...wanted]));

  place(
    c,
    [
      tipPart(c, tip, once),
      part(
        'config account',
        'system.createAccount',
        once,
        ({ accounts, args }) =>
          accounts.payer.address === c.wallet &&
          all(
            [accounts.newAccount.address === account, 'config account'],
            [args.owner === TOKEN_2022_PROGRAM, 'owner of the config account'],
            [
              args.lamports <= most,
              {
                wrong: 'rent of the config account',
                observed: `${args.lamports} lamports`,
                allowed: `${most} lamports`,
              },
            ],
          ),
      ),
      part(
        'metadata pointer',
        'metadataPointer.initialize',
        once,
        ({ accounts, args }) =>
          accounts.mint.address === account && args.authority === null && args.metadataAddress === account,
      ),
      part(
        'config mint',
        'token.initializeMint2',
        once,
        ({ program, accounts, args }) =>
          accounts.mint.address === account &&
          all(
            [
              program === TOKEN_2022_PROGRAM && args.decimals === 0 && args.freezeAuthority === null,
              'config mint',
            ],
            [args.mintAuthority === authority, 'config authority'],
          ),
      ),
      part(
        'config metadata',
        'tokenMetadata.initialize',
        once,
        ({ accounts, args }) =>
          accounts.metadata.address === account &&
          accounts.mint.address === account &&
          all(
            [
              accounts.updateAuthority.address === authority && accounts.mintAuthority.address === authority,
              'config authority',
            ],
            [
              args.name === CONFIG_NAME && args.symbol === CONFIG_SYMBOL && args.uri === CONFIG_URI,
              'config name',
            ],
          ),
      ),
      part('config field', 'tokenMetadata.updateField', [0, wanted.size], ({ accounts, args }) =>
        all(
          [accounts.metadata.address === account, 'config account'],
          [accounts.updateAuthority.address === authority, 'config authority'],
          ...('key' in args.field
            ? [fieldHolds(args.field.key, args.value, wanted.get(args.field.key))]
            : [[false, 'config name'] as const]),
        ),
      ),
    ],
    list,
  );
  if (c.opaque.length === 0 && account !== undefined) checkWhole(c, account, wanted, list);

  return {
    ...nothing(),
    recipients: [
      ...record.claimers.map(({ address }): Recipient => ({ address, role: 'claimer' })),
      { address: record.admin, role: 'admin' },
      ...(record.partner === undefined ? [] : [{ address: record.partner, role: 'partner' } as const]),
      ...(tip === undefined ? [] : [{ address: tip.wallet, role: 'tip' } as const]),
    ],
    mostOut: tip === undefined ? new Map() : new Map([['SOL', tip.lamports]]),
    mints: [record.quoteMint],
  };
}

type Condition = readonly [boolean, { wrong: string; observed?: string; allowed?: string }];

/** A field holds what was asked for. Its name is shown only when it is one of ours. */
export function fieldHolds(key: string, value: string, wanted: string | undefined): Condition {
  const known = CONFIG_KEYS.some((name) => name === key) || claimerIndex(key) !== null;
  const [observed, allowed] = [value, wanted].map((text) =>
    text === undefined ? 'nothing' : claimerText(text),
  );
  return [
    value === wanted,
    {
      wrong: known ? `field ${key}` : 'a field nobody asked for',
      observed: observed ?? '',
      allowed: allowed ?? '',
    },
  ];
}

function claimerText(value: string): string {
  const [address = '', share = ''] = value.split(':');
  return /^[0-9]{1,5}$/.test(share) ? `${shown(address)}:${share}` : shown(value);
}

/** When every stage has landed the config says exactly what was asked for: nothing missing, nothing more. */
export function checkWhole(
  c: Case,
  account: Address,
  wanted: ReadonlyMap<string, string>,
  list: Checklist,
  kind: 'config' | 'manager_update' = 'config',
): void {
  const planned = plannedFields(c, account, kind);
  const missing = [...wanted.keys()].filter((key) => planned.get(key) !== wanted.get(key));
  const surplus = [...planned.keys()].filter((key) => !wanted.has(key));
  list.expect(
    missing.length === 0 && surplus.length === 0,
    'REQUEST_MISMATCH',
    'the plan writes the whole config',
    {
      observed:
        missing.length > 0
          ? `${missing.length} fields missing: ${missing.slice(0, 3).join(', ')}`
          : surplus.length > 0
            ? `${surplus.length} fields too many`
            : `${planned.size} fields`,
    },
  );
}

export interface Tip {
  readonly wallet: Address;
  readonly lamports: bigint;
}

/** The tip a request offers; none without a wallet or an amount. */
export function tipOf(request: Readonly<Record<string, unknown>>): Tip | undefined {
  const wallet = textOf(request, 'tipWallet');
  const lamports = amountOf(request, 'tipLamports');
  return wallet === undefined || lamports === 0n ? undefined : { wallet, lamports };
}

/** A transfer to the tip wallet of exactly the tip (T23). */
export function tipPart(c: Case, tip: Tip | undefined, times: readonly [number, number]) {
  return part('tip', 'system.transfer', tip === undefined ? [0, 0] : times, ({ accounts, args }): Verdict => {
    if (tip === undefined || accounts.from.address !== c.wallet) return false;
    const [sameWallet, sameAmount] = [accounts.to.address === tip.wallet, args.lamports === tip.lamports];
    if (!sameWallet && !sameAmount) return false;
    return all(
      [sameWallet, { wrong: 'tip wallet', observed: accounts.to.address, allowed: tip.wallet }],
      [
        sameAmount,
        { wrong: 'tip', observed: `${args.lamports} lamports`, allowed: `${tip.lamports} lamports` },
      ],
    );
  });
}
