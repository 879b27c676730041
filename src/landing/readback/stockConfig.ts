/**
 * Configs that are kept in accounts of stock programs, an older encoding of the sandbox alone: read from the account by
 * our own RPC and compared with what was asked for. Those of the real program are read in `configOnChain.ts`. Never used
 * on a public network, where anyone can write such an account.
 */

import { type ConfigRecord, claimerKey, type Field, readConfig } from '../../contract/stockPrograms.ts';
import type { Plan } from '../../plan/types.ts';
import { requestedClaimers, requestedConfig } from '../../policy/decide/profiles/config/configRecord.ts';
import { readMint } from '../../programs/token/accounts.ts';
import type { AccountFact } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { earnersDiffer } from './configOnChain.ts';

/** How an account compares with a request. `differs` names each field in a sentence part, without untrusted text. */
export type StockCheck =
  | { readonly state: 'verified' }
  | { readonly state: 'different'; readonly differs: readonly string[] }
  | { readonly state: 'unreadable' };

/** The config an account holds; `undefined` when it holds none that can be read whole. */
export function stockConfigOf(account: AccountFact): ConfigRecord | undefined {
  const reading = readConfig(fieldsOf(account) ?? []);
  return reading.complete ? reading.record : undefined;
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
export function checkStockConfig(
  account: AccountFact,
  asked: { readonly request: Plan['request']['fields']; readonly wallet: Address },
): StockCheck {
  const record = stockConfigOf(account);
  if (record === undefined) return { state: 'unreadable' };
  const wanted = requestedConfig(asked).record;
  const fields = FIELDS.filter((name) => record[name] !== wanted[name]).map((name) =>
    isAddress(`${record[name]}`) ? `${name} (it is ${record[name]})` : name,
  );
  return concluded([...claimerDifferences(record, wanted.claimers), ...fields]);
}

/** Compares only who earns how much, which is what an update changes. */
export function checkStockSplit(account: AccountFact, request: Plan['request']['fields']): StockCheck {
  const record = stockConfigOf(account);
  if (record === undefined) return { state: 'unreadable' };
  return concluded(claimerDifferences(record, requestedClaimers(request)));
}

/** Compares a config of the two oldest endpoints: these write only some fields, whose claimers are in the request. */
export function checkLegacyConfig(account: AccountFact, request: Plan['request']['fields']): StockCheck {
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

const concluded = (differs: readonly string[]): StockCheck =>
  differs.length === 0 ? { state: 'verified' } : { state: 'different', differs };

const claimerDifferences = ({ claimers }: ConfigRecord, wanted: ConfigRecord['claimers']): string[] =>
  earnersDiffer(
    claimers.map(({ address, basisPoints }) => ({ wallet: address, bps: basisPoints })),
    wanted,
  );
