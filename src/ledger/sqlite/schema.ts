/**
 * The tables of the ledger. Plans, journal and approvals carry a `seal`, a digest over their columns, since SQLite
 * does not detect a flipped byte inside a value. Amounts are split into two integers (`hi` × 2³² + `lo`), so that sums
 * stay exact over any number of rows.
 */
/** Another version is refused: there is no upgrade. */
export const SCHEMA_VERSION = '13';

export const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS plans (
  id INTEGER PRIMARY KEY, plan_id TEXT NOT NULL UNIQUE, intent_key TEXT NOT NULL, mode TEXT NOT NULL, wallet TEXT NOT NULL,
  network TEXT NOT NULL, principal TEXT, body TEXT NOT NULL, seal TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS plans_intent ON plans (intent_key, id);
CREATE INDEX IF NOT EXISTS plans_own ON plans (principal, id) WHERE principal IS NOT NULL;
CREATE TABLE IF NOT EXISTS revisions (
  plan_id TEXT NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (plan_id, revision)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS plan_notes (
  plan_id TEXT NOT NULL, stage_id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (plan_id, stage_id)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS decisions (
  sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, plan_id TEXT NOT NULL, effect TEXT NOT NULL,
  purpose TEXT NOT NULL, class TEXT NOT NULL, message_sha256 TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS decisions_plan ON decisions (plan_id, sequence);
CREATE INDEX IF NOT EXISTS decisions_security ON decisions (time)
  WHERE class = 'security' AND purpose = 'sign' AND effect = 'deny';
CREATE TABLE IF NOT EXISTS decision_inputs (sequence INTEGER PRIMARY KEY, inputs TEXT NOT NULL, view TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chain_rows (
  chain TEXT NOT NULL, place INTEGER NOT NULL, sequence INTEGER, begins TEXT, body TEXT, hash TEXT,
  PRIMARY KEY (chain, place)) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS chain_rows_begins ON chain_rows (begins) WHERE begins IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS chain_rows_sequence ON chain_rows (sequence) WHERE sequence IS NOT NULL;

CREATE TABLE IF NOT EXISTS journal (
  signature TEXT PRIMARY KEY, plan_id TEXT NOT NULL, intent_key TEXT NOT NULL, stage_id TEXT NOT NULL,
  wallet TEXT NOT NULL, network TEXT NOT NULL, message_sha256 TEXT NOT NULL, reservation INTEGER NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, slot INTEGER, detail TEXT, moves TEXT, updated_at INTEGER NOT NULL,
  seal TEXT NOT NULL, quote_id TEXT);
CREATE INDEX IF NOT EXISTS journal_quote ON journal (wallet, quote_id) WHERE quote_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal_plan ON journal (plan_id);
CREATE INDEX IF NOT EXISTS journal_intent ON journal (intent_key, stage_id);
CREATE UNIQUE INDEX IF NOT EXISTS journal_living ON journal (message_sha256)
  WHERE state NOT IN ('expired', 'chain_gone');
CREATE UNIQUE INDEX IF NOT EXISTS journal_reservation ON journal (reservation);

CREATE TABLE IF NOT EXISTS reservations (
  id INTEGER PRIMARY KEY, wallet TEXT NOT NULL, network TEXT NOT NULL, plan_id TEXT NOT NULL, stage_id TEXT NOT NULL,
  intent_key TEXT NOT NULL, fence INTEGER NOT NULL, state TEXT NOT NULL, time INTEGER NOT NULL, decision INTEGER,
  approval_id TEXT);
CREATE INDEX IF NOT EXISTS reservations_held ON reservations (wallet) WHERE state = 'held';
CREATE INDEX IF NOT EXISTS reservations_signed ON reservations (wallet) WHERE state = 'signed';
CREATE INDEX IF NOT EXISTS reservations_plan ON reservations (plan_id);
CREATE TABLE IF NOT EXISTS scopes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS uses (
  id INTEGER PRIMARY KEY, reservation INTEGER NOT NULL, plan_id TEXT NOT NULL, scope INTEGER NOT NULL,
  counted INTEGER NOT NULL, time INTEGER NOT NULL, hi INTEGER NOT NULL, lo INTEGER NOT NULL,
  check_number INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS uses_window ON uses (scope, time, hi, lo);
CREATE INDEX IF NOT EXISTS uses_reservation ON uses (reservation);
CREATE INDEX IF NOT EXISTS uses_counted ON uses (plan_id, scope) WHERE counted = 1;

CREATE TABLE IF NOT EXISTS approvals (
  id TEXT PRIMARY KEY, plan_id TEXT NOT NULL, approval_digest TEXT NOT NULL, state TEXT NOT NULL,
  body TEXT NOT NULL, seal TEXT NOT NULL, grant_id TEXT);
CREATE INDEX IF NOT EXISTS approvals_plan ON approvals (plan_id);
CREATE INDEX IF NOT EXISTS approvals_digest ON approvals (approval_digest);
CREATE INDEX IF NOT EXISTS approvals_state ON approvals (state);
CREATE INDEX IF NOT EXISTS approvals_grant ON approvals (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS reservations_approval ON reservations (approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS leases (
  wallet TEXT PRIMARY KEY, holder TEXT NOT NULL, fence INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, value TEXT, forget_at INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS notes_forgotten ON notes (forget_at) WHERE forget_at IS NOT NULL AND value IS NOT NULL;
CREATE TABLE IF NOT EXISTS requests (
  origin TEXT NOT NULL, minute INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (origin, minute)) WITHOUT ROWID;
`;
