/**
 * Executes the stages of a plan on a private copy of the chain. Runs in a separate process without environment, with access
 * only to its code and the IPC channel of its parent. `player.ts` defines the messages.
 */
import { getAddressDecoder, getAddressEncoder, getTransactionDecoder } from '@solana/kit';
import { FeatureSet, LiteSVM } from 'litesvm';

const MAX_MEMORY_BYTES = 300_000_000;
const MS_PER_SLOT = 400n;
const MAX_SLOT_HASHES = 512;

process.on('disconnect', () => process.exit());
process.on('message', (job) => {
  try {
    process.send(job === 'features' ? { features: featureIds() } : { stages: play(job) });
  } catch (error) {
    process.send({ broken: error instanceof Error ? error.message : 'unknown' });
  }
});

/** Returns the ids of all features of the runtime. */
function featureIds() {
  const decoder = getAddressDecoder();
  return FeatureSet.allEnabled()
    .getActiveFeatures()
    .map((id) => decoder.decode(Uint8Array.from(id)));
}

function play({ inactive, accounts, stages }) {
  const features = FeatureSet.allEnabled();
  for (const id of inactive) features.deactivate(Uint8Array.from(getAddressEncoder().encode(id)));
  const svm = LiteSVM.default()
    .withFeatureSet(features)
    .withBuiltins()
    .withSysvars()
    .withPrecompiles()
    .withSigverify(false)
    .withBlockhashCheck(false)
    .withTransactionHistory(0n);
  for (const { address, lamports, owner, executable, data } of accounts)
    svm.setAccount({
      ...{ address, lamports, data, executable, space: BigInt(data.length), programAddress: owner },
    });
  const played = [];
  const start = svm.getClock();
  for (const stage of stages) {
    requireMemory();
    advance(svm, start, BigInt(stage.slots));
    const seen = runStage(svm, stage);
    played.push(seen);
    if (seen.error !== null) break;
  }
  requireMemory();
  return played;
}

function requireMemory() {
  if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) throw new Error('out of memory');
}

/** Executes and commits a stage; returns the outcome and the watched accounts. */
function runStage(svm, { bytes, watch }) {
  const outcome = svm.sendTransaction(getTransactionDecoder().decode(bytes));
  const isFailed = 'err' in outcome;
  const meta = isFailed ? outcome.meta() : outcome;
  return {
    error: isFailed ? (/err: (.*?), meta: /.exec(outcome.toString())?.[1] ?? 'unknown') : null,
    logs: isFailed ? meta.logs() : [],
    units: Number(meta.computeUnitsConsumed()),
    after: isFailed ? [] : watch.map((address) => accountAt(svm, address)),
  };
}

/** Advances the copy by a number of slots, and its time from the start of the plan. */
function advance(svm, start, slots) {
  const clock = svm.getClock();
  const from = clock.slot;
  clock.slot = from + slots;
  clock.unixTimestamp = start.unixTimestamp + ((clock.slot - start.slot) * MS_PER_SLOT) / 1000n;
  svm.setClock(clock);
  const hash = svm.latestBlockhash();
  const newest = Array.from({ length: Math.min(Number(slots), MAX_SLOT_HASHES) }, (_, i) => ({
    ...{ slot: clock.slot - 1n - BigInt(i), hash },
  }));
  const older = svm.getSlotHashes().flatMap(({ slot, hash }) => (slot < from ? [{ slot, hash }] : []));
  svm.setSlotHashes([...newest, ...older].slice(0, MAX_SLOT_HASHES));
}

function accountAt(svm, address) {
  const found = svm.getAccount(address);
  if (!found.exists || found.lamports === 0n) return { address, exists: false };
  const { lamports, programAddress: owner, executable, data } = found;
  return { address, exists: true, lamports, owner, executable, data: Uint8Array.from(data) };
}
