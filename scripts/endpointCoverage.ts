/**
 * Every endpoint of the contract with every field of it: which tool asks, which sandbox code answers, which test
 * shows it. Read from the endpoint table and from the sources that name the endpoint; a gap is an error.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { bundleSchema, ENDPOINT_NAMES, type EndpointName, planSchema } from '../src/contract/index.ts';
import { endpointOf, pathTemplate, profiles } from '../src/contract/profiles/index.ts';
import { catalogue } from '../tools/index.ts';

/** Dotted names of every field below a schema; `[]` stands for each element. */
function fieldsOf(schema: z.core.$ZodType, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((each: z.core.$ZodType) => fieldsOf(each, path)))];
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, `${path}[]`);
  if (schema instanceof z.ZodObject) {
    const inner = Object.entries(schema.shape).flatMap(([name, field]) =>
      fieldsOf(field, path === '' ? name : `${path}.${name}`),
    );
    if (inner.length > 0) return inner;
  }
  return path === '' ? [] : [path];
}

/** Answers that are no fields, and answers whose fields are not published. */
const WITHOUT_FIELDS: Partial<Record<EndpointName, string>> = {
  curveLaunch: 'one transaction',
  tokenLifetimeFees: 'one number as text',
  sendBundle: 'the id of the bundle',
  deployerClaimables: 'a shape that is not published, shown as it comes',
};

/** Calls that a tool leaves to a port of its surroundings. */
const THROUGH_A_PORT: Partial<Record<EndpointName, string>> = {
  ping: 'account.status',
  createAgentKey: 'account.createKey',
};

/** No tool asks for these: each has a successor, or is never signed. The sandbox answers them for the live service's own client. */
const FOR_ITS_OWN_CLIENT: readonly EndpointName[] = [
  'authMe',
  'feeShareWallets',
  'poolConfigs',
  'partnerConfigTx',
  'partnerClaimTxs',
  'adminTransferTx',
  'adminUpdateTxs',
  'incorporationDetails',
  'olderConfig',
  'olderClaimables',
  'olderClaimTxs',
  'olderQuote',
  'olderSwap',
  'sendBundle',
  'bundleStatuses',
  'bundleTips',
];

/** What an answer holds. Plans and bundles stay closed in the endpoint table; their own schemas say what is in them. */
function answerFields(name: EndpointName): string[] {
  const { response, plan } = endpointOf(name);
  if (name === 'dammLaunch') return fieldsOf(bundleSchema);
  if (plan === 'response') return fieldsOf(planSchema);
  const fields = fieldsOf(response);
  return plan === undefined
    ? fields
    : fields.flatMap((f) => (f === 'plan' ? fieldsOf(planSchema, 'plan') : [f]));
}

const sources = (root: string, folder: string): { file: string; text: string }[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ file: relative(root, file), text: readFileSync(file, 'utf8') }));

/** A Markdown table of all endpoints. Throws when one has no caller, no server or no test. */
export function endpointTable(root: string): string {
  const callers = [
    ...sources(root, 'tools'),
    ...sources(root, 'src/runtime'),
    ...sources(root, 'src/cli/keys'),
  ];
  const handlers = sources(root, 'src/sandbox/service').filter(
    ({ file }) => !file.endsWith('/handlers/index.ts'),
  );
  const [scene = '', everyTool = ''] = ['test/sandbox/contractScene.ts', 'test/tools/everyTool.ts'].map(
    (file) => readFileSync(join(root, file), 'utf8'),
  );
  const lines = ENDPOINT_NAMES.map((name) => {
    const { method, request } = endpointOf(name);
    const asks = callers
      .filter(({ text }) =>
        [`service.call('${name}'`, `build(context, '${name}'`].some((call) => text.includes(call)),
      )
      .map(({ file }) => file);
    const serves = handlers
      .filter(({ text }) => new RegExp(`\\b${name}\\b\\s*[:,(]`).test(text))
      .map(({ file }) => file);
    const port = THROUGH_A_PORT[name];
    const tools = catalogue.filter((tool) =>
      callers.some(
        ({ file, text }) =>
          file.endsWith(`/${camel(tool.name)}.ts`) &&
          (asks.includes(file) || (port !== undefined && text.includes(port))),
      ),
    );
    const tests = [
      ...(scene.includes(`    ${name}:`) ? ['test/sandbox/contract.test.ts'] : []),
      ...(tools.some((tool) => everyTool.includes(`'${tool.name}'`)) ? ['test/tools/all.test.ts'] : []),
    ];
    const isAsked = asks.length > 0 || FOR_ITS_OWN_CLIENT.includes(name);
    if (!isAsked || serves.length === 0 || tests.length === 0) {
      throw new Error(`${name}: no tool asks for it, no handler serves it, or no test tests it`);
    }
    const list = (names: readonly string[]) => names.map((each) => `\`${each}\``).join(', ') || 'nothing';
    const cells = [
      `\`${method} ${pathTemplate(profiles.contract, name)}\``,
      list(fieldsOf(request)),
      WITHOUT_FIELDS[name] ?? list(answerFields(name)),
      [
        ...tools.map((tool) => `\`${tool.name}\``),
        ...asks.filter((file) => !file.startsWith('tools/')).map((file) => `\`${file}\``),
      ].join('<br>') || "the live service's own client",
      serves.map((file) => `\`${file}\``).join('<br>'),
      tests.map((file) => `\`${file}\``).join('<br>'),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| endpoint | asked with | answered with | asked by | served in the sandbox by | shown by |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** `create_fee_claims` → `createFeeClaims`, as the tool's file is called. */
const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
