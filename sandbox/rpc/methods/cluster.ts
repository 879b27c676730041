/** Methods about the cluster: health, time, blockhashes, fees. */
import { createHash } from 'node:crypto';
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import { SLOTS_PER_EPOCH } from '../../chain/slots.ts';
import { withContext } from '../node.ts';
import type { Methods } from './method.ts';

export const clusterMethods: Methods = {
  getHealth: () => 'ok',
  getGenesisHash: (_params, { chain, faults }) =>
    faults.meets('wrong_genesis') ? digestAddress(`not ${chain.genesisHash}`) : chain.genesisHash,
  getSlot: (params, node) => node.view(params.config(0)),
  getBlockHeight: (params, node) => node.chain.blockHeightAt(node.view(params.config(0))),
  getEpochInfo: (params, node) => {
    const slot = node.view(params.config(0));
    return {
      absoluteSlot: slot,
      blockHeight: node.chain.blockHeightAt(slot),
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: node.chain.transactionCount,
    };
  },
  getLatestBlockhash: (params, node) => {
    const { slot, blockhash, lastValidBlockHeight } = node.chain.latestBlockhash(node.view(params.config(0)));
    return withContext(slot, { blockhash, lastValidBlockHeight });
  },
  isBlockhashValid: (params, node) => {
    const slot = node.view(params.config(1));
    return withContext(slot, node.chain.isBlockhashValid(params.string(0), slot));
  },
  getMinimumBalanceForRentExemption: (params, node) => node.chain.rent(params.integer(0)),
};

function digestAddress(text: string): string {
  return addressFromBytes(new Uint8Array(createHash('sha256').update(text).digest()));
}
