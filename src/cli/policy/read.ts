/** Reads a policy file for a command; errors are printed with line and column. */
import { type LoadedPolicy, type PolicyError, parsePolicy } from '../../policy/file/file.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import type { Terminal } from '../terminal.ts';

/** Returns the policy, or `undefined` after printing its errors. */
export async function readPolicy(path: string, terminal: Terminal): Promise<LoadedPolicy | undefined> {
  const file = await readPolicyFile(path);
  if ('problem' in file) {
    terminal.tell(`${path}: ${file.problem}`);
    return undefined;
  }
  const parsed = parsePolicy(file.text);
  if (!('errors' in parsed)) return parsed;
  tellErrors(path, parsed.errors, terminal);
  return undefined;
}

/** Prints the errors of a policy file, each with its line and column. */
export function tellErrors(path: string, errors: readonly PolicyError[], terminal: Terminal): void {
  for (const { line, column, path: part, message } of errors) {
    terminal.tell(`${path}:${line}:${column}: ${part === '' ? '' : `${part}: `}${message}`);
  }
}
