/** Finding the transaction strings of an answer by the path its endpoint declares. Nothing is decoded here. */

function descend(value: unknown, steps: readonly string[]): unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  const name = step.endsWith('[]') ? step.slice(0, -2) : step;
  if (typeof value !== 'object' || value === null) return [];
  const next: unknown =
    name === '' ? value : Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  if (!step.endsWith('[]')) return descend(next, rest);
  return Array.isArray(next) ? next.flatMap((element) => descend(element, rest)) : [];
}

/**
 * Every transaction string at `path` (`plan.transactions[].transaction`; `[].tx`: of each element; empty: the answer itself), in order.
 * Missing parents and values that are no text are left out.
 */
export function transactionStrings(path: string, answer: unknown): string[] {
  const steps = path === '' ? [] : path.split('.');
  return descend(answer, steps).filter((value): value is string => typeof value === 'string');
}
