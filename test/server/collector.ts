/**
 * Minimal OpenTelemetry SDK for tests: registers with the API like a real one and appends all records to a file, one
 * JSON object a line. `how` makes it misbehave. Written as the module for `--telemetry`.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Fields, object } from './spawned.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const module = (file: string, how: string): string => `
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const { trace, metrics } = createRequire(${JSON.stringify(join(ROOT, 'package.json'))})('@opentelemetry/api');
const write = (line) => appendFileSync(${JSON.stringify(file)}, JSON.stringify(line) + '\\n');
const id = (bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
const how = ${JSON.stringify(how)};
const complain = () => { if (how === 'throws') throw new Error('a secret text'); };
const startSpan = (name, { kind, attributes }, context) => {
  complain();
  const parent = trace.getSpanContext(context);
  const own = { traceId: parent?.traceId ?? id(16), spanId: id(8), traceFlags: 1 };
  const told = { ...attributes };
  let status;
  return {
    spanContext: () => own,
    setAttributes: (more) => Object.assign(told, more),
    setStatus: (given) => { status = given; },
    end: () => { complain(); write({ span: name, kind, parent, ...own, attributes: told, status }); },
  };
};
const createHistogram = (metric, { unit, advice }) => ({
  record: (value, attributes) => { complain(); write({ metric, unit, borders: advice.explicitBucketBoundaries, value, attributes }); },
});
const createCounter = (metric) => ({ add: (value, attributes) => { complain(); write({ metric, value, attributes }); } });
export default async () => {
  if (how === 'fails to load') throw new Error('a secret text');
  if (how === 'never loads') await new Promise(() => undefined);
  console.log('the SDK says something');
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) });
  metrics.setGlobalMeterProvider({ getMeter: () => ({ createHistogram, createCounter }) });
  return {
    shutdown: async () => {
      write({ shutdown: true });
      if (how === 'never ends') await new Promise(() => undefined);
    },
  };
};
`;

export interface Collector {
  /** Path of the module. */
  readonly path: string;
  /** Returns all records so far. */
  lines(): Fields[];
  /** Returns ended spans by name. */
  spans(name: string): Fields[];
}

/** Writes the module into a new folder. `beside` installs the API next to it, as with a real SDK. */
export function writeCollector(
  folder: string,
  { how = 'works', beside = false }: { how?: string; beside?: boolean } = {},
): Collector {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'told.jsonl');
  writeFileSync(file, '');
  const path = join(folder, 'telemetry.mjs');
  writeFileSync(path, module(file, how));
  if (beside) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const lines = (): Fields[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => object(JSON.parse(line)));
  return { path, lines, spans: (name) => lines().filter(({ span }) => span === name) };
}
