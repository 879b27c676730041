/**
 * The recorded stages (record.ts), and changes of their bytes by instruction or operand, signed again with the recorded
 * sandbox's keys, so that the change is the only fault.
 */

import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import { DecodedStage } from '../../../src/plan/decodedStage.ts';
import { inputsOfJson } from '../../../src/policy/decide/decisionInputs.ts';
import { evaluate, decide as withStatement } from '../../../src/policy/decide/evaluate.ts';
import { VENUES } from '../../../src/policy/decide/operations/venues.ts';
import type {
  Decision,
  DecisionInputs,
  DecisionInputsJson,
  LedgerView,
} from '../../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../../src/policy/file/file.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { embeddedPolicy, SANDBOX_PROGRAMS } from '../../../src/review/templates/embedded.ts';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { resolveInstructions } from '../../../src/transaction/accounts.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../../src/transaction/programs.ts';
import { encodeTransaction, readTransaction } from '../../../src/transaction/read.ts';
import { requiredSigners } from '../../../src/transaction/signatures.ts';
import type { DecodedTransaction } from '../../../src/transaction/types.ts';
import { decodeInstruction, type Instruction } from '../../programs/stock.ts';
import { keyNamed, load, NOTHING_USED, unsupportedProgram } from '../people.ts';

interface Recording {
  readonly seed: string;
  readonly wallet: string;
  readonly network: string;
  readonly venue: string;
  readonly signers: Readonly<Record<string, string>>;
  readonly stages: Readonly<Record<string, DecisionInputsJson>>;
}

const packed = readFileSync('test/policy/recorded/stages.json.br');
const recording: Recording = JSON.parse(brotliDecompressSync(packed).toString());
const ring = createKeyring(recording.seed);

/** The wallet of the policy, and the unsupported program of one recorded plan. */
export const WALLET = recording.wallet;
export const VENUE = recording.venue;
/** The service's addresses in a profile. */
export const SERVICE: DecisionInputs['serviceAddresses'] = [
  { label: 'treasury', address: ring.get('treasury').address },
  { label: 'launchAuthority', address: ring.get('launch authority').address },
];
export const ATTACKER = keyNamed('attacker').address;
export const STAGES: readonly string[] = Object.keys(recording.stages);

const inputs = new Map<string, DecisionInputs>();

/** Returns the inputs of a recorded stage. */
export function stage(name: string): DecisionInputs {
  const known = inputs.get(name);
  if (known !== undefined) return known;
  const recorded = recording.stages[name];
  if (recorded === undefined) throw new Error(`no stage is called ${name}: ${STAGES.join()}`);
  const read: DecisionInputs = inputsOfJson(recorded);
  inputs.set(name, read);
  return read;
}

/** Copies the inputs deeply. */
export const copyOf = (seen: DecisionInputs): DecisionInputs =>
  inputsOfJson(JSON.parse(JSON.stringify(seen)));

/** The sandbox template with changes. */
export function policyWith(change: (file: PolicyFile) => Partial<PolicyFile> = () => ({})): LoadedPolicy {
  const file = policyTemplate('sandbox', { wallet: recording.wallet, network: recording.network });
  return load({ ...file, ...change(file) });
}

/** The embedded sandbox's policy with changes: the service's own programs are listed and never asked about. */
export function embeddedWith(change: (file: PolicyFile) => Partial<PolicyFile> = () => ({})): LoadedPolicy {
  const { wallet, network } = recording;
  const file = embeddedPolicy({ wallet, network });
  return load({ ...file, ...change(file) });
}

/** Adds the embedded service's own unsupported programs. */
export const withService = (file: PolicyFile): Pick<PolicyFile, 'programs'> => ({
  programs: [
    ...file.programs,
    ...SANDBOX_PROGRAMS.map((entry) => ({ ...entry, binding: 'effects' as const })),
  ],
});
/** Adds the recorded unsupported program as well, judged by its effects. */
export const withVenue = (file: PolicyFile): Pick<PolicyFile, 'programs'> => ({
  programs: [...withService(file).programs, unsupportedProgram(VENUE, { label: 'venue' })],
});

const friends = { addressBook: [{ label: 'friend', address: keyNamed('friend').address }] };
/** Stages whose claimers are stored by an unsupported program of the embedded service. */
const HIDDEN = ['custody launch', 'curve launch v1'];

const TAXED = 'swap for a taxed token';

