/** The ledger's file in a home. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkpointFile } from './checkpoint/checkpointFile.ts';

/** Returns the path of a home's ledger. */
export const ledgerFile = (home: string): string => join(home, 'ledger.db');

/** Whether a home has a ledger, or signed under one that is lost (T80). */
export const hasLedger = (home: string): boolean =>
  existsSync(ledgerFile(home)) || existsSync(checkpointFile(home));
