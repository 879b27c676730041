/**
 * `countersign read TEXT | FILE | PLAN`: what a transaction does, instruction by instruction, what is not read and what
 * a policy would say. It signs nothing and sends nothing. With `--live ENDPOINT REQUEST.json` it asks the service to
 * build, and explains what the service really answers.
 */
import { readFile } from 'node:fs/promises';
import { isRecord } from '../../base/record.ts';
import { systemClock } from '../../clock.ts';
import { ENDPOINT_NAMES, type EndpointName } from '../../contract/index.ts';
import { profiles, transactionEncoding } from '../../contract/profiles/index.ts';
import { planFromAnswer } from '../../plan/fromAnswer.ts';
import type { Plan } from '../../plan/types.ts';
import type { Policy } from '../../policy/file/schema.ts';
import { createChain } from '../../rpc/chain.ts';
import type { Chain } from '../../rpc/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { mayHold } from '../../runtime/ledgerPlace.ts';
import { createRedactor, type Redactor } from '../../secrets/redaction/redact.ts';
import { openStore } from '../../secrets/stores/chooseStore.ts';
import { registeringStore } from '../../secrets/stores/registeringStore.ts';
import { secretNames } from '../../secrets/stores/store.ts';
import { createMemoryBudget, createServiceClient } from '../../service/index.ts';
import { parseRootUrl } from '../../service/rootUrl.ts';
import { cleanText } from '../../service/untrusted.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Address } from '../../transaction/types.ts';
import { decodeWire, type WireEncoding } from '../../transaction/wire.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { walletOption } from '../keys/wallets/named.ts';
import { columnsFor } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { withHistory } from '../records/history.ts';
import { placeOf } from '../records/place.ts';
import { askedOf } from './asked.ts';
import { explain } from './explain.ts';
import { type Fixture, fixtureOf, saveFixtures } from './fixture.ts';
import { type Given, isFile, looksLikePath, readFileOf, readText } from './input.ts';
import { readJson } from './json.ts';
import { readLines } from './page/page.ts';
import { lookAround, NOTHING_KNOWN } from './surroundings.ts';

const USE =
  'countersign read TEXT | FILE | PLAN   or   countersign read --live ENDPOINT REQUEST.json [--save DIR]';

export const readCommand: Command = async (typed) => {
  const input: CommandInput = { ...typed, options: { ...typed.options, wallet: await walletOption(typed) } };
  const { options, terminal } = input;
  // A service was sent the API key, and may write it into a memo or a token's name.
  const redactor = createRedactor();
  const print = (line: string) => terminal.print(redactor.redact(line));
  const save = textOption(options, 'save');
  if (save !== undefined && options.live !== true)
    throw new SetupError('--save stores what a service built.', USE);
  const service = options.live === true ? await built(input, redactor) : undefined;
  const given = service?.given ?? (await found(input));
  const policyPath = textOption(options, 'policy');
  const loaded = policyPath === undefined ? undefined : await readPolicy(policyPath, terminal);
  if (policyPath !== undefined && loaded === undefined) return 1;
  const wallet = textOption(options, 'wallet');
  const names = namesOf(wallet, loaded?.policy);
  const chain = chainOf(input);
  const pages: unknown[] = [];
  const fixtures: Fixture[] = [];
  for (const each of given) {
    const { title, transaction, asked } = each;
    const around = chain === undefined ? NOTHING_KNOWN : await lookAround(chain, transaction);
    if (service !== undefined) fixtures.push(fixtureOf(service.source, each, around));
    const explained = explain(transaction, around.tables, around.view);
    const shown = {
      names,
      ...(chain === undefined ? {} : { around }),
      ...(asked === undefined ? {} : { asked }),
    };
    if (options.json === true) {
      pages.push(readJson(explained, title, shown));
      continue;
    }
    const policy = loaded === undefined ? {} : { policy: loaded.policy };
    const lines = readLines(explained, { title, columns: columnsFor(terminal.columns), ...shown, ...policy });
    for (const line of [...lines, '']) print(line);
  }
  if (options.json === true) print(JSON.stringify(pages));
  if (service !== undefined && save !== undefined) {
    const path = saveFixtures(save, service.endpoint, fixtures, redactor);
    terminal.tell(
      `Saved as ${path}: transactions, accounts and tables, no keys. Your wallet's address is in it.`,
    );
  }
  return 0;
};

