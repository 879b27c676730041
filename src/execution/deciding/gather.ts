/**
 * Gathers the inputs of a decision from our own RPC: the tables and accounts of the exact bytes, the validity of
 * their blockhash, and a simulation. The inputs are immutable between deciding and recording.
 */

import { STOCK_PROGRAMS } from '../../policy/decide/checks/deniedPrograms.ts';
import { plannedTables } from '../../policy/decide/checks/tables.ts';
import { sealInputs } from '../../policy/decide/decisionInputs.ts';
import type { GuardStage } from '../../policy/decide/statement/guards.ts';
import type { DecisionInputs } from '../../policy/decide/types.ts';
import { feeShareConfigAddress } from '../../programs/feeShare/addresses.ts';
import { NEVER_DEACTIVATED, readLookupTable } from '../../programs/solana/lookupTable.ts';
import { tokenAccountOf } from '../../programs/token/accounts.ts';
import { metadataAddress } from '../../programs/tokenMetadata/addresses.ts';
import { ChainError } from '../../rpc/errors.ts';
import {
  ACCOUNTS_PER_CALL,
  type AccountFact,
  type AtSlot,
  type Chain,
  type LookupTableFact,
  type SimulationFact,
} from '../../rpc/types.ts';
import { accountList } from '../../transaction/accounts.ts';
import { isAddress } from '../../transaction/base58.ts';
import { LOOKUP_TABLE_PROGRAM, WSOL_MINT } from '../../transaction/programs.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';
import { type ExecutionDeps, type GatherInput, LIVE_TIMING } from '../ports.ts';
import { isLanded } from '../status.ts';
import { readAccounts, simulationWithoutCode, withoutCode } from './accounts.ts';
import { type Curves, pricingAccounts } from './pools.ts';
import { type Programs, readPrograms } from './programs.ts';
import { agrees, sha256Base64 } from './secondRpc.ts';

export interface GatherOptions {
  /** A second RPC that must see the same tables and blockhash where the policy asks for it (T55). */
  readonly secondChain?: Chain;
  /** Labelled addresses of the service profile. Being listed permits nothing. */
  readonly serviceAddresses?: DecisionInputs['serviceAddresses'];
  /** The RPC runs on this machine, by the address the server was started with. */
  readonly localRpc?: boolean;
  /** Cache of curves by mint. Safe to keep: a mint is created together with its curve or never gets one. */
  readonly curves?: Curves;
}

/** Creates the `gather` function of `ExecutionDeps` for one chain. */
export function createGather({ chain, ...options }: GatherOptions & { readonly chain: Chain }) {
  const curves: Curves = new Map();
  return (input: GatherInput): Promise<DecisionInputs> => gatherInputs(chain, input, { curves, ...options });
}

/** Returns the inputs of one decision. Rejects with `ChainError` when the RPC is unavailable. */
export async function gatherInputs(
  chain: Chain,
  input: GatherInput,
  { secondChain, serviceAddresses = [], localRpc = false, curves = new Map() }: GatherOptions = {},
): Promise<DecisionInputs> {
  const transaction = input.stage.transaction.decoded;
  const [network, rent, pools, tables] = await Promise.all([
    chain.genesisHash(input.purpose === 'sign' ? 'now' : undefined),
    chain.rent(),
    pricingAccounts(chain, input, curves),
    transaction === undefined ? [] : readTables(chain, input, transaction),
  ]);
  const accounts = transaction && resolved(transaction, tables);
  const named = addressesOf(input, transaction, accounts);
  const wanted = [...new Set([...named, ...pools])];
  const stock = wanted.filter((address) => STOCK_PROGRAMS.has(address));
  const deployed =
    transaction === undefined
      ? Promise.resolve<Programs>({ facts: [], accounts: [] })
      : readPrograms(chain, transaction, accounts, stock);
  const reading = readAccounts(
    chain,
    wanted.filter((address) => !STOCK_PROGRAMS.has(address)),
  );
  const [{ slot, value }, alive, simulation, programs, secondRpc] = await Promise.all([
    reading,
    transaction === undefined ? undefined : isAlive(chain, transaction.blockhash),
    simulate(chain, input, transaction, accounts, tables, reading),
    deployed,
    secondChain && transaction
      ? agrees(secondChain, { network: input.plan.network, transaction, accounts, tables, deployed, reading })
      : undefined,
  ]);
  const read = new Map([...value, ...programs.accounts].map((account) => [account.address, account]));
  const { plan, stage, siblings, earlierSetups, earlierStages, purpose, mode, time, ourWallets, quote } =
    input;
  return sealInputs({
    time,
    mode,
    purpose,
    network,
    plan: {
      planId: plan.planId,
      operation: plan.operation,
      intentKey: plan.intentKey,
      network: plan.network,
      mode: plan.mode,
      wallet: plan.wallet,
      endpoint: plan.request.endpoint,
      request: plan.request.fields,
      answer: plan.answer,
    },
    stage,
    siblings,
    ...(earlierSetups === undefined ? {} : { earlierSetups }),
    ...(earlierStages === undefined ? {} : { earlierStages }),
    ...(localRpc ? { localRpc } : {}),
    ourWallets,
    blockhashValid: alive?.value ?? null,
    ...(alive === undefined ? {} : { blockhashSlot: alive.slot }),
    slot,
    tables,
    accounts: [...new Set([...wanted, ...read.keys()])]
      .flatMap((address) => read.get(address) ?? [])
      .filter(({ address, exists }) => exists || !pools.includes(address) || named.includes(address))
      .map(withoutCode),
    simulation: simulationWithoutCode(simulation),
    ...(programs.facts.length === 0 ? {} : { programs: programs.facts }),
    ...(quote === undefined ? {} : { quote }),
    ...(input.held === undefined ? {} : { held: input.held }),
    ...(input.named === undefined ? {} : { named: input.named }),
    ...(input.asked === undefined ? {} : { asked: input.asked }),
    ...(input.rehearsal === undefined ? {} : { rehearsal: input.rehearsal }),
    serviceAddresses,
    rent: { lamportsPerByteYearTimesExemption: `${rent.perByte}`, overheadBytes: rent.overheadBytes },
    ...(secondRpc === undefined ? {} : { secondRpc: { agrees: secondRpc } }),
  });
}

