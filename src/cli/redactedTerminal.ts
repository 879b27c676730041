/**
 * The terminal of an interactive command, with redaction as its last step: secrets in the environment, options and
 * typed input are not printed, whatever an error or a service contains.
 */
import { registerWebhooks } from '../runtime/webhooks/webhooks.ts';
import { createRedactor, type Redactor } from '../secrets/redaction/redact.ts';
import type { OptionValues } from './command.ts';
import type { Environment } from './options.ts';
import type { Terminal } from './terminal.ts';

const SECRET_VARIABLES = ['COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_API_KEY', 'COUNTERSIGN_JWT', 'PGPASSWORD'];

/** Creates a redactor with the secrets of this command line and environment. */
export function surroundings(options: OptionValues, env: Environment): Redactor {
  const redactor = createRedactor();
  for (const name of SECRET_VARIABLES) {
    const value = env[name];
    if (value !== undefined) redactor.register(value);
  }
  for (const name of ['root-url', 'rpc-url', 'second-rpc-url', 'ledger']) {
    const url = options[name];
    if (typeof url === 'string') redactor.registerUrl(url);
  }
  if (typeof options.webhook === 'string') registerWebhooks(redactor, options.webhook);
  return redactor;
}

/** Wraps `terminal` with redaction; hidden input is registered too. */
export function redactedTerminal(terminal: Terminal, redactor: Redactor): Terminal {
  return {
    print: (line) => terminal.print(redactor.redact(line)),
    tell: (line) => terminal.tell(redactor.redact(line)),
    interactive: terminal.interactive,
    columns: terminal.columns,
    ask: async (question, options) => {
      const answer = await terminal.ask(question, options);
      if (options?.secret === true) redactor.register(answer);
      return answer;
    },
  };
}
