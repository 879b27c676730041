/** Plays a scenario on a chain with chosen programs and records the visible accounts after each step. */

import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { Keypair } from '../../sandbox/keypair.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import type { Address } from '../../src/transaction/types.ts';
import { Scene } from '../sandbox/programs/scene.ts';

/** Result of a step, and every watched account by name. */
export interface Seen {
  readonly step: string;
  readonly err: string;
  readonly accounts: Readonly<Record<string, string>>;
}

export interface Player {
  readonly scene: Scene;
  /** Lands instructions as a step of the scenario; it may fail. */
  step(name: string, signers: readonly Keypair[], ...instructions: readonly EncodedInstruction[]): void;
  /** Watches an account from now on. */
  watch(name: string, address: Address): void;
}

interface About {
  readonly name: string;
  /** Programs under test; a folder without any of them changes nothing. */
  readonly programs: readonly Address[];
}

/** Scenario of instructions, or of requests to the whole service on a chain with these programs. */
export type Scenario = About &
  (
    | { play(player: Player): void }
    | { ask(programs: ReadonlyMap<Address, Uint8Array>): Promise<readonly Seen[]> }
  );

/** Plays a scenario with these programs. Returns the results step by step. */
export async function play(
  scenario: Scenario,
  programs: ReadonlyMap<Address, Uint8Array>,
): Promise<readonly Seen[]> {
  if ('ask' in scenario) return scenario.ask(programs);
  const scene = await Scene.start(programs);
  const watched = new Map<string, Address>();
  const seen: Seen[] = [];
  scenario.play({
    scene,
    watch: (name, address) => watched.set(name, address),
    step: (step, signers, ...instructions) => {
      const { err } = scene.land(signers, ...instructions);
      const accounts = Object.fromEntries([...watched].map(([name, at]) => [name, shown(scene.chain, at)]));
      seen.push({ step, err: JSON.stringify(err), accounts });
    },
  });
  return seen;
}

/** Returns owner, lamports and data of an account as text. */
export function shown(chain: Pick<SandboxChain, 'getAccount'>, address: Address): string {
  const account = chain.getAccount(address);
  if (account === null) return 'not there';
  return `${account.owner} ${account.lamports} ${Buffer.from(account.data).toString('hex')}`;
}

/** Returns the differences between two plays of one scenario, as text. */
export function differences(ours: readonly Seen[], theirs: readonly Seen[]): string[] {
  return ours.flatMap((mine, i) => {
    const other = theirs[i];
    if (other === undefined) return [`${mine.step}: was not played`];
    if (mine.err !== other.err)
      return [`${mine.step}: ends with ${mine.err}, the original with ${other.err}`];
    return Object.entries(mine.accounts)
      .filter(([name, account]) => account !== other.accounts[name])
      .map(([name, account]) => `${mine.step}: ${name} ${difference(account, other.accounts[name] ?? '')}`);
  });
}

function difference(ours: string, theirs: string): string {
  const [owner, lamports, data = ''] = ours.split(' ');
  const [otherOwner, otherLamports, otherData = ''] = theirs.split(' ');
  if (owner !== otherOwner) return `belongs to ${owner}, with the original to ${otherOwner}`;
  if (lamports !== otherLamports) return `has ${lamports} lamports, with the original ${otherLamports}`;
  if (data.length !== otherData.length)
    return `has ${data.length / 2} bytes, with the original ${otherData.length / 2}`;
  const at = [...data].findIndex((digit, i) => digit !== otherData[i]) >> 1;
  return `differs from byte ${at} on`;
}
