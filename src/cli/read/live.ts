/** Requests transactions from the service for `countersign read build`. Nothing is signed or sent. */
import { readFile } from 'node:fs/promises';
import { isRecord } from '../../base/record.ts';
import { systemClock } from '../../clock.ts';
import { ENDPOINT_NAMES, type EndpointName } from '../../contract/index.ts';
import { profiles, transactionEncoding } from '../../contract/profiles/index.ts';
import { planFromAnswer } from '../../plan/fromAnswer.ts';
import type { Plan } from '../../plan/types.ts';
import type { Chain } from '../../rpc/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { openStore } from '../../secrets/stores/chooseStore.ts';
import { registeringStore } from '../../secrets/stores/registeringStore.ts';
import { secretNames } from '../../secrets/stores/store.ts';
import { createMemoryBudget, createServiceClient } from '../../service/index.ts';
import { parseRootUrl } from '../../service/rootUrl.ts';
import { type CommandInput, textOption } from '../command.ts';

/**
 * Returns the plan of the service's answer and its source. Throws `SetupError` if an address or the request is
 * missing.
 */
export async function builtByService(
  { options, words, home, env }: CommandInput,
  chain: Chain | undefined,
  redactor: Redactor,
): Promise<{ readonly plan: Plan; readonly endpoint: EndpointName; readonly source: string }> {
  const [, name = '', path = ''] = words;
  const endpoint = ENDPOINT_NAMES.find((each) => each === name);
  if (endpoint === undefined || path === '') {
    throw new SetupError(
      'Name an endpoint and a file with its request.',
      `countersign read build ENDPOINT REQUEST.json; endpoints: ${ENDPOINT_NAMES.join(', ')}`,
    );
  }
  const request = await requestIn(path);
  const profile = profiles[textOption(options, 'profile') === 'bags' ? 'bags' : 'contract'];
  const rootUrl = textOption(options, 'root-url') ?? profile.rootUrl;
  if (rootUrl === undefined || chain === undefined) {
    throw new SetupError(
      'The addresses of the service and of your RPC are needed.',
      'Pass --root-url URL (or --profile bags) and --rpc-url URL.',
    );
  }
  const origin = parseRootUrl(rootUrl);
  const store = openStore({ home, env, requested: textOption(options, 'secret-store'), rootUrl: origin });
  const secrets = registeringStore(store, redactor);
  const service = createServiceClient({
    profile,
    rootUrl: origin,
    apiKey: async () => {
      const key = (await secrets.get(secretNames.apiKey(origin)))?.expose() ?? env.COUNTERSIGN_API_KEY;
      if (key) redactor.register(key);
      return key;
    },
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
  const answer: unknown = await service.call(endpoint as EndpointName & 'feeShareConfig', request as never);
  const network = await chain.genesisHash();
  const plan = planFromAnswer({
    ...{ endpoint, request, answer, network, mode: 'live', now: systemClock.now() },
    wallet: textOption(options, 'wallet') ?? '',
    encoding: transactionEncoding(profile, endpoint) ?? 'base64',
  });
  if (plan === null)
    throw new SetupError('The service has nothing to build for this request.', 'The config exists already.');
  return { plan, endpoint, source: `${endpoint}, profile ${profile.name}, network ${network}` };
}

async function requestIn(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const request: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isRecord(request)) return request;
  } catch {
    // Reported below: the file is unreadable or not JSON.
  }
  throw new SetupError(
    `${path} holds no request.`,
    "It must be a JSON object with the contract's field names.",
  );
}
