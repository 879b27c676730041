/** Formats schema issues as a short sentence with the fields. */
import type { z } from 'zod';

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** `claimersArray[2].mint` for a path of keys and indexes. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

/** The first `cap` issues as `field: what is wrong`, joined. Messages never repeat the value that was given. */
export function describeIssues(issues: readonly Issue[], cap = 5): string {
  // A value that breaks two bounds of one rule is reported once.
  const lines = new Set(
    issues.map(({ path, message: text }) => {
      const message = text.replace(/^Invalid input: expected (\w+), received undefined$/, 'is missing ($1)');
      const short = message.length > 300 ? `${message.slice(0, 300)}…` : message;
      return path.length === 0 ? short : `${fieldPath(path)}: ${short}`;
    }),
  );
  const shown = [...lines].slice(0, cap);
  if (lines.size > cap) shown.push(`and ${lines.size - cap} more`);
  return shown.join('; ');
}
