/**
 * Maximum additional outflow in the simulation of a recorded stage before it is refused: SOL and tokens of the wallet,
 * SOL of other accounts. `node scripts/run.mjs test/policy/recorded/margins.ts` updates approved/margins.txt.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Decision, DecisionInputs } from '../../../src/policy/decide/types.ts';
import type { AccountFact } from '../../../src/rpc/types.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { isTokenAccount, withBytes } from './around.ts';
import { decide, policyFor, STAGES, stage, WALLET } from './stages.ts';

/** Offsets of owner and amount in a token account. */
const [OWNER, AMOUNT] = [32, 64];

/** Additional lamports or tokens that leave an account of the wallet in the simulation, or reach another's. */
export interface Margin {
  readonly what: string;
  /** The whole balance. */
  readonly all: bigint;
  readonly inputs: (more: bigint) => DecisionInputs;
}

/** Possible additional outflows in a simulation: SOL and tokens of the wallet, lamports of accounts of others. */
export function marginsOf(seen: DecisionInputs): Margin[] {
  const { simulation } = seen;
  if (simulation.status !== 'done') return [];
  const changed = (change: (account: AccountFact) => AccountFact): DecisionInputs => ({
    ...seen,
    simulation: { ...simulation, after: simulation.after.map(change) },
  });
  const plusLamports = (account: AccountFact, more: bigint): AccountFact => ({
    ...account,
    lamports: `${BigInt(account.lamports) + more}`,
  });
  const wallet = simulation.after.find(({ address }) => address === WALLET);
  const lamports = BigInt(wallet?.lamports ?? '0');
  const amountOf = ({ data }: AccountFact) => Buffer.from(data, 'base64').readBigUInt64LE(AMOUNT);
  const isOurs = ({ data }: AccountFact) =>
    Buffer.from(data, 'base64')
      .subarray(OWNER, OWNER + 32)
      .equals(addressBytes(WALLET));
  return simulation.after.flatMap((account): Margin[] => {
    if (!account.exists) return [];
    if (account.address === WALLET)
      return [
        {
          what: 'SOL of the wallet',
          all: lamports,
          inputs: (more) => changed((each) => (each.address === WALLET ? plusLamports(each, -more) : each)),
        },
      ];
    if (isTokenAccount(account) && isOurs(account) && amountOf(account) > 0n) {
      const left = (more: bigint) => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(amountOf(account) - more);
        return withBytes(account, AMOUNT, bytes);
      };
      return [
        {
          what: `tokens in ${account.address}`,
          all: amountOf(account),
          inputs: (more) => changed((each) => (each === account ? left(more) : each)),
        },
      ];
    }
    return [
      {
        what: `SOL of the wallet for ${account.address}`,
        all: lamports,
        inputs: (more) =>
          changed((each) => {
            if (each === account) return plusLamports(each, more);
            return each.address === WALLET ? plusLamports(each, -more) : each;
          }),
      },
    ];
  });
}

/** The maximum additional outflow, and the reasons against one unit more; no reasons if the whole balance may leave. */
export interface Most {
  readonly most: string;
  readonly reasons: readonly string[];
}

export const decided = (name: string, { inputs }: Margin, more: bigint): Decision =>
  decide(inputs(more), policyFor(name));

const isRefused = (name: string, margin: Margin, more: bigint): boolean =>
  decided(name, margin, more).effect === 'deny';

/** Finds the maximum by bisection. Returns `undefined` if nothing more may leave and nothing did. */
function mostOf(name: string, margin: Margin): Most {
  let [low, high] = [0n, margin.all];
  if (!isRefused(name, margin, high)) return { most: `${high}`, reasons: [] };
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isRefused(name, margin, middle)) high = middle;
    else low = middle;
  }
  return { most: `${low}`, reasons: decided(name, margin, high).reasonCodes };
}

const FILE = 'test/policy/recorded/approved/margins.txt';

/** The approved margins of a stage by name: one line for all margins with the same amount and reasons. */
export function approvedMargins(stageName: string): Map<string, Most> {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [name, most = '', reasons = '', whats = ''] = line.split(': ');
      if (name !== stageName) return [];
      const margin = { most, reasons: reasons.split(' ').filter(Boolean) };
      return whats.split('; ').map((label): [string, Most] => [label, margin]);
    }),
  );
}

/** Formats the margins of every simulated stage. */
function allMargins(): string {
  const lines = STAGES.flatMap((name) => {
    const alike = new Map<string, string[]>();
    for (const margin of marginsOf(stage(name))) {
      const { most, reasons } = mostOf(name, margin);
      const key = `${name}: ${most}: ${reasons.join(' ')}`;
      alike.set(key, [...(alike.get(key) ?? []), margin.what]);
    }
    return [...alike].map(([key, whats]) => `${key}: ${whats.join('; ')}\n`);
  });
  return lines.join('');
}

if (process.argv[1] === 'test/policy/recorded/margins.ts') writeFileSync(FILE, allMargins());
