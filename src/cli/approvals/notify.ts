/** `countersign notify`: sends a test message to each configured webhook and reports the result. */
import { systemClock } from '../../clock.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { callWebhook, readWebhooks } from '../../runtime/webhooks/webhooks.ts';
import { type Command, textOption } from '../command.ts';

/** Milliseconds until the deadline shown in a test message. */
const SEEMS_OPEN_MS = 600_000;

export const notifyCommand: Command = async ({ options, terminal }) => {
  const webhooks = readWebhooks(textOption(options, 'webhook'));
  if (webhooks.length === 0) {
    throw new SetupError(
      'No webhook is configured.',
      'Set COUNTERSIGN_WEBHOOK where your client starts the server, such as https://hooks.slack.com/services/....',
    );
  }
  const call = {
    approvalId: 'approval-test',
    planId: 'plan-test',
    mode: 'sandbox',
    kind: 'This is a test',
    expiresAt: systemClock.now() + SEEMS_OPEN_MS,
  } as const;
  let failed = 0;
  for (const [index, url] of webhooks.entries()) {
    const why = await callWebhook(url, call, { fetch, clock: systemClock });
    if (why !== undefined) failed += 1;
    terminal.print(`Webhook ${index + 1}: ${why ?? 'told'}`);
  }
  return failed === 0 ? 0 : 1;
};
