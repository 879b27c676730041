/**
 * The search for silent changes: changes of an honest stage, or of the chain under it, that the policy allows or the
 * honest approval covers, that succeed, and that change the result for the wallet or another party. Decisions use the
 * honest simulation, so that they rest on the bytes.
 */

import { compiledProgram, standInPrograms } from '../../../sandbox/programs/standIns.ts';
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { DAMM_V2_PROGRAM } from '../../../src/programs/dammV2/addresses.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { approvalOf } from '../../../src/statement/aggregate.ts';
import { covers } from '../../../src/statement/covers.ts';
import type { Approval, Run } from '../../../src/statement/types.ts';
import { stageFrom } from '../../../src/statement/view.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { requiredSigners } from '../../../src/transaction/signatures.ts';
import { OracleChain, type Trial } from '../../oracle/runtime.ts';
import { SCOPE } from '../../statement/chain.ts';
import {
  decide,
  policyAskingFor,
  policyFor,
  rewritten,
  SERVICE,
  STAGES,
  stage,
  stated,
  VENUE,
  WALLET,
} from '../recorded/stages.ts';
import {
  type Change,
  carried,
  chainChanges,
  factOf,
  messageChanges,
  type Scene,
  sceneOf,
} from './changes.ts';
import { harmless } from './harmless.ts';
import { after, differences, type State } from './outcome.ts';
import { layoutOf } from './places.ts';

/** An undetected change. */
export interface Silent {
  readonly stage: string;
  readonly what: string;
  readonly passed: 'allowed' | 'covered';
  readonly differences: readonly string[];
}

export interface Found {
  readonly counts: Record<string, number>;
  readonly silent: readonly Silent[];
}

/** A pool launch without a first purchase, so that no minimum amount stops the pool from charging more. */
const WITHOUT_BUY = 'direct launch without a buy';
/** The searched stages. */
export const SEARCHED: readonly string[] = [...STAGES, WITHOUT_BUY];

/** The inputs of a stage, with the service in the profile. */
function seenAt(name: string): DecisionInputs {
  if (name !== WITHOUT_BUY) return { ...stage(name), serviceAddresses: SERVICE };
  const seen = seenAt('direct launch');
  const { initialBuyQuoteRaw: _, ...request } = seen.plan.request;
  const inputs = rewritten({ ...seen, plan: { ...seen.plan, request } }, (list) =>
    list.filter((one, i) => i === 0 || (one.programAddress === DAMM_V2_PROGRAM && !isSwap(one))),
  );
  const { written } = chainOf(sceneOf(inputs), new Map()).tryBytes(bytesOf(inputs));
  const now = new Map(written.map((account) => [account.address, factOf(account)]));
  const { simulation } = inputs;
  if (simulation.status !== 'done') return inputs;
  return {
    ...inputs,
    simulation: { ...simulation, after: simulation.before.map((fact) => now.get(fact.address) ?? fact) },
  };
}
const isSwap = (one: EncodedInstruction) => layoutOf(one)?.kind === 'dammV2.swap2';

/** The run of one stage alone, as in its question. */
function runOf(inputs: DecisionInputs, name: string): Run | undefined {
  const { effect, statement, pin } = stated(inputs, policyAskingFor(name));
  if (effect !== 'require_approval' || statement === undefined) return undefined;
  const stages = [{ ...stageFrom(statement), state: 'this' as const, ...(pin === undefined ? {} : { pin }) }];
  return { scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [] };
}

/** Returns whether the claimers are stored by an unsupported program, which the embedded policy allows. */
const isHidden = (name: string) => name === 'custody launch' || name === 'curve launch v1';

/** The approval of an honest stage; `undefined` if it cannot be approved. */
function approved(inputs: DecisionInputs, name: string): Approval | undefined {
  const run = runOf(inputs, name);
  return run === undefined ? undefined : approvalOf(run, 1, []);
}

