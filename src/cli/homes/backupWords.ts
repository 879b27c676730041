/** The summary of `countersign backup`: contents of the folder, what is missing, and where the keys are. */
import type { StoreRecord } from '../../secrets/stores/chooseStore.ts';
import { secretNames } from '../../secrets/stores/store.ts';

/** File names in a backup and in the home restored from it. */
export const POLICY_NAME = 'policy.json';
export const SECRETS_NAME = 'secrets.age';
export const OWNER_NAME = 'owner-key.age';

/** The contents of a backup. */
export interface Copied {
  readonly files: readonly string[];
  /** Names of the written secrets; absent if the encrypted file is missing or was copied without opening it. */
  readonly secrets?: readonly string[] | undefined;
}

/** Returns the summary. `record` is the store of this home's keys. */
export function copySummary(copied: Copied, record: StoreRecord | undefined, moved: boolean): string[] {
  return [...contents(copied), ...aboutKeys(copied, record, moved), ending(moved)];
}

/** Describes the contents of the folder, and missing parts. */
function contents({ files, secrets }: Copied): string[] {
  const has = (name: string) => files.includes(name);
  const parts = [
    ...(has('ledger.db') ? ['the ledger'] : []),
    ...(has(SECRETS_NAME)
      ? [secrets === undefined ? 'the encrypted file with the keys' : keyWords(secrets)]
      : []),
    ...(has(OWNER_NAME) ? ['the owner key'] : []),
    ...(has(POLICY_NAME) ? ['the policy'] : []),
    ...(has('settings.json') ? ['the settings, without addresses that hold a key'] : []),
  ];
  return [
    `Contents: ${parts.length === 0 ? 'only the list of its files' : parts.join(', ')}.`,
    ...(has(POLICY_NAME) ? [] : ['Not included: the policy. `--policy FILE` adds it.']),
    ...(has(OWNER_NAME) ? ['The owner key is under its own passphrase.'] : []),
  ];
}

const WALLET = secretNames.wallet('');
const API_KEY = 'api-key:';

/** Describes secrets without showing them. */
function keyWords(names: readonly string[]): string {
  const named = names.flatMap((name) => {
    if (name.startsWith(WALLET)) return [`the key of wallet ${name.slice(WALLET.length)}`];
    return name.startsWith(API_KEY) ? [`the API key for ${name.slice(API_KEY.length)}`] : [];
  });
  return named.length === 0 ? 'what the keychain held' : named.join(', ');
}

/** Returns the lines about the place of the keys and the next step for the user. */
function aboutKeys({ files }: Copied, record: StoreRecord | undefined, moved: boolean): string[] {
  const apart = 'The folder cannot sign without that passphrase. Keep them apart.';
  if (record === undefined || record.kind === 'env') {
    return ['It contains no keys: this home takes its keys from the environment. Back them up yourself.'];
  }
  if (!files.includes(SECRETS_NAME))
    return [`It contains no keys: the ${record.kind} store of this home holds none.`];
  if (record.kind === 'file') return [`The keys are under the passphrase of this home. ${apart}`];
  return [
    `The keys are an encrypted file now, under the passphrase you chose. ${apart}`,
    `The keychain of this machine holds them too, in entries named countersign-${record.id}. The restored home uses the file: \`countersign secrets migrate keychain\` brings them into the keychain there.`,
    ...(moved ? ['Delete those entries here once the other home works.'] : []),
  ];
}

const ending = (moved: boolean): string =>
  moved
    ? 'This home no longer signs. Move the folder to the other machine and run `countersign restore DIR`.'
    : 'After `countersign restore DIR` the owner key must accept the ledger, since later signatures are not in the backup.';
