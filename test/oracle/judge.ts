/**
 * Comparison of two inventories. The keys are worse off if any line shrank, any stranger gained a right beside them, or
 * any account state changed, unless the request says so.
 */
import type { Inventory } from './inventory.ts';

/** Changes allowed by a request, by inventory line. */
export interface Allowance {
  /** Maximum net outflow of each line. */
  readonly out?: Readonly<Record<string, bigint>>;
  /** Minimum net inflow of each line. */
  readonly in?: Readonly<Record<string, bigint>>;
  /** Rights that may be given up. */
  readonly lost?: readonly string[];
  /** Rights that others may gain. */
  readonly strangers?: readonly string[];
  /** Allowed account state afterwards, by line; `*` for anything. */
  readonly says?: Readonly<Record<string, string>>;
}

/** Returns every disallowed deterioration as text; empty if there is none. */
export function worse(before: Inventory, after: Inventory, allowance: Allowance = {}): string[] {
  const { out = {}, in: least = {}, lost = [], strangers = [], says = {} } = allowance;
  const harms: string[] = [];
  for (const line of new Set([...before.amounts.keys(), ...after.amounts.keys(), ...Object.keys(least)])) {
    const change = (after.amounts.get(line) ?? 0n) - (before.amounts.get(line) ?? 0n);
    const needed = least[line] ?? -(out[line] ?? 0n);
    if (change < needed) harms.push(`${line}: ${needed - change} less than allowed`);
  }
  for (const [line, { account, loss }] of before.rights) {
    const isLoss = loss === undefined || (loss === 'while open' && after.existing.has(account));
    if (isLoss && !after.rights.has(line) && !lost.includes(line)) harms.push(`lost: ${line}`);
  }
  for (const line of after.strangers)
    if (!before.strangers.has(line) && !strangers.includes(line)) harms.push(`stranger: ${line}`);
  for (const [line, value] of before.states) {
    const now = after.states.get(line);
    if (now === undefined || now === value) continue;
    if (says[line] !== '*' && says[line] !== now) harms.push(`changed: ${line}`);
  }
  return harms.sort();
}

/** Returns the allowance that permits exactly the changes between two inventories, as those of an honest stage. */
export function allowanceOf(before: Inventory, after: Inventory): Allowance {
  const lines = new Set([...before.amounts.keys(), ...after.amounts.keys()]);
  const change = [...lines].map((line) => {
    const by = (after.amounts.get(line) ?? 0n) - (before.amounts.get(line) ?? 0n);
    return [line, by] as const;
  });
  return {
    out: Object.fromEntries(change.filter(([, by]) => by < 0n).map(([line, by]) => [line, -by])),
    in: Object.fromEntries(change.filter(([, by]) => by > 0n)),
    lost: [...before.rights.keys()].filter((line) => !after.rights.has(line)),
    strangers: [...after.strangers].filter((line) => !before.strangers.has(line)),
    says: Object.fromEntries([...after.states].filter(([line, value]) => before.states.get(line) !== value)),
  };
}