/** The transactions an argument names: a plan of this home, a file, or a text. */
async function found(input: CommandInput): Promise<Given[]> {
  const [word] = input.words;
  if (word === undefined) throw new SetupError('Which transaction?', USE);
  const encoding = encodingOption(input);
  if (mayHold(placeOf(input))) {
    const given: Given[] = [];
    await withHistory(input, async ({ ledger }) => {
      const plan = await ledger.plan(word);
      if (plan !== undefined) given.push(...givenPlan(plan));
      return 0;
    });
    if (given.length > 0) return given;
  }
  if (await isFile(word)) return [{ title: `File ${word}`, transaction: await readFileOf(word, encoding) }];
  if (looksLikePath(word)) {
    throw new SetupError(
      `There is no file ${cleanText(word, 200).text}.`,
      'Give the path of a file that holds a transaction, its text as base64 or base58, or the id of a plan of this home.',
    );
  }
  return [{ title: 'Transaction', transaction: readText(word, encoding) }];
}

function givenPlan(plan: Plan): Given[] {
  const asked = askedOf(plan);
  return plan.stages.map(({ id, kind, transaction }) => ({
    title: `Stage ${id} (${kind})`,
    transaction: readTransaction(decodeWire(transaction, 'base64')),
    asked,
  }));
}

/** What the service builds for a request, and where it comes from. Nothing of it is signed or sent. */
async function built(
  input: CommandInput,
  redactor: Redactor,
): Promise<{ given: Given[]; endpoint: EndpointName; source: string }> {
  const { options, words, home, env } = input;
  const [name = '', path = ''] = words;
  const endpoint = ENDPOINT_NAMES.find((each) => each === name);
  if (endpoint === undefined || path === '') {
    throw new SetupError(
      'With --live, name an endpoint and a file with its request.',
      `${USE}; endpoints: ${ENDPOINT_NAMES.join(', ')}`,
    );
  }
  const request = await requestIn(path);
  const profile = profiles[textOption(options, 'profile') === 'bags' ? 'bags' : 'contract'];
  const rootUrl = textOption(options, 'root-url') ?? profile.rootUrl;
  const chain = chainOf(input);
  if (rootUrl === undefined || chain === undefined) {
    throw new SetupError(
      'With --live, the addresses of the service and of your RPC are needed.',
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
    endpoint,
    request,
    answer,
    mode: 'live',
    network,
    wallet: textOption(options, 'wallet') ?? '',
    now: systemClock.now(),
    encoding: transactionEncoding(profile, endpoint) ?? 'base64',
  });
  if (plan === null)
    throw new SetupError('The service has nothing to build for this request.', 'The config exists already.');
  return {
    given: givenPlan(plan),
    endpoint,
    source: `${endpoint}, profile ${profile.name}, network ${network}`,
  };
}

async function requestIn(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const request: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isRecord(request)) return request;
  } catch {
    // Reported below: a file that cannot be read, or that is no JSON.
  }
  throw new SetupError(
    `${path} holds no request.`,
    "It must be a JSON object with the contract's field names.",
  );
}

function chainOf({ options }: CommandInput): Chain | undefined {
  const rpcUrl = textOption(options, 'rpc-url');
  return rpcUrl === undefined ? undefined : createChain({ rpcUrl, fetch: (url, init) => fetch(url, init) });
}

function encodingOption({ options }: CommandInput): WireEncoding | undefined {
  const encoding = textOption(options, 'encoding');
  if (encoding === undefined || encoding === 'base64' || encoding === 'base58') return encoding;
  throw new SetupError('--encoding must be base64 or base58.', USE);
}

/** Names for addresses: the wallet that was named, and those a policy labels. */
function namesOf(wallet: Address | undefined, policy: Policy | undefined): ReadonlyMap<Address, string> {
  return new Map([
    ...(policy?.addressBook ?? []).map(
      ({ address, label }) => [address, `"${label}" of your address book`] as const,
    ),
    ...(policy?.wallets ?? []).map(({ address, label }) => [address, `your wallet ${label}`] as const),
    ...(wallet === undefined ? [] : [[wallet, 'your wallet'] as const]),
  ]);
}
