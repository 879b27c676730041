/** T80: waiting of `countersign ledger accept` before it reads spent amounts. The chain is driven by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outlast } from '../../src/cli/records/ledger/outlast.ts';
import {
  type CheckpointKey,
  checkpointFile,
  type LastSigned,
  type ReadCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from '../../src/ledger/checkpoint/checkpointFile.ts';
import { ChainError } from '../../src/rpc/errors.ts';

const NETWORK = 'this-network';
/** A blockhash is valid for 150 blocks, plus one block that is still undecided. */
const LONGEST = 151;
const key: CheckpointKey = { name: 'store', key: new Uint8Array(32).fill(7) };
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'outlast-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Creates a ledger checkpoint as stored on disk. */
function marked(
  lastSigned: readonly LastSigned[] | undefined,
  sealedWith: CheckpointKey | 'none' = key,
): ReadCheckpoint {
  const mark = { ledger: 'a'.repeat(32), count: 5, at: 1, ...(lastSigned && { lastSigned }) };
  writeCheckpoint(checkpointFile(home), mark, sealedWith === 'none' ? undefined : sealedWith, false);
  return readCheckpoint(checkpointFile(home));
}

/** Waits out a checkpoint on a chain at height 100 that advances one block per wait. */
async function outlasting(checkpoint: ReadCheckpoint, vouched: { key?: CheckpointKey } = { key }) {
  const chain = { height: 100, waits: 0 };
  const printed: string[] = [];
  await outlast({
    chain: { head: async () => ({ slot: 0, blockHeight: chain.height }) },
    network: NETWORK,
    checkpoint,
    keeper: { vouched: async () => vouched },
    tell: (line) => void printed.push(line),
    sleep: async () => {
      chain.waits += 1;
      chain.height += 1;
    },
  });
  return { ...chain, printed };
}
const waiting = (blocks: string) => [`Something signed may still land: waiting for ${blocks}.`];

describe('T80 before a lost ledger is restarted, the owner', () => {
  it('waits for the expiry of the longest-lived signature, and prints the wait once', async () => {
    const outlasted = await outlasting(marked([{ network: NETWORK, deadHeight: 140 }]));
    expect(outlasted).toEqual({ height: 141, waits: 41, printed: waiting('41 blocks') });
  });

  it('waits for the last block in which the transaction can land', async () => {
    const outlasted = await outlasting(marked([{ network: NETWORK, deadHeight: 100 }]));
    expect(outlasted).toEqual({ height: 101, waits: 1, printed: waiting('1 block') });
  });

  it('keeps waiting while the chain stands still', async () => {
    const heights = [100, 100, 100, 99, 100, 103];
    let waits = 0;
    const head = async () => ({ slot: 0, blockHeight: heights[waits] ?? 0 });
    await outlast({
      chain: { head },
      network: NETWORK,
      checkpoint: marked([{ network: NETWORK, deadHeight: 102 }]),
      keeper: { vouched: async () => ({ key }) },
      tell: () => {},
      sleep: async () => {
        waits += 1;
      },
    });
    expect(waits).toBe(5);
  });

  it('does not wait if every signature has expired', async () => {
    const outlasted = await outlasting(marked([{ network: NETWORK, deadHeight: 99 }]));
    expect(outlasted).toEqual({ height: 100, waits: 0, printed: [] });
  });

  it('does not wait, and asks no RPC, if no signed transaction was open', async () => {
    const unreachable = (): Promise<never> => Promise.reject(new ChainError('RPC_UNREACHABLE', 'asked'));
    await outlast({
      chain: { head: unreachable },
      network: NETWORK,
      checkpoint: marked([]),
      keeper: { vouched: async () => ({ key }) },
      tell: () => {},
      sleep: unreachable,
    });
  });

  it.each([
    ['is not there', (): ReadCheckpoint => undefined, { key }],
    ['is damaged', (): ReadCheckpoint => 'damaged', { key }],
    ['does not know what is open', () => marked(undefined), { key }],
    ['was sealed with another key', () => marked([], { name: 'store', key: new Uint8Array(32) }), { key }],
    ['was made by hand', () => marked([], 'none'), { key }],
    ['is one the secret store holds no key of', () => marked([]), {}],
  ] satisfies [string, () => ReadCheckpoint, { key?: CheckpointKey }][])(
    'waits the maximum lifetime of a signature if the checkpoint %s',
    async (_what, mark, vouched) => {
      const outlasted = await outlasting(mark(), vouched);
      expect(outlasted).toEqual({ height: 252, waits: LONGEST + 1, printed: waiting('152 blocks') });
    },
  );

  it('is refused while a transaction signed for another network may still land', async () => {
    const checkpoint = marked([
      { network: NETWORK, deadHeight: 1 },
      { network: 'another', deadHeight: 5 },
    ]);
    await expect(outlasting(checkpoint)).rejects.toMatchObject({
      code: 'NOT_SET_UP',
      message: `Something this home signed for the network another may still land, and the RPC is on ${NETWORK}.`,
    });
  });

  it('prints that the RPC is unreachable, and treats no transaction as expired', async () => {
    const failing = outlast({
      chain: { head: () => Promise.reject(new ChainError('RPC_UNREACHABLE', 'down')) },
      network: NETWORK,
      checkpoint: marked([{ network: NETWORK, deadHeight: 1 }]),
      keeper: { vouched: async () => ({ key }) },
      tell: () => {},
      sleep: async () => {},
    });
    await expect(failing).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' });
  });
});
