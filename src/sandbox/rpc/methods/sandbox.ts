/** Methods no other node has: they drive this chain from outside. */
import { invalidParams } from '../errors.ts';
import { addressIn, booleanIn, bytesIn, u64In } from '../params.ts';
import type { Methods } from './method.ts';

const MOST_SLOTS = 1_000_000;
/** Largest account data there is. */
const MOST_DATA_BYTES = 10 * 1024 * 1024;

export const sandboxMethods: Methods = {
  /** `[count]` → the new slot. */
  sandbox_advanceSlots: (params, { chain }) => {
    const count = params.integer(0);
    if (count > MOST_SLOTS) throw invalidParams(`Invalid params: at most ${MOST_SLOTS} slots at once.`);
    chain.advanceSlots(count);
    return chain.slot;
  },
  /** `[address, {lamports, owner, data: base64 or [base64, "base64"], executable?} | null]` → `true`. */
  sandbox_setAccount: (params, { chain }) => {
    const address = params.address(0);
    if (!params.has(1)) {
      chain.setAccount(address, null);
      return true;
    }
    const account = params.config(1);
    const data = Array.isArray(account.data) ? account.data[0] : (account.data ?? '');
    if (typeof data !== 'string') throw invalidParams('Invalid params: data must be base64 text.');
    chain.setAccount(address, {
      lamports: u64In(account.lamports, 'lamports'),
      owner: addressIn(account.owner, 'owner'),
      data: bytesIn(data, 'base64', MOST_DATA_BYTES),
      executable: booleanIn(account.executable, 'executable'),
    });
    return true;
  },
  sandbox_info: (_params, { chain, faults }) => ({
    genesisHash: chain.genesisHash,
    slot: chain.slot,
    blockHeight: chain.blockHeight,
    confirmedLag: chain.confirmedLag,
    finalizedLag: chain.finalizedLag,
    faucet: chain.faucetAddress,
    faults: faults.armed(),
  }),
};
