/** Accounts as JSON-RPC shows them, in base64. */
import type { ChainAccount } from '../chain/types.ts';
import { invalidParams } from './errors.ts';
import { type Config, configIn, integerIn } from './params.ts';

/** Rent epoch of every rent exempt account: the largest u64. */
const NEVER = 18_446_744_073_709_551_615n;

/** An account in base64, whole or in part; `null` when it does not exist. Refuses other encodings. */
export function encodeAccount(account: ChainAccount | null, config: Config): unknown {
  if (config.encoding !== 'base64') throw invalidParams('This node shows accounts in base64 only.');
  if (account === null) return null;
  return {
    data: [Buffer.from(slice(account.data, config)).toString('base64'), 'base64'],
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: NEVER,
    space: account.data.length,
  };
}

function slice(data: Uint8Array, config: Config): Uint8Array {
  if (config.dataSlice === undefined || config.dataSlice === null) return data;
  const { offset, length } = configIn(config.dataSlice, 'dataSlice');
  const from = integerIn(offset, 'dataSlice.offset');
  return data.subarray(from, from + integerIn(length, 'dataSlice.length'));
}

/** A token amount in base units, with its decimal forms. */
export function tokenAmount(amount: bigint, decimals: number): object {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
