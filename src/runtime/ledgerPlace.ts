/** Where the ledger is: the file of the home, or the PostgreSQL at an address that a person gave. */
import { hasLedger } from '../ledger/ledgerFile.ts';
import { SetupError } from './backends/backend.ts';
import { ADDRESS_HINT, addressFault } from './ledgerAddress.ts';

export interface HomePlace {
  readonly home: string;
  readonly database?: string | undefined;
}

/** @throws SetupError, without the address, where it cannot be one of a ledger */
export function ledgerPlace(home: string, address: string | undefined): HomePlace {
  if (address === undefined || address === '') return { home };
  const fault = addressFault(address);
  if (fault !== undefined) throw new SetupError(fault, ADDRESS_HINT);
  return { home, database: address };
}

/** Whether there may be something in it: a file is there or not, a database is asked. */
export const mayHold = ({ home, database }: HomePlace): boolean => database !== undefined || hasLedger(home);
