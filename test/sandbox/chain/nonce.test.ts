import { describe, expect, it } from 'vitest';
import { nonceData } from '../../../sandbox/attacks/service/assets.ts';
import { createChain } from '../../../sandbox/chain/chain.ts';
import { keypairFromSeed } from '../../../sandbox/keypair.ts';
import { budgetFor, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import { SYSTEM_PROGRAM, SYSVAR_RECENT_BLOCKHASHES } from '../../../src/transaction/programs.ts';

const [payer, nonce] = [1, 2].map((fill) => keypairFromSeed(new Uint8Array(32).fill(fill)));

async function signedBefore(slots: number, options: { advances: boolean }) {
  if (payer === undefined || nonce === undefined) throw new Error('no keys');
  const chain = await createChain({ clock: 'manual', seed: 'nonce' });
  chain.airdrop(payer.address, 10_000_000_000n);
  const lifetime = chain.latestBlockhash('processed');
  chain.setAccount(nonce.address, {
    lamports: chain.rent(80),
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: nonceData(payer.address, lifetime.blockhash),
  });
  const advance = encodeInstruction('system.advanceNonceAccount', {
    accounts: {
      nonce: nonce.address,
      recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
      authority: payer.address,
    },
  });
  const { bytes } = compileDraft(
    {
      format: 'v0',
      feePayer: payer.address,
      ...(options.advances ? { first: [advance] } : {}),
      instructions: [systemTransfer(payer.address, nonce.address, 1_000n)],
      budget: budgetFor(2),
      signers: [payer],
    },
    lifetime,
  );
  chain.advanceSlots(slots);
  return { chain, bytes };
}

describe('a durable nonce', () => {
  it('lets a transaction land long after its blockhash has expired, once (T32)', async () => {
    const { chain, bytes } = await signedBefore(100_000, { advances: true });
    expect(chain.submit(bytes)).toMatchObject({ landed: true, record: { err: null } });
    expect(chain.submit(bytes)).toMatchObject({ landed: false });
    chain.close();
  });

  it('is required: the same transaction without it has expired', async () => {
    const { chain, bytes } = await signedBefore(100_000, { advances: false });
    expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'BlockhashNotFound' });
    chain.close();
  });

  it('must have the value that the transaction names', async () => {
    const { chain, bytes } = await signedBefore(100_000, { advances: true });
    const account = chain.getAccount(nonce?.address ?? '');
    if (account === null) throw new Error('no nonce account');
    const data = account.data.slice();
    data[40] = (data[40] ?? 0) ^ 1;
    chain.setAccount(nonce?.address ?? '', { ...account, data });
    expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'BlockhashNotFound' });
    chain.close();
  });
});
