/** Makes a ledger what the version before had: schema 8, all decisions in one chain. */
import { canonicalJson } from '../../src/base/canonicalJson.ts';
import { GENESIS, link } from '../../src/ledger/chains/chains.ts';
import { evidence } from '../../src/ledger/sqlite/decisions.ts';
import type { Ledger } from '../../src/ledger/types.ts';

/** Rewrites the decisions of a ledger, which must be numbered from 1 on, past the ledger. */
export async function asVersion8(
  ledger: Ledger,
  tamper: (sql: string) => Promise<void>,
  isFile: boolean,
): Promise<void> {
  const statements: string[] = [];
  let head = GENESIS;
  for (const row of (await ledger.decisions({ limit: 500 })).reverse()) {
    const { hash: _, chain: __, place: ___, ...record } = row;
    const made = await ledger.decisionFacts(record.id);
    if (made === undefined) throw new Error(`nothing is known of ${record.id}`);
    const body = canonicalJson({ ...record, evidence: evidence(made.facts, made.view) });
    head = link(head, body);
    statements.push(
      `UPDATE decisions SET body = '${body.replaceAll("'", "''")}', hash = '${head}' WHERE sequence = ${record.sequence}`,
    );
  }
  statements.push(
    isFile ? 'DROP TRIGGER one_chain_ended' : 'ALTER TABLE meta DROP CONSTRAINT one_chain_ended',
    'DROP TABLE chain_rows',
    "DELETE FROM meta WHERE key LIKE 'head %'",
    `INSERT INTO meta VALUES ('head', '${head}')`,
    "UPDATE meta SET value = '8' WHERE key = 'schema'",
  );
  if (!isFile) statements.push('DROP SEQUENCE decision_numbers');
  await tamper(statements.join('; '));
}
