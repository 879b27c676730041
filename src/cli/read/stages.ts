/**
 * Analyzes transactions from their bytes and their accounts on our own RPC, without a policy: the lines are those a
 * decision would record.
 */
import { gatherInputs } from '../../execution/deciding/gather.ts';
import type { JudgedPlan, Plan, Stage, StageStatus } from '../../plan/types.ts';
import { type SimulatedEffects, simulatedEffects } from '../../policy/decide/checks/effects.ts';
import { plannedTables } from '../../policy/decide/checks/tables.ts';
import { rentOf, type StageContext, tokenAccountAt } from '../../policy/decide/decisionContext.ts';
import { OwnKeys } from '../../policy/decide/ownKeys.ts';
import { statedBy } from '../../policy/decide/statement/stated.ts';
import type { DecisionInputs } from '../../policy/decide/types.ts';
import type { ReadingWithActs } from '../../programs/read.ts';
import type { TokenHolding } from '../../programs/view.ts';
import { ChainError } from '../../rpc/errors.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import type { StageLines } from '../../statement/types.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { TransactionError } from '../../transaction/errors.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';

/** An analyzed transaction. */
export interface ReadStage {
  readonly stage: Stage;
  readonly transaction: DecodedTransaction;
  readonly inputs: DecisionInputs;
  /** Maximum lamports the chain charges; absent if it cannot be determined. */
  readonly feeLamports?: bigint;
  readonly readings: readonly ReadingWithActs[];
  readonly stated: StageLines;
  /** Entries of unknown lookup tables by placeholder address. */
  readonly places: ReadonlyMap<Address, string>;
}

const refuse = (): Promise<never> => Promise.reject(new ChainError('RPC_UNREACHABLE', 'No RPC was given.'));
const missing = (address: Address): AccountFact => ({
  ...{ address, exists: false, lamports: '0', owner: SYSTEM_PROGRAM, executable: false, data: '' },
});

/** Returns a chain without data except the usual rent: 6,960 lamports a byte. */
const unknownChain = (network: string): Chain => ({
  genesisHash: async () => network,
  accounts: async (addresses) => ({ slot: 0, value: addresses.map(missing) }),
  rent: async () => ({ perByte: 6_960n, overheadBytes: 128 }),
  simulate: async () => ({ status: 'unavailable', reason: 'no RPC was given' }),
  ...{ head: refuse, latestBlockhash: refuse, isBlockhashValid: refuse, tokenAccounts: refuse },
  ...{ send: refuse, statuses: refuse, landed: refuse },
});

/**
 * Returns the inputs of one stage: from `chain`, or from the bytes and the plan's own lookup tables. Rejects with
 * `ChainError` when the RPC is unavailable.
 */
export async function inputsOf(
  plan: Plan,
  stage: Stage,
  statuses: ReadonlyMap<string, StageStatus>,
  chain: Chain | undefined,
): Promise<DecisionInputs> {
  const operation = plan.operation === 'claim_all' ? 'holding_claim' : plan.operation;
  const judged: JudgedPlan = { ...plan, operation };
  const siblings = plan.stages.map((each) => ({ stage: each, status: statuses.get(each.id) ?? 'ready' }));
  const input = {
    plan: judged,
    stage,
    siblings,
    mode: plan.mode,
    time: plan.createdAt,
    ourWallets: [plan.wallet],
  };
  const inputs = await gatherInputs(chain ?? unknownChain(plan.network), { ...input, purpose: 'preview' });
  return chain === undefined ? { ...inputs, accounts: [] } : inputs;
}

const NONE_OFF: ReadonlySet<Address> = new Set();

/** Analyzes one stage. @throws TransactionError if a known table lacks an entry, or an account is loaded twice */
export function readOne(stage: Stage, inputs: DecisionInputs): ReadStage {
  const { wallet } = inputs.plan;
  const transaction = stage.transaction.read();
  const tables = new Map(plannedTables(inputs));
  for (const { table, addresses } of inputs.tables) tables.set(table, addresses);
  const places = standIns(transaction, tables);
  const given = { tables, off: NONE_OFF };
  const { actsIn, fee, loaded } = stage.transaction.resolve(given);
  const accounts = new Map(inputs.accounts.map((account) => [account.address, account]));
  const owners = [...new Set([wallet, transaction.staticAccounts[0] ?? wallet])];
  const derived = derivedAccounts(
    owners,
    loaded.map(({ address }) => address),
  );
  const readings = actsIn({
    tokenAccount: (account) => tokenAccountAt({ accounts }, account) ?? derived().get(account),
  });
  const calls = readings.filter(({ reading }) => reading.program !== COMPUTE_BUDGET_PROGRAM);
  const isFeeKnown = !(fee instanceof TransactionError);
  const context: StageContext = {
    ...{ inputs, wallet, given, loaded, accounts, readings: calls, acts: calls.flatMap(({ acts }) => acts) },
    accountReadings: new Map(),
    own: new OwnKeys([wallet, ...inputs.ourWallets]),
    feePayer: transaction.staticAccounts[0] ?? '',
    fee: isFeeKnown ? fee : { base: 0n, priority: 0n, total: 0n, computeUnitLimit: 0 },
  };
  const effects = effectsOf(context);
  const arrivals = new Map(effects?.in);
  // The network fee is a separate line.
  if (effects !== undefined && context.feePayer === wallet && isFeeKnown) {
    const net = (effects.in.get('SOL') ?? 0n) - (effects.out.get('SOL') ?? 0n) + fee.total;
    if (net > 0n) arrivals.set('SOL', net);
  }
  const stated = statedBy(context, arrivals, effects?.out ?? new Map(), []);
  const about = { stage, transaction, inputs, readings, stated, places };
  return isFeeKnown ? { ...about, feeLamports: fee.total } : about;
}

/** Returns the changes of a successful simulation to the wallet. */
function effectsOf({ inputs, own, readings }: StageContext): SimulatedEffects | undefined {
  const { simulation } = inputs;
  if (simulation.status !== 'done' || simulation.error !== null) return undefined;
  const isRead = readings.every(({ reading }) => reading.status === 'read');
  const unsupported = isRead ? undefined : { rent: (bytes: number) => rentOf(inputs, bytes) };
  return simulatedEffects(own, simulation.before, simulation.after, unsupported);
}

/** Fills each unknown table with 256 placeholder addresses. */
function standIns({ lookups }: DecodedTransaction, tables: Map<Address, readonly Address[]>) {
  const places = new Map<Address, string>();
  for (const [which, { table }] of lookups.entries()) {
    if (tables.has(table)) continue;
    const entries = Array.from({ length: 256 }, (_, entry) => {
      const address = addressFromBytes(Buffer.from(`unknown entry ${which} ${entry}`.padEnd(32)));
      places.set(address, `entry ${entry} of the lookup table ${table}`);
      return address;
    });
    tables.set(table, entries);
  }
  return places;
}

/** Returns associated token accounts of owners, computed on first use. Addresses that are not mints are harmless. */
function derivedAccounts(owners: readonly Address[], mints: readonly Address[]) {
  let found: Map<Address, TokenHolding> | undefined;
  return (): ReadonlyMap<Address, TokenHolding> => {
    if (found !== undefined) return found;
    found = new Map();
    for (const owner of owners)
      for (const mint of new Set([...mints, WSOL_MINT]))
        for (const program of TOKEN_PROGRAMS)
          found.set(associatedTokenAddress(owner, mint, program), { mint, owner });
    return found;
  };
}
