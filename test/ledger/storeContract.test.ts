import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { storeContract } from './contract/storeContract.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase(({ newPlace }) =>
  storeContract({
    runner: { afterEach, beforeEach, describe, expect, it },
    newStore: async () => {
      const place = await newPlace();
      return (clock) => openLedger({ ...place, clock });
    },
  }),
);
