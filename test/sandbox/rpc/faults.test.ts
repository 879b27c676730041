/** RPC faults: each has the named effect, and none on the chain (F30 to F37). */
import { expect, test } from 'vitest';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from '../chain/actors.ts';
import { serve } from './served.ts';

async function served() {
  const { chain, server, call } = await serve();
  const from = await fundedSigner(chain);
  chain.advanceSlots(32);
  const to = (await fixedSigner(7)).address;
  const { bytes, signature } = await signed(
    0,
    from,
    [transfer(from, to, SOL)],
    chain.latestBlockhash('confirmed'),
  );
  const wire = Buffer.from(bytes).toString('base64');
  const send = () => call('sendTransaction', wire, { encoding: 'base64', preflightCommitment: 'confirmed' });
  const statuses = async () => {
    const { result } = await call('getSignatureStatuses', [signature]);
    return (result as { value: unknown[] }).value[0];
  };
  return { chain, faults: server.faults, call, send, signature, statuses, to };
}

test('drop_send responds with success and submits nothing; the same bytes land later', async () => {
  const { chain, faults, send, signature } = await served();
  faults.arm('drop_send', 1);
  expect(await send()).toMatchObject({ result: signature });
  expect(chain.status(signature)).toBeUndefined();
  expect(await send()).toMatchObject({ result: signature });
  expect(chain.status(signature)).toMatchObject({ err: null });
});

test('land_then_503 and land_then_reset fail the response after the transaction landed', async () => {
  for (const fault of ['land_then_503', 'land_then_reset'] as const) {
    const { chain, faults, send, signature, to } = await served();
    faults.arm(fault, 1);
    await expect(send(), fault).rejects.toThrow();
    expect(chain.status(signature), fault).toMatchObject({ err: null });
    chain.advanceSlots(1);
    expect(await send(), fault).toMatchObject({ error: { code: -32002, data: { err: 'AlreadyProcessed' } } });
    expect(chain.getAccount(to)?.lamports, fault).toBe(SOL);
  }
});

test('null_status hides a landed transaction for a number of polls', async () => {
  const { chain, faults, send, statuses } = await served();
  await send();
  chain.advanceSlots(1);
  faults.arm('null_status', 2);
  expect(await statuses()).toBeNull();
  expect(await statuses()).toBeNull();
  expect(await statuses()).toMatchObject({ err: null, confirmationStatus: 'confirmed' });
});

test('lagging_view responds with past state, and refuses to lag too far', async () => {
  const { chain, faults, send, call, statuses, to } = await served();
  const { blockhash } = chain.latestBlockhash('confirmed');
  await send();
  chain.advanceSlots(40);
  const { slot } = chain;
  faults.arm('lagging_view', 60);
  const at = { commitment: 'finalized' };
  expect(await call('getSlot', { commitment: 'processed' })).toMatchObject({ result: slot - 60 });
  expect(await call('getBlockHeight', { commitment: 'processed' })).toMatchObject({
    result: chain.blockHeight - 60,
  });
  expect(await call('getBalance', to, at)).toMatchObject({ result: { value: 0 } });
  expect(await call('isBlockhashValid', blockhash, { commitment: 'processed' })).toMatchObject({
    result: { value: false },
  });
  expect(await statuses()).toBeNull();
  expect(await call('getBalance', to, { commitment: 'processed', minContextSlot: slot })).toMatchObject({
    error: { code: -32016, data: { contextSlot: slot - 60 } },
  });
  faults.disarm('lagging_view');
  expect(await call('getBalance', to, at)).toMatchObject({ result: { value: Number(SOL) } });
  expect(await statuses()).toMatchObject({ confirmationStatus: 'finalized' });
});

test('lying_status reports a transaction as final that was never sent', async () => {
  const { chain, faults, signature, statuses } = await served();
  expect(await statuses()).toBeNull();
  faults.arm('lying_status');
  expect(await statuses()).toMatchObject({ err: null, confirmations: null, confirmationStatus: 'finalized' });
  expect(chain.status(signature)).toBeUndefined();
});

test('wrong_genesis names another chain until the fault is disarmed', async () => {
  const { chain, faults, call } = await served();
  faults.arm('wrong_genesis');
  expect(faults.armed()).toEqual(['wrong_genesis']);
  expect((await call('getGenesisHash')).result).not.toBe(chain.genesisHash);
  faults.disarm();
  expect((await call('getGenesisHash')).result).toBe(chain.genesisHash);
});
