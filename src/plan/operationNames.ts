/** Display names of operations and stages. */
import { several } from '../base/format.ts';
import type { Operation, PlanOperation, StageKind } from './types.ts';

const OPERATIONS: Readonly<
  Record<PlanOperation, { readonly title: string; readonly one: string; readonly many: string }>
> = {
  config: { title: 'Set up who shares the fees', one: 'fee setup', many: 'fee setups' },
  manager_update: {
    title: 'Change who shares the fees',
    one: 'change of a fee split',
    many: 'changes of a fee split',
  },
  launch: { title: 'Launch a token', one: 'launch', many: 'launches' },
  holding_claim: { title: 'Claim fees of a holding', one: 'holding claim', many: 'holding claims' },
  position_claim: { title: 'Claim fees of a position', one: 'position claim', many: 'position claims' },
  vault_claim: { title: 'Claim fees from a vault', one: 'vault claim', many: 'vault claims' },
  deployer_claim: { title: 'Claim deployer fees', one: 'deployer claim', many: 'deployer claims' },
  claim_all: {
    title: 'Claim everything that is claimable',
    one: 'claim of everything',
    many: 'claims of everything',
  },
  swap: { title: 'Swap tokens', one: 'swap', many: 'swaps' },
  send: { title: 'Send money to another wallet', one: 'payment', many: 'payments' },
  unwrap: { title: 'Turn wrapped SOL into SOL', one: 'unwrapping of SOL', many: 'unwrappings of SOL' },
  lookup_table_setup: {
    title: 'Set up a lookup table',
    one: 'new lookup table',
    many: 'new lookup tables',
  },
  lookup_table_deactivate: {
    title: 'Deactivate a lookup table',
    one: 'deactivated lookup table',
    many: 'deactivated lookup tables',
  },
  lookup_table_close: {
    title: 'Close a deactivated lookup table, which returns its deposit',
    one: 'closed lookup table',
    many: 'closed lookup tables',
  },
};

const STAGES: Readonly<Record<StageKind, string>> = {
  config: 'Write the fee shares on chain',
  claim: 'Collect the fees',
  manager_update: 'Change the fee shares on chain',
  launch: 'Launch',
  lookup_table_setup: 'Prepare a lookup table',
  create_token: 'Create the token',
  lookup_table_deactivate: 'Deactivate the lookup table',
  lookup_table_close: 'Close the lookup table, which returns its rent',
  swap: 'Swap',
  send: 'Pay',
  unwrap: 'Turn wrapped SOL into SOL',
};

/** Returns the title of an operation, as a heading or the start of a sentence. */
export const operationWords = (operation: PlanOperation): string => OPERATIONS[operation].title;

/** Returns the plural of an operation: `launches`. */
export const operationsWords = (operation: Operation): string => OPERATIONS[operation].many;

/** Formats a number of operations: `3 launches`, `1 swap`. `any` counts all operations as jobs. */
export function countWords(count: number, operation: Operation | 'any'): string {
  if (operation === 'any') return several(count, 'job', 'jobs of any kind');
  return several(count, OPERATIONS[operation].one, OPERATIONS[operation].many);
}

/** Returns the title of a stage. */
export const stageWords = (kind: StageKind): string => STAGES[kind];