/** The policies that allow the recorded stages, with changed rules: payments only to the address book. */
function policies(change: (file: PolicyFile) => Partial<PolicyFile>): (name: string) => LoadedPolicy {
  const usual = policyWith((file) => ({ ...withService(file), ...change(file) }));
  const paying = policyWith((file) => ({ ...friends, ...change(file) }));
  const unsupported = policyWith((file) => ({ ...withVenue(file), ...change(file) }));
  const embedded = embeddedWith(change);
  // The issuer of the taxed token holds powers, about which a listed mint does not ask.
  const quote = Object(stage(TAXED).quote?.quote);
  const listed = policyWith((file) => ({
    ...withService(file),
    tokens: { ...file.tokens, mints: ['SOL', String(quote.inputMint), String(quote.outputMint)] },
    ...change(file),
  }));
  return (name) => {
    if (name === TAXED) return listed;
    if (name.startsWith('payment')) return paying;
    if (HIDDEN.includes(name)) return embedded;
    return name.includes('with an unsupported program') ? unsupported : usual;
  };
}

/** The policy that allows a recorded stage. */
export const policyFor = policies(() => ({}));
/** The same policy with rules that always ask. */
export const policyAskingFor = policies(({ rules }) => ({
  rules: rules.map((rule) => ({ ...rule, effect: 'require_approval', why: 'a test' })),
}));
const usual = policyFor('');

export const decide = (
  seen: DecisionInputs,
  policy: LoadedPolicy = usual,
  view: LedgerView = NOTHING_USED,
): Decision => evaluate(seen, policy, view);
/** Decides under the sandbox template with changes. */
export const decideUnder = (
  seen: DecisionInputs,
  change: (file: PolicyFile) => Partial<PolicyFile>,
  view?: LedgerView,
): Decision => decide(seen, policyWith(change), view);
/** The same with the statement of the stage. */
export const stated = (seen: DecisionInputs, policy: LoadedPolicy = usual): Decision =>
  withStatement(seen, policy, NOTHING_USED);

/** The instructions of a stage without those of the Compute Budget program. */
export function instructionsOf(seen: DecisionInputs): Instruction[] {
  const read = seen.stage.transaction.read();
  return resolveInstructions(read, seen.tables)
    .filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM)
    .map(decodeInstruction);
}

/** The encoded form of an instruction of any kind. */
export function encoded(instruction: Instruction): EncodedInstruction {
  if (instruction.kind === 'unknown') {
    const { program, accounts, data } = instruction;
    return { programAddress: program, accounts, data };
  }
  const { kind, program, accounts, rest, args } = instruction;
  // An instruction decoded as a kind has the accounts and arguments of that kind.
  return encodeInstruction(kind, { program, accounts, rest, args } as never);
}

/** Other changes of a stage's bytes. */
export interface MessageParts {
  readonly feePayer?: string;
  readonly blockhash?: string;
  readonly format?: DecodedTransaction['format'];
  /** Before all other instructions. */
  readonly first?: readonly EncodedInstruction[];
  /** Instead of the Compute Budget instructions. */
  readonly budget?: readonly EncodedInstruction[];
  readonly config?: DecodedTransaction['config'];
}

/** The stage with other instructions, matching false declarations, and signatures of every key but ours. */
export function rewritten(
  seen: DecisionInputs,
  change: (list: readonly EncodedInstruction[]) => readonly EncodedInstruction[],
  parts: MessageParts = {},
): DecisionInputs {
  const was = seen.stage.transaction.read();
  const all = resolveInstructions(was, seen.tables);
  const raw = ({ program, accounts, data }: (typeof all)[number]): EncodedInstruction => ({
    programAddress: program,
    accounts,
    data,
  });
  const budget = all.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM).map(raw);
  const rest = all.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM).map(raw);
  const list = [...(parts.first ?? []), ...(parts.budget ?? budget), ...change(rest)];
  const message = compile(was, list, seen, parts);
  const unsigned = readTransaction(encodeTransaction(message));
  const signatures = requiredSigners(unsigned).map(
    (address) => keyOf(address)?.sign(unsigned.message) ?? null,
  );
  const bytes = encodeTransaction({ ...message, signatures });
  const { declared } = seen.stage;
  return {
    ...seen,
    stage: {
      ...seen.stage,
      transaction: DecodedStage.ofBytes(bytes),
      declared: {
        ...declared,
        ...(declared.messageSha256 === undefined ? {} : { messageSha256: unsigned.messageSha256 }),
        ...(declared.requiredSigners === undefined ? {} : { requiredSigners: requiredSigners(unsigned) }),
      },
    },
  };
}

