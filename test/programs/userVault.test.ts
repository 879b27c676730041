/** The vault program, decoded from hand-written bytes. */
import { describe, expect, test } from 'vitest';
import { actsOf, type Reading, readInstruction } from '../../src/programs/read.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import type { AccountUse } from '../../src/transaction/types.ts';
import { VAULT_VECTORS } from '../oracle/vectors/vaults.ts';
import { testAddress } from '../transaction/keys.ts';

const stranger = testAddress('stranger');

describe.each([...VAULT_VECTORS])('$name', ({ program, accounts, bytes, does }) => {
  const uses = accounts.map(([address, use]): AccountUse => {
    const flags: string = use;
    return { address, signer: flags.includes('s'), writable: flags.includes('w') };
  });
  const read = (given: readonly AccountUse[]): Reading =>
    readInstruction({
      ...{ index: 0, program, accounts: given },
      data: Uint8Array.from(Buffer.from(bytes.join(''), 'hex')),
    });
  const misfit = { status: 'unsupported', kind: expect.stringContaining('userVault.') };

  test('is decoded, with acts that match its accounts', () => {
    expect(actsOf(read(uses), NO_VIEW)).toMatchObject([does]);
  });

  test('is a misfit with a missing account or signature, or another account than the derived one', () => {
    expect(read(uses.slice(0, -1))).toMatchObject(misfit);
    const payer = uses.findIndex(({ signer, writable }) => signer && writable);
    for (const [at, use] of uses.entries()) {
      if (use.signer) expect(read(uses.with(at, { ...use, signer: false }))).toMatchObject(misfit);
      // Anyone may pay.
      if (at === payer && uses.length > 2) continue;
      expect(read(uses.with(at, { address: stranger, signer: true, writable: true }))).toMatchObject(misfit);
    }
  });
});
