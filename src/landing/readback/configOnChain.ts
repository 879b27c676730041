/**
 * What a fee share config really says, read from its account by our own RPC and compared with what was asked for.
 * That a config exists does not show who earns (T63).
 */

import { type ConfigRecord, claimerKey, type Field, readConfig } from '../../contract/stockPrograms.ts';
import type { Plan } from '../../plan/types.ts';
import { requestedClaimers, requestedConfig } from '../../policy/decide/profiles/config/configRecord.ts';
import { readAs } from '../../programs/account.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../programs/feeShare/addresses.ts';
import { readMint } from '../../programs/token/accounts.ts';
import type { AccountFact } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** How an account compares with a request. `differs` names each field in a sentence part, without untrusted text. */
export type ConfigCheck =
  | { readonly state: 'verified' }
  | { readonly state: 'different'; readonly differs: readonly string[] }
  | { readonly state: 'unreadable' };

/** What a config account says, of either form; `undefined` where the form does not hold a field. */
export type ConfigOnChain = Pick<ConfigRecord, 'baseMint' | 'claimers'> & Partial<ConfigRecord>;

/** The config an account holds; `undefined` when it holds none that can be read whole. */
export function configRecordOf(account: AccountFact): ConfigOnChain | undefined {
  const shared = sharedConfig(account);
  if (shared !== undefined) return shared;
  const reading = readConfig(fieldsOf(account) ?? []);
  return reading.complete ? reading.record : undefined;
}

/** Which fields a config account of the fee share program holds, beside its claimers. */
const SHARED_FIELDS = ['baseMint', 'quoteMint', 'admin', 'partner'] as const;

/** The config of an account of the fee share program, once its claimers are complete. */
function sharedConfig({ exists, owner, data }: AccountFact): ConfigOnChain | undefined {
  if (!exists || owner !== FEE_SHARE_PROGRAM) return undefined;
  const fields = readAs(feeShareConfig, { owner, data: Buffer.from(data, 'base64') });
  if (typeof fields === 'string' || fields.isInitFinalized !== 1 || fields.isUpdateLocked === 1)
    return undefined;
  const { baseMint, quoteMint, manager, partner, partnerConfig, earners } = fields;
  return {
    ...{ baseMint, quoteMint },
    ...(manager === null ? {} : { admin: manager }),
    ...(partner === null ? {} : { partner }),
    ...(partnerConfig === null ? {} : { partnerConfig }),
    claimers: earners.map(({ wallet, bps }) => ({ address: wallet, basisPoints: bps })),
  };
}

/** The metadata fields of an account; `undefined` when it is none that configs are kept in. */
function fieldsOf({ exists, owner, data }: AccountFact): readonly Field[] | undefined {
  if (!exists || owner !== TOKEN_2022_PROGRAM) return undefined;
  try {
    return readMint(Buffer.from(data, 'base64')).metadata?.additional;
  } catch {
    return undefined;
  }
}

/** Compares a config account with the request that asks for it: every claimer, share and admin, and the rest. */
export function checkConfig(
  account: AccountFact,
  asked: { readonly request: Plan['request']['fields']; readonly wallet: Address },
): ConfigCheck {
  const record = configRecordOf(account);
  if (record === undefined) return { state: 'unreadable' };
  const wanted = requestedConfig(asked).record;
  const held = account.owner === FEE_SHARE_PROGRAM ? SHARED_FIELDS : FIELDS;
  const fields = held
    .filter((name) => record[name] !== wanted[name])
    .map((name) => (isAddress(`${record[name]}`) ? `${name} (it is ${record[name]})` : name));
  return concluded([...claimerDifferences(record, wanted.claimers), ...fields]);
}

/** Compares only who earns how much, which is what an update changes. */
export function checkSplit(account: AccountFact, request: Plan['request']['fields']): ConfigCheck {
  const record = configRecordOf(account);
  if (record === undefined) return { state: 'unreadable' };
  return concluded(claimerDifferences(record, requestedClaimers(request)));
}

/** Compares a config of the two oldest endpoints: these write only some fields, whose claimers are in the request. */
export function checkLegacyConfig(account: AccountFact, request: Plan['request']['fields']): ConfigCheck {
  const fields = fieldsOf(account);
  if (fields === undefined) return { state: 'unreadable' };
  const said = new Map(fields);
  const { baseMint, launchWallet, walletA, walletABps, walletB, walletBBps } = request;
  const wanted: readonly Field[] =
    launchWallet === undefined
      ? [
          ['baseMint', `${baseMint}`],
          ['claimers', '2'],
          [claimerKey(0), `${walletA}:${walletABps}`],
          [claimerKey(1), `${walletB}:${walletBBps}`],
        ]
      : [
          ['claimers', '1'],
          [claimerKey(0), `${launchWallet}:10000`],
        ];
  if (wanted.some(([key]) => !said.has(key))) return { state: 'unreadable' };
  return concluded(wanted.filter(([key, value]) => said.get(key) !== value).map(([key]) => key));
}

const FIELDS = [
  'baseMint',
  'flow',
  'quoteMint',
  'admin',
  'deployer',
  'configType',
  'firstSwapMinFee',
  'partner',
  'partnerConfig',
  'feeLimits',
] as const;

const concluded = (differs: readonly string[]): ConfigCheck =>
  differs.length === 0 ? { state: 'verified' } : { state: 'different', differs };

function claimerDifferences({ claimers }: ConfigOnChain, wanted: ConfigRecord['claimers']): string[] {
  const has = new Map(claimers.map(({ address, basisPoints }) => [address, basisPoints]));
  const asked = new Map(wanted.map(({ address, basisPoints }) => [address, basisPoints]));
  return [...new Set([...asked.keys(), ...has.keys()])].flatMap((address) => {
    const [now, then] = [has.get(address), asked.get(address)];
    if (now === then) return [];
    if (now === undefined) return [`claimer ${address} (asked for ${then} basis points, is not in it)`];
    if (then === undefined) return [`claimer ${address} (has ${now} basis points, was not asked for)`];
    return [`share of ${address} (asked for ${then} basis points, has ${now})`];
  });
}