/**
 * Returns the lookup tables of a message and of the plan's other stages, from the chain or as the plan's own setup
 * will create them. The other stages' tables are needed to judge the plan as a whole.
 */
async function readTables(
  chain: Chain,
  input: GatherInput,
  transaction: DecodedTransaction,
): Promise<LookupTableFact[]> {
  const stages = [...input.siblings.map(({ stage }) => stage.transaction), ...(input.earlierStages ?? [])];
  const others = stages.flatMap(({ decoded }) => decoded?.lookups ?? []);
  const wanted = [...new Set([...transaction.lookups, ...others].map(({ table }) => table))];
  if (wanted.length === 0) return [];
  const { slot, value } = await chain.accounts(wanted, 'confirmed');
  const planned = plannedTables(input);
  return value.flatMap((account): LookupTableFact[] => {
    const table = tableFact(account, slot);
    if (table !== undefined) return [table];
    const addresses = planned.get(account.address);
    if (account.exists || addresses === undefined) return [];
    const dataSha256 = sha256Base64('');
    return [{ table: account.address, addresses, dataSha256, slot, lastExtendedSlot: slot, source: 'setup' }];
  });
}

/** Returns an account as a pinned lookup table; `undefined` for any other account. */
export function tableFact(account: AccountFact, slot: number): LookupTableFact | undefined {
  if (!account.exists || account.owner !== LOOKUP_TABLE_PROGRAM) return undefined;
  try {
    const state = readLookupTable(Buffer.from(account.data, 'base64'));
    return {
      table: account.address,
      addresses: state.addresses,
      dataSha256: sha256Base64(account.data),
      slot,
      lastExtendedSlot: Number(state.lastExtendedSlot),
      ...(state.deactivationSlot === NEVER_DEACTIVATED
        ? {}
        : { deactivationSlot: `${state.deactivationSlot}` }),
      source: 'chain',
    };
  } catch {
    return undefined;
  }
}

function resolved(
  transaction: DecodedTransaction,
  tables: readonly LookupTableFact[],
): readonly AccountUse[] | undefined {
  try {
    return accountList(transaction, tables);
  } catch {
    return undefined;
  }
}

const MEMO_ADDRESS = /feeShareConfig=([1-9A-HJ-NP-Za-km-z]{32,44})/;
/** Fields of requests, answers and quotes that name accounts a decision may read. */
const NAMED = ['to', 'feeShareConfig', 'quoteMint', 'inputMint', 'outputMint'] as const;

/** Returns every account a decision may read: those of the message and those named by the request. */
function addressesOf(
  input: GatherInput,
  transaction: DecodedTransaction | undefined,
  accounts: readonly AccountUse[] | undefined,
): Address[] {
  const { plan, quote } = input;
  const found = new Set<Address>([plan.wallet]);
  const programs = new Set(
    transaction?.instructions.map(({ programIndex }) => transaction.staticAccounts[programIndex]) ?? [],
  );
  for (const { address } of accounts ?? []) if (!programs.has(address)) found.add(address);
  for (const fields of [plan.request.fields, plan.answer, quote?.quote ?? {}]) {
    for (const name of NAMED) {
      const value = fields[name];
      if (typeof value === 'string' && isAddress(value)) found.add(value);
    }
  }
  for (const address of feeShareOf(plan.request.fields)) found.add(address);
  for (const address of namesOf(plan.request.fields, quote?.quote ?? {})) found.add(address);
  for (const { data } of transaction?.instructions ?? []) {
    const named = MEMO_ADDRESS.exec(Buffer.from(data).toString('latin1'))?.[1];
    if (named !== undefined && isAddress(named)) found.add(named);
  }
  return [...found];
}

