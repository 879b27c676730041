/** A home with an owner key of low derivation cost, for tests. */
import { createOwnerKey, ownerPublicKey } from '../../src/secrets/keys/ownerKey.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createMemoryStore } from '../../src/secrets/stores/store.ts';
import { TEST_WORK_FACTOR } from '../secrets/temporaryHome.ts';

export const OWNER_PASSPHRASE = 'glacier pepper lantern owl';
export const passphrase = (text = OWNER_PASSPHRASE): Secret => Secret.fromText(text);

/** Creates the key. Returns a function that reads its public key from the store. */
export async function withOwner(home: string): Promise<() => Promise<string | undefined>> {
  const store = createMemoryStore();
  await createOwnerKey({ home, passphrase: passphrase(), store, workFactor: TEST_WORK_FACTOR });
  return () => ownerPublicKey(store);
}