function passes(
  inputs: DecisionInputs,
  name: string,
  approval: Approval | undefined,
): Silent['passed'] | undefined {
  const { effect } = decide(inputs, policyFor(name));
  if (effect === 'deny') return undefined;
  if (effect === 'allow' && !isHidden(name)) return 'allowed';
  const run = approval === undefined ? undefined : runOf(inputs, name);
  return run !== undefined && approval !== undefined && covers(approval, run).covered ? 'covered' : undefined;
}

/** A chain with the programs and accounts of a stage. */
function chainOf({ seen, accounts, beside }: Scene, programs: ReadonlyMap<string, Uint8Array>): OracleChain {
  const chain = new OracleChain();
  for (const [address, code] of [...standInPrograms(), ...programs]) chain.deploy(address, code);
  chain.deploy(VENUE, compiledProgram('harmless'));
  chain.put([...accounts.values(), ...beside.values()]);
  chain.warpTo(BigInt(seen.slot), BigInt(Math.floor(seen.time / 1000)));
  return chain;
}

const SIGNATURE_LAMPORTS = 5_000n;
const signers = (inputs: DecisionInputs) => requiredSigners(readTransaction(bytesOf(inputs))).length;
const bytesOf = ({ stage: { transaction } }: DecisionInputs) => transaction.read().bytes;

/** Searches a `share` of the changes of a recorded stage, chosen by `pick`. */
export function search(
  name: string,
  programs: ReadonlyMap<string, Uint8Array> = new Map(),
  pick: (number: number) => boolean = () => true,
): Found {
  const scene = sceneOf(seenAt(name));
  const chain = chainOf(scene, programs);
  const before: State = new Map([...scene.accounts, ...scene.beside]);
  const honest = chain.tryBytes(bytesOf(scene.seen));
  if (honest.failed !== undefined) throw new Error(`${name}: ${honest.failed}`);
  const approval = approved(scene.seen, name);
  const counts: Record<string, number> = {};
  const add = (label: string) => {
    counts[label] = (counts[label] ?? 0) + 1;
  };
  const silent: Silent[] = [];
  let number = 0;
  for (const changes of [messageChanges, chainChanges]) {
    for (const change of changes(scene)) {
      number += 1;
      if (!pick(number)) continue;
      add('changes');
      const passed = passes(change.inputs, name, approval);
      if (passed === undefined) continue;
      add(passed);
      const fee = SIGNATURE_LAMPORTS * BigInt(signers(change.inputs) - signers(scene.seen));
      const found = harms(chain, before, honest, change, fee);
      if (typeof found === 'string') add(found);
      else if (found.length === 0) add('no difference');
      else {
        const open = found.filter((each) => harmless(name, change.what, each) === undefined);
        add(open.length === 0 ? 'harmless' : 'silent');
        if (open.length > 0) silent.push({ stage: name, what: change.what, passed, differences: open });
      }
    }
  }
  return { counts, silent };
}

function harms(
  chain: OracleChain,
  before: State,
  honest: Trial,
  { inputs, accounts, isTerm }: Change,
  fee: bigint,
): readonly string[] | 'fails' | 'malformed' {
  const old = accounts.flatMap(({ address }) => before.get(address) ?? []);
  chain.put(accounts);
  try {
    const { failed, written } = chain.tryBytes(bytesOf(inputs));
    if (failed !== undefined) return 'fails';
    const changed = new Map([...before, ...accounts.map((account) => [account.address, account] as const)]);
    const end = new Map(after(changed, written));
    for (const { address, data } of isTerm ? [] : accounts) {
      const [was, is] = [before.get(address), end.get(address)];
      if (was !== undefined && is !== undefined)
        end.set(address, { ...is, data: carried(data, was.data, is.data) });
    }
    const amounts = accounts.length === 0;
    return differences(WALLET, before, after(before, honest.written), end, {
      amounts,
      fee,
      terms: isTerm ? accounts.map(({ address }) => address) : [],
      named: Object.values(inputs.plan.request).filter((each) => typeof each === 'string'),
    });
  } catch (error) {
    // No program writes such an account.
    if (error instanceof RangeError && accounts.length > 0) return 'malformed';
    throw error;
  } finally {
    chain.put(old);
  }
}
