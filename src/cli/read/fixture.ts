/**
 * `countersign read build … --out DIR`: saves transactions as test fixtures, one JSON object per line: wire bytes
 * with their accounts and address tables. All of it is public on chain or was built by the service; keys and the
 * addresses of service and RPC are not included.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SetupError } from '../../runtime/backends/backend.ts';
import { writePrivateFile } from '../../secrets/privateFile.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { makeFolder } from '../makeFolder.ts';
import type { ReadStage } from './stages.ts';

/** One line. */
export interface Fixture {
  readonly id: string;
  /** Endpoint, service profile and genesis hash. */
  readonly source: string;
  /** Base64. */
  readonly wire: string;
  readonly accounts: readonly {
    readonly address: string;
    readonly owner: string;
    /** Decimal string. */
    readonly lamports: string;
    /** Base64. */
    readonly data: string;
  }[];
  readonly tables: readonly { readonly address: string; readonly entries: readonly string[] }[];
  /** Slot the accounts were read at. */
  readonly slot: number;
}

/** Returns the fixture of one transaction, without missing accounts. */
export function fixtureOf(
  source: string,
  { stage, inputs, transaction }: Pick<ReadStage, 'stage' | 'inputs' | 'transaction'>,
): Fixture {
  const { id, kind } = stage;
  const wire = stage.transaction.text;
  const accounts = inputs.accounts.filter(({ exists }) => exists);
  const used = transaction.lookups.flatMap(({ table }) =>
    inputs.tables.filter((each) => each.table === table),
  );
  return {
    id: `stage-${id}-${kind}-${digest(wire)}`.replace(/\W+/g, '-').toLowerCase(),
    ...{ source, wire },
    accounts: accounts.map(({ address, owner, lamports, data }) => ({ address, owner, lamports, data })),
    tables: used.map(({ table, addresses }) => ({ address: table, entries: addresses })),
    slot: inputs.slot,
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Writes the fixtures to a file in `folder` and returns its path. Throws `SetupError` if the bytes contain a secret
 * of this home: a service that was sent the API key could write it into a memo or a name.
 */
export function saveFixtures(
  folder: string,
  endpoint: string,
  fixtures: readonly Fixture[],
  { withoutRegistered }: Pick<Redactor, 'withoutRegistered'>,
): string {
  const bytes = fixtures.flatMap(({ wire, accounts }) => [wire, ...accounts.map(({ data }) => data)]);
  const lines = fixtures.map((fixture) => `${JSON.stringify(fixture)}\n`).join('');
  const texts = [lines, ...bytes.map((each) => Buffer.from(each, 'base64').toString('latin1'))];
  if (texts.some((each) => withoutRegistered(each) !== each)) {
    throw new SetupError(
      'Nothing was saved: the service put a secret of this home into a transaction.',
      'Revoke the API key at the service, log in again, and do not share this answer.',
    );
  }
  makeFolder(folder);
  const path = join(folder, `${endpoint}-${digest(lines)}.jsonl`);
  writePrivateFile(path, Buffer.from(lines));
  return path;
}
