/**
 * `npm run inspector`: the MCP Inspector's command line against the built command, in both eras of the protocol. In
 * the legacy era it opens with `initialize`, in the modern one with `server/discover`; the era is determined from
 * the messages it sent. The Inspector needs Node 22.19 or newer; on an older one it is run with Node 24. It is
 * fetched for this. Runs where there is a POSIX shell; build first.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { select } from '../src/server/catalogue.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const COMMAND = resolve('dist/countersign.js');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const newer = major > 22 || (major === 22 && minor >= 19) ? [] : ['-p', 'node@24'];

/** First method of a connection in each era, and the requested revision. */
const ERAS = {
  legacy: { method: 'initialize', revision: '2025-11-25' },
  modern: { method: 'server/discover', revision: '2026-07-28' },
} as const;
type Era = keyof typeof ERAS;

/** Default tools, resources and prompts. */
const TOOLS = select({}).map(({ tool }) => tool.name);
const RESOURCES = ['policy://current', 'guide://operating', 'guide://config-types'];
const PROMPTS = ['launch_token', 'split_fees', 'claim_fees', 'trade_safely', 'review_plan'];

/** Expects a list of exactly these names, in this order. */
const exactly = (names: readonly string[]) =>
  z.array(z.string()).refine((found) => JSON.stringify(found) === JSON.stringify(names), {
    error: ({ input }) => `expected ${names.length}: ${names.join(', ')}; found ${JSON.stringify(input)}`,
  });

const each = <Key extends string>(key: Key, names: readonly string[]) =>
  z
    .array(z.looseObject({ [key]: z.string() }))
    .transform((rows) => rows.map((row) => row[key]))
    .pipe(exactly(names));

/** A method, its options and the expected answer. */
interface Question {
  readonly method: string;
  readonly options: readonly string[];
  readonly answer: z.ZodType;
}

const QUESTIONS: readonly Question[] = [
  {
    method: 'tools/list',
    // The Inspector's own examination of every schema: an error there ends it with another exit code.
    options: ['--strict'],
    answer: z.looseObject({ tools: each('name', TOOLS) }),
  },
  {
    method: 'tools/call',
    options: ['--tool-name', 'get_status'],
    answer: z.looseObject({
      isError: z.literal(false).optional(),
      content: z.array(z.looseObject({ type: z.literal('text'), text: z.string().min(1) })).length(1),
      structuredContent: z.looseObject({
        mode: z.literal('sandbox'),
        service: z.literal('answering'),
        profile: z.literal('contract'),
        network: z.string().min(32),
        wallet: z.string().min(32),
        frozen: z.literal(false),
      }),
    }),
  },
  { method: 'resources/list', options: [], answer: z.looseObject({ resources: each('uri', RESOURCES) }) },
  { method: 'prompts/list', options: [], answer: z.looseObject({ prompts: each('name', PROMPTS) }) },
];

/** Arguments of the Inspector; the inner shell records its messages to the server in the file `"$0"`. */
const argumentsFor = (era: Era, { method, options }: Question, sent: string, home: string): string[] => [
  ...['-y', ...newer, '-p', INSPECTOR, 'inspector', '--cli', '--protocol-era', era, '--format', 'json'],
  ...['-e', `COUNTERSIGN_HOME=${home}`, '--method', method, ...options],
  ...['--', 'sh', '-c', 'tee "$0" | "$1" "$2" serve --sandbox', sent, process.execPath, COMMAND],
];

/** Runs the Inspector once; rejects with its error output when it fails. */
function inspect(args: readonly string[]): Promise<unknown> {
  const child = spawn('npx', [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString('utf8');
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => {
      if (code === 0) done(JSON.parse(out));
      else failed(new Error(`the Inspector ended with ${code}: ${complaints}${out}`));
    });
  });
}

const Opening = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    protocolVersion: z.string().optional(),
    _meta: z.looseObject({ 'io.modelcontextprotocol/protocolVersion': z.string().optional() }).optional(),
  }),
});

/** Returns method and revision of the first message to the server. */
async function openingOf(sent: string): Promise<{ method: string; revision: string | undefined }> {
  const [first = ''] = (await readFile(sent, 'utf8')).split('\n');
  const { method, params } = Opening.parse(JSON.parse(first));
  const revision = params.protocolVersion ?? params._meta?.['io.modelcontextprotocol/protocolVersion'];
  return { method, revision };
}

/** Runs one method in one era; returns the difference from the expected answer, or `undefined`. */
async function ask(era: Era, question: Question, folder: string): Promise<string | undefined> {
  const sent = join(folder, `${era}-${question.method.replace('/', '-')}`);
  const answer = z
    .looseObject({ result: question.answer })
    .safeParse(await inspect(argumentsFor(era, question, sent, join(folder, 'home'))));
  if (!answer.success) return z.prettifyError(answer.error);
  const opening = await openingOf(sent);
  const spoke = opening.method === ERAS[era].method && opening.revision === ERAS[era].revision;
  return spoke ? undefined : `it opened with ${JSON.stringify(opening)}, which is not the ${era} era`;
}

const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
try {
  for (const era of ['legacy', 'modern'] as const) {
    for (const question of QUESTIONS) {
      const wrong = await ask(era, question, folder).catch((error: unknown) => String(error));
      console.log(`${wrong === undefined ? '✓' : '✗'} ${ERAS[era].revision} ${question.method}`);
      if (wrong === undefined) continue;
      console.error(wrong);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
