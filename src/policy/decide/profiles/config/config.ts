/**
 * A fee share config: an account is made, and fields are written that say who earns what. No asset moves, so the
 * check compares the fields: each must be exactly what was asked for (T63).
 */
import type { StageStatus } from '../../../../plan/types.ts';
import { TOKEN_2022_PROGRAM } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf } from '../../decisionContext.ts';
import { fieldHolds } from '../fields.ts';
import { lookupTableSetup } from '../lookupTables.ts';
import { all, atMost, exactly, part, place, type Times, type Verdict } from '../parts.ts';
import { amountOf, askedFormat, type Bound, nothing, type Profile, textOf } from '../profile.ts';
import { configMintParts } from './configMint.ts';
import { configBytes, plannedConfig, requestedConfig } from './configRecord.ts';
import { bindRetiredConfig, isRetired } from './retiredConfig.ts';

export const config: Profile = {
  stages: {
    config: (c, list) => (isRetired(c.facts) ? bindRetiredConfig(c, list) : bindConfig(c, list)),
    lookup_table_setup: lookupTableSetup,
  },
  feePayer: 'wallet',
  // The retired endpoints take no intent; their bare transactions are older than v1.
  formats: (facts) => (isRetired(facts) ? ['legacy', 'v0'] : askedFormat(facts)),
};

/** Room for the venue's own config account, which a program that cannot be read makes beside the config. */
const VENUE_CONFIG_BYTES = 2048;

function bindConfig(c: DecisionContext, list: Checklist): Bound {
  const { request, answer } = c.facts.plan;
  const { record, fields: wanted, recipients } = requestedConfig(c.facts.plan);
  const account = textOf(answer, 'feeShareConfig');
  const authority = textOf(answer, 'feeShareAuthority');
  const creates = c.instructions.some((instruction) => instruction.kind === 'system.createAccount');
  const once: Times = creates ? [1, 1] : [0, 0];
  const tip = tipOf(request);
  const tips = (creates || c.opaque.length > 0) && tipsHere(c, account);
  // One stage pays for the whole account, though the last claimers are written by another.
  const deposit = rentOf(c.facts, configBytes(wanted));
  const isAccount = (address: Address) => exactly('config account', address, address === account, account);
  const isAuthority = (address: Address) =>
    exactly('config authority', address, address === authority, authority);

  place(
    c,
    [
      tipPart(c, tip, !tips ? [0, 0] : [1, 1]),
      part(
        'config account',
        'system.createAccount',
        once,
        ({ accounts, args }) =>
          accounts.payer.address === c.wallet &&
          all(
            isAccount(accounts.newAccount.address),
            exactly('owner of the config account', args.owner, args.owner === TOKEN_2022_PROGRAM),
            atMost('rent of the config account', args.lamports, deposit),
          ),
      ),
      ...configMintParts(account, isAuthority, once),
      part('config field', 'tokenMetadata.updateField', [0, wanted.size], ({ accounts, args }) => {
        const key = 'key' in args.field ? args.field.key : '';
        const [metadata, signer] = [accounts.metadata.address, accounts.updateAuthority.address];
        // One check for all fields together, since a hundred claimers are a hundred of them.
        if (metadata === account && signer === authority && args.value === wanted.get(key)) return true;
        return all(isAccount(metadata), isAuthority(signer), fieldHolds(key, args.value, wanted.get(key)));
      }),
    ],
    list,
  );
  if (c.opaque.length === 0 && account !== undefined) checkWhole(c, account, wanted, list);

  return {
    ...nothing(),
    recipients: tip === undefined ? recipients : [...recipients, { address: tip.wallet, role: 'tip' }],
    mostOut: tip === undefined || !tips ? new Map() : new Map([['SOL', tip.lamports]]),
    deposits: new Map(account === undefined ? [] : [[account, deposit]]),
    mostRent: deposit + (c.opaque.length === 0 ? 0n : rentOf(c.facts, VENUE_CONFIG_BYTES)),
    mints: [record.quoteMint],
  };
}

/**
 * Whether the tip may leave with this stage: the first of the plan's configs, while the account is not there yet and no
 * other stage may have paid the tip already (T76).
 */
function tipsHere({ facts, accounts }: DecisionContext, account: Address | undefined): boolean {
  const configs = facts.siblings.filter(({ stage }) => stage.kind === 'config');
  const isFirst = (configs[0]?.stage.id ?? facts.stage.id) === facts.stage.id;
  const begun = configs.some(
    ({ stage, status }) => stage.id !== facts.stage.id && !NOT_SIGNED.includes(status),
  );
  const exists = accounts.get(account ?? '')?.exists === true;
  return isFirst && !begun && !exists;
}

const NOT_SIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];

/** When every stage has landed the config says exactly what was asked for: nothing missing, nothing more. */
export function checkWhole(
  c: DecisionContext,
  account: Address,
  wanted: ReadonlyMap<string, string>,
  list: Checklist,
  kind: 'config' | 'manager_update' = 'config',
): void {
  const { missing, surplus } = plannedConfig(c, account, kind, wanted);
  const check = 'the plan writes the whole config';
  if (missing.length === 0 && surplus.length === 0) {
    list.pass(check, { observed: `${wanted.size} fields` });
    return;
  }
  list.fail('REQUEST_MISMATCH', check, {
    observed: [
      ...(missing.length > 0 ? [`${missing.length} fields missing: ${missing.slice(0, 3).join(', ')}`] : []),
      ...(surplus.length > 0 ? [`${surplus.length} fields too many`] : []),
    ].join('; '),
  });
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
export function tipPart(c: DecisionContext, tip: Tip | undefined, times: Times) {
  return part('tip', 'system.transfer', tip === undefined ? [0, 0] : times, ({ accounts, args }): Verdict => {
    if (tip === undefined || accounts.from.address !== c.wallet) return false;
    const [sameWallet, sameAmount] = [accounts.to.address === tip.wallet, args.lamports === tip.lamports];
    if (!sameWallet && !sameAmount) return false;
    return all(
      exactly('tip wallet', accounts.to.address, sameWallet, tip.wallet),
      exactly('tip in lamports', args.lamports, sameAmount, tip.lamports),
    );
  });
}