/** Returns the fee share config of the requested token, and the config of its curve if the request names it. */
function feeShareOf({
  baseMint,
  tokenMint,
  quoteMint,
  configKey,
}: Readonly<Record<string, unknown>>): Address[] {
  const base = [baseMint, tokenMint].find((each) => typeof each === 'string' && isAddress(each));
  const quote = typeof quoteMint === 'string' && isAddress(quoteMint) ? quoteMint : WSOL_MINT;
  return [
    ...(typeof base === 'string' ? [feeShareConfigAddress(base, quote)] : []),
    ...(typeof configKey === 'string' && isAddress(configKey) ? [configKey] : []),
  ];
}

/**
 * Returns the metadata addresses of the tokens named by a request or quote, so that a question can show their names.
 */
function namesOf(...all: readonly Readonly<Record<string, unknown>>[]): Address[] {
  const mints = all.flatMap(({ baseMint, tokenMint, inputMint, outputMint }) => [
    baseMint,
    tokenMint,
    inputMint,
    outputMint,
  ]);
  return mints.flatMap((mint) =>
    typeof mint === 'string' && isAddress(mint) && mint !== WSOL_MINT ? [mint, metadataAddress(mint)] : [],
  );
}

/** Returns whether our RPC considers the blockhash valid; `undefined` when it is unavailable. */
async function isAlive(chain: Chain, blockhash: string): Promise<AtSlot<boolean> | undefined> {
  try {
    return await chain.isBlockhashValid(blockhash, 'confirmed');
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/**
 * Returns inputs for the stage with guards, which access no further accounts, or inputs that record that the guards
 * do not fit.
 */
export async function gatherGuarded(
  { chain, secondChain, clock, timing }: ExecutionDeps,
  inputs: DecisionInputs,
  guard: GuardStage,
): Promise<DecisionInputs> {
  const seen =
    secondChain &&
    (await openings(secondChain, inputs, () => clock.sleep(timing?.pollMs ?? LIVE_TIMING.pollMs)));
  const { transaction, count } = guard(seen);
  const guards = { count, ...(seen === undefined ? {} : { second: seen }) };
  if (count === 0) return sealInputs({ ...inputs, guards });
  const stage = { ...inputs.stage, transaction };
  const read = transaction.decoded;
  const accounts = read && resolved(read, inputs.tables);
  const reading = Promise.resolve({ slot: inputs.slot, value: inputs.accounts });
  const simulation = await simulate(chain, { ...inputs, stage }, read, accounts, inputs.tables, reading);
  return sealInputs({ ...inputs, stage, simulation: simulationWithoutCode(simulation), guards });
}

/**
 * Returns the wallet and its token accounts as a second RPC shows them; `undefined` if it is unavailable or lags
 * behind ours, since stale balances would make guards fail.
 */
async function openings(
  second: Chain,
  inputs: DecisionInputs,
  pause: () => Promise<void>,
): Promise<AccountFact[] | undefined> {
  const { wallet } = inputs.plan;
  const wanted = inputs.accounts.map(({ address }) => address);
  for (let looks = 1; looks <= MAX_LOOKS; looks++) {
    const seen = await second.accounts(wanted, 'confirmed').catch(() => undefined);
    if (seen === undefined) return undefined;
    if (seen.slot >= inputs.slot)
      return seen.value.filter((each) => each.address === wallet || tokenAccountOf(each)?.owner === wallet);
    await pause();
  }
  return undefined;
}

/** Maximum reads of a second RPC that lags. */
const MAX_LOOKS = 5;

/** Simulates the exact bytes, unless they depend on a stage that has not landed. */
async function simulate(
  chain: Chain,
  {
    plan,
    stage,
    siblings,
  }: Pick<GatherInput, 'stage' | 'siblings'> & { readonly plan: { readonly wallet: Address } },
  transaction: DecodedTransaction | undefined,
  accounts: readonly AccountUse[] | undefined,
  tables: readonly LookupTableFact[],
  reading: Promise<AtSlot<readonly AccountFact[]>>,
): Promise<SimulationFact> {
  if (transaction === undefined) return { status: 'unavailable', reason: 'the bytes cannot be read' };
  const landed = siblings.filter(({ status }) => isLanded(status)).map((sibling) => sibling.stage.id);
  const waits = stage.dependsOn.some((id) => !landed.includes(id));
  const used = tables.filter(({ table }) => transaction.lookups.some((lookup) => lookup.table === table));
  if (waits || used.some((table) => table.source === 'setup')) return { status: 'not_yet' };
  if (accounts === undefined) return { status: 'unavailable', reason: 'an account is not known' };
  // Only writable accounts can change.
  const watch = accounts.filter(({ address, writable }) => writable || address === plan.wallet);
  const { slot, value } = await reading;
  const before = watch.flatMap(({ address }) => value.find((account) => account.address === address) ?? []);
  // More than one call can return different slots.
  const isOneView = before.length === watch.length && value.length <= ACCOUNTS_PER_CALL;
  return chain.simulate(
    transaction.bytes,
    watch.map(({ address }) => address),
    'confirmed',
    isOneView ? { slot, value: before } : undefined,
  );
}
