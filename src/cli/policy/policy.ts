/** `countersign policy init | check | schema | …`: commands on the policy file. */
import { policyJsonSchema } from '../../policy/file/schema.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { widthOf, wrap } from '../layout.ts';
import { readPolicy } from './read.ts';

const USAGE =
  'countersign policy init | check FILE | explain FILE | test FILE CASES | diff OLD NEW | accept FILE | schema';

export const policyCommand: Command = async (input) => {
  const [verb] = input.words;
  if (verb === 'init') return (await import('./init.ts')).initPolicyCommand(input);
  if (verb === 'check') return check(input);
  if (verb === 'explain') return (await import('./explain.ts')).explainPolicyCommand(input);
  if (verb === 'test') return (await import('./test.ts')).testPolicyCommand(input);
  if (verb === 'diff') return (await import('./diff.ts')).diffPolicyCommand(input);
  if (verb === 'accept') return (await import('./policyAccept.ts')).acceptPolicyCommand(input);
  if (verb === 'schema') {
    input.terminal.print(JSON.stringify(policyJsonSchema(), null, 2));
    return 0;
  }
  throw new SetupError('The policy command needs to know what to do.', USAGE);
};

async function check({ words, terminal }: CommandInput): Promise<number> {
  const path = words[1];
  if (path === undefined) throw new SetupError('Which file?', 'countersign policy check FILE');
  const loaded = await readPolicy(path, terminal);
  if (loaded === undefined) return 1;
  const message = `${path}: ${loaded.policy.id} is valid, hash ${loaded.hash}`;
  for (const line of wrap(message, widthOf(terminal.columns))) terminal.print(line);
  return 0;
}