/** The stage without its trade: other supported instructions and the unsupported ones. */
export const withoutTrade = (seen: DecisionInputs): DecisionInputs =>
  rewritten(seen, (list) => list.filter(({ programAddress }) => !VENUES.has(programAddress)));

/** The stage after the wallet signed it. */
export function signedByUs(seen: DecisionInputs): DecisionInputs {
  const read = seen.stage.transaction.read();
  const slot = requiredSigners(read).indexOf(WALLET);
  const signatures = read.signatures.with(slot, ring.get('wallet').sign(read.message));
  const transaction = Buffer.from(encodeTransaction({ ...read, signatures })).toString('base64');
  return { ...seen, stage: { ...seen.stage, transaction: new DecodedStage(transaction) } };
}

/** Every key but the wallet's: those of the recorded service and of the attackers. */
function keyOf(address: string): Keypair | undefined {
  if (address === WALLET) return undefined;
  const label = recording.signers[address];
  if (label !== undefined) return ring.get(label);
  return ['attacker', 'accomplice', 'second wallet'].map(keyNamed).find((key) => key.address === address);
}

/** Compiles a message: fee payer and signers first, table entries by index. */
function compile(
  was: DecodedTransaction,
  list: readonly EncodedInstruction[],
  seen: DecisionInputs,
  parts: MessageParts,
): DecodedTransaction {
  const payer = parts.feePayer ?? was.staticAccounts[0] ?? '';
  const uses = new Map([[payer, { signer: true, writable: true, called: false }]]);
  const use = (address: string, signer: boolean, writable: boolean, called: boolean) => {
    const before = uses.get(address) ?? { signer: false, writable: false, called: false };
    uses.set(address, {
      signer: before.signer || signer,
      writable: before.writable || writable,
      called: before.called || called,
    });
  };
  for (const { programAddress, accounts } of list) {
    for (const { address, signer, writable } of accounts) use(address, signer, writable, false);
    use(programAddress, false, false, true);
  }
  const used = was.lookups.map(({ table }) => table);
  const tables = seen.tables.filter(({ table }) => used.includes(table));
  const held = (address: string) =>
    uses.get(address)?.signer || uses.get(address)?.called
      ? undefined
      : tables.find(({ addresses }) => addresses.includes(address));
  const rank = (address: string) => {
    const { signer, writable } = uses.get(address) ?? { signer: false, writable: false };
    return (address === payer ? 0 : signer ? 1 : 3) + (writable ? 0 : 1) - (address === payer ? 1 : 0);
  };
  const all = [...uses.keys()];
  const staticAccounts = all
    .filter((address) => held(address) === undefined)
    .sort((a, b) => rank(a) - rank(b));
  const lookups = tables.map(({ table, addresses }) => {
    const mine = all.filter((address) => held(address)?.table === table);
    const indexes = (writable: boolean) =>
      mine
        .filter((address) => uses.get(address)?.writable === writable)
        .map((each) => addresses.indexOf(each));
    return { table, writableIndexes: indexes(true), readonlyIndexes: indexes(false) };
  });
  const loaded = (writable: boolean) =>
    lookups.flatMap(({ table, writableIndexes, readonlyIndexes }) =>
      (writable ? writableIndexes : readonlyIndexes).map(
        (at) => tables.find((each) => each.table === table)?.addresses[at] ?? '',
      ),
    );
  const order = [...staticAccounts, ...loaded(true), ...loaded(false)];
  const count = (signer: boolean, writable: boolean) =>
    staticAccounts.filter(
      (each) => uses.get(each)?.signer === signer && uses.get(each)?.writable === writable,
    ).length;
  const signers = count(true, true) + count(true, false);
  return {
    ...was,
    format: parts.format ?? was.format,
    ...(parts.config === undefined ? {} : { config: parts.config }),
    blockhash: parts.blockhash ?? was.blockhash,
    signatures: Array.from({ length: signers }, () => null),
    numRequiredSignatures: signers,
    numReadonlySigned: count(true, false),
    numReadonlyUnsigned: count(false, false),
    staticAccounts,
    lookups: lookups.filter((each) => each.writableIndexes.length + each.readonlyIndexes.length > 0),
    instructions: list.map(({ programAddress, accounts, data }) => ({
      programIndex: order.indexOf(programAddress),
      accountIndexes: accounts.map(({ address }) => order.indexOf(address)),
      data,
    })),
  };
}
