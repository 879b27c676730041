/**
 * Lookup tables of the wallet: made for a plan, taken out of use, closed for their rent. The authority over a
 * table is the wallet's, so it may be used here and nowhere else (T9).
 */
import { LOOKUP_TABLE_PROGRAM } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { plannedTables } from '../checks/tables.ts';
import { type DecisionContext, rentOf } from '../decisionContext.ts';
import { all, exactly, part, place } from './parts.ts';
import { askedFormat, type Bound, nothing, objectOf, type Profile, textOf } from './profile.ts';

/** Most addresses one transaction can add, and most a table can hold. */
const MOST_EXTENSIONS = 8;
const MOST_TABLE_BYTES = 56 + 32 * 256;

/** The tables a plan of ours may touch: those it set up itself, and the one its answer names. */
function tablesOf(c: DecisionContext): Set<Address> {
  const { answer, request } = c.facts.plan;
  const named = textOf(objectOf(answer, 'launch'), 'lookupTable') ?? textOf(request, 'lookupTable');
  return new Set([...plannedTables(c.facts).keys(), ...(named === undefined ? [] : [named])]);
}

/** Creates and extends one table, with the wallet as authority and payer. */
export function lookupTableSetup(c: DecisionContext, list: Checklist): Bound {
  const named = textOf(objectOf(c.facts.plan.answer, 'launch'), 'lookupTable');
  const touched = new Set(
    c.instructions.flatMap((i) =>
      i.kind === 'lookupTable.create' || i.kind === 'lookupTable.extend' ? [i.accounts.table.address] : [],
    ),
  );
  const [table] = named === undefined ? touched : [named];
  // The request does not say which entries the plan needs; a repeated entry only costs rent (T14).
  const entries = c.instructions.flatMap((i) => (i.kind === 'lookupTable.extend' ? i.args.addresses : []));
  list.expect(new Set(entries).size === entries.length, 'REQUEST_MISMATCH', 'table names each address once', {
    observed: `${entries.length} entries`,
    allowed: `${new Set(entries).size} entries`,
  });
  const isTable = (address: Address) => exactly('lookup table', address, address === table, table);
  place(
    c,
    [
      part(
        'table',
        'lookupTable.create',
        [0, 1],
        ({ accounts }) =>
          accounts.authority.address === c.wallet &&
          accounts.payer.address === c.wallet &&
          all(isTable(accounts.table.address)),
      ),
      part(
        'table entries',
        'lookupTable.extend',
        [1, MOST_EXTENSIONS],
        ({ accounts }) =>
          accounts.authority.address === c.wallet &&
          (accounts.payer === undefined || accounts.payer.address === c.wallet) &&
          all(isTable(accounts.table.address)),
      ),
    ],
    list,
  );
  // A table grows with each extension; beside a program that cannot be read nothing else may be deposited.
  const deposits = new Map([...touched].map((address) => [address, 0n] as const));
  return { ...nothing(), deposits, mostRent: rentOf(c.facts, MOST_TABLE_BYTES) };
}

/** Takes a table of this plan out of use. */
export function lookupTableDeactivate(c: DecisionContext, list: Checklist): Bound {
  place(
    c,
    [
      part(
        'table',
        'lookupTable.deactivate',
        [1, 1],
        ({ accounts }) => accounts.authority.address === c.wallet && isPlanned(c, accounts.table.address),
      ),
    ],
    list,
  );
  return nothing();
}

/** Closes a table of this plan; its rent comes back to the wallet. */
export function lookupTableClose(c: DecisionContext, list: Checklist): Bound {
  place(
    c,
    [
      part('table', 'lookupTable.close', [1, 1], ({ accounts }) => {
        if (accounts.authority.address !== c.wallet) return false;
        const planned = isPlanned(c, accounts.table.address);
        if (planned !== true) return planned;
        const recipient = accounts.recipient.address;
        return all([
          recipient === c.wallet,
          () => ({
            wrong: 'who gets the rent',
            observed: recipient,
            allowed: c.wallet,
            code: 'UNDECLARED_LOSS',
          }),
        ]);
      }),
    ],
    list,
  );
  return nothing();
}

function isPlanned(c: DecisionContext, table: Address) {
  const planned = tablesOf(c);
  // A plan that is only about an existing table names it in its bytes alone; then the chain must show it as ours.
  const alone = planned.size === 0 && c.accounts.get(table)?.owner === LOOKUP_TABLE_PROGRAM;
  return all(exactly('lookup table', table, planned.has(table) || alone));
}

const tableProfile = (stages: Profile['stages']): Profile => ({
  stages,
  feePayer: 'wallet',
  formats: askedFormat,
});

export const lookup_table_setup = tableProfile({ lookup_table_setup: lookupTableSetup });
export const lookup_table_deactivate = tableProfile({ lookup_table_deactivate: lookupTableDeactivate });
export const lookup_table_close = tableProfile({ lookup_table_close: lookupTableClose });
