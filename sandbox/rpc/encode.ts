/** Accounts as JSON-RPC shows them: base64, base58, or parsed where clients rely on it. */
import bs58 from 'bs58';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { lookupTable, mint, tokenAccount } from '../chain/runtime/layouts.ts';
import type { ChainAccount } from '../chain/types.ts';
import { invalidParams } from './errors.ts';
import { type Config, configIn, integerIn } from './params.ts';

/** Rent epoch of every rent exempt account: the largest u64. */
const NEVER = 18_446_744_073_709_551_615n;
const MAX_BASE58_BYTES = 128;

type AccountOf = (address: string) => ChainAccount | null;

/** An account in the encoding a request asks for; `null` when it does not exist. */
export function encodeAccount(account: ChainAccount | null, config: Config, accountOf: AccountOf): unknown {
  if (account === null) return null;
  return {
    data: encodeData(account, config, accountOf),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: NEVER,
    space: account.data.length,
  };
}

function encodeData(account: ChainAccount, config: Config, accountOf: AccountOf): unknown {
  const encoding = config.encoding ?? 'binary';
  if (encoding === 'jsonParsed') {
    return parsedAccount(account, accountOf) ?? [base64(account.data), 'base64'];
  }
  const data = slice(account.data, config);
  switch (encoding) {
    case 'base64':
      return [base64(data), 'base64'];
    case 'base64+zstd':
      throw invalidParams('base64+zstd is not offered by this node; use base64');
    case 'base58':
    case 'binary': {
      if (data.length > MAX_BASE58_BYTES) {
        throw invalidParams(
          `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
        );
      }
      const text = bs58.encode(data);
      return encoding === 'binary' ? text : [text, 'base58'];
    }
    default:
      throw invalidParams(`Invalid params: unknown encoding ${String(encoding)}`);
  }
}

function slice(data: Uint8Array, config: Config): Uint8Array {
  if (config.dataSlice === undefined || config.dataSlice === null) return data;
  const { offset, length } = configIn(config.dataSlice, 'dataSlice');
  const from = integerIn(offset, 'dataSlice.offset');
  return data.subarray(from, from + integerIn(length, 'dataSlice.length'));
}

/** The parsed form of token accounts, mints and lookup tables; `undefined` for anything else. */
function parsedAccount(account: ChainAccount, accountOf: AccountOf): unknown {
  const space = account.data.length;
  const program = account.owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
  const token = tokenAccount(account);
  if (token !== undefined) {
    const decimals = mint(accountOf(token.mint))?.decimals ?? 0;
    const { nativeReserve, delegate, closeAuthority } = token;
    const info = {
      mint: token.mint,
      owner: token.owner,
      state: token.state,
      isNative: nativeReserve !== null,
      tokenAmount: tokenAmount(token.amount, decimals),
      ...(nativeReserve === null ? {} : { rentExemptReserve: tokenAmount(nativeReserve, decimals) }),
      ...(delegate === null
        ? {}
        : { delegate, delegatedAmount: tokenAmount(token.delegatedAmount, decimals) }),
      ...(closeAuthority === null ? {} : { closeAuthority }),
      ...extensions(token.extended),
    };
    return { program, parsed: { type: 'account', info }, space };
  }
  const minted = mint(account);
  if (minted !== undefined) {
    const info = {
      mintAuthority: minted.mintAuthority,
      supply: minted.supply.toString(),
      decimals: minted.decimals,
      isInitialized: minted.initialized,
      freezeAuthority: minted.freezeAuthority,
      ...extensions(minted.extended),
    };
    return { program, parsed: { type: 'mint', info }, space };
  }
  const table = lookupTable(account);
  if (table === undefined) return undefined;
  const info = {
    addresses: table.addresses,
    ...(table.authority === null ? {} : { authority: table.authority }),
    deactivationSlot: table.deactivationSlot.toString(),
    lastExtendedSlot: table.lastExtendedSlot.toString(),
    lastExtendedSlotStartIndex: table.lastExtendedStartIndex,
  };
  return { program: 'address-lookup-table', parsed: { type: 'lookupTable', info }, space };
}

/** Extensions are named but not read here: the raw data is the place to look. */
function extensions(extended: boolean): object {
  return extended ? { extensions: [{ extension: 'unparseableExtension' }] } : {};
}

/** A token amount in base units, with its decimal forms. */
export function tokenAmount(amount: bigint, decimals: number): object {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
}
