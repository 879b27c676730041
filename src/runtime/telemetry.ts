/**
 * Sends spans to OpenTelemetry (the setting `telemetry`): the module's default export registers an SDK. The module
 * runs inside the server and is trusted like its own code. Without the setting no part of OpenTelemetry is loaded, so
 * an SDK from the environment (`NODE_OPTIONS`) receives nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Api from '@opentelemetry/api';
import { asRecord } from '../base/record.ts';
import { type Attributes, setTracer, type Tracer } from '../base/telemetry.ts';
import { currentScope } from '../server/scope.ts';

const SHUTDOWN_MS = 1_000;
/** Histogram boundaries of the OpenTelemetry conventions, in seconds. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const MAX_CHARACTERS = 128;
/** Attributes that are unique per plan or request: on spans only. */
const IDS = ['countersign.plan', 'countersign.request'];
/** Version 00 of W3C Trace Context: trace, span and flags. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * Loads the module, awaits its default export and sets the tracer. Returns a function that calls the `shutdown` of
 * the export's result, for at most one second. Failures are logged without text of the module. Never rejects.
 */
export async function openTelemetry(
  path: string,
  version: string,
  log: (line: string) => void,
): Promise<() => Promise<void>> {
  try {
    const address = pathToFileURL(resolve(path)).href;
    const loaded: { readonly default?: unknown } = await import(address);
    if (typeof loaded.default !== 'function') throw new TypeError('no function');
    const made: unknown = await loaded.default();
    const api = await apiBeside(address);
    if (isRegistered()) {
      setTracer(createTracer(api, version, log));
      log(`telemetry is sent to the SDK registered by ${path}`);
    } else log(`The telemetry module ${path} registered no OpenTelemetry SDK; nothing is recorded.`);
    return () => Promise.race([shutDown(made), pause(SHUTDOWN_MS)]);
  } catch {
    log(
      `The telemetry module ${path} cannot be used. Its default export must be a function that registers an OpenTelemetry SDK; see docs/fleet.md.`,
    );
    return async () => undefined;
  }
}

/**
 * Returns the API installed beside the module, otherwise the server's own. An API only works with an SDK registered
 * through the same or a newer version.
 */
async function apiBeside(address: string): Promise<typeof Api> {
  try {
    return createRequire(address)('@opentelemetry/api');
  } catch {
    return import('@opentelemetry/api');
  }
}

/** Returns whether an SDK is registered, where every 1.x version of the API stores it. */
const isRegistered = (): boolean => {
  const { trace, metrics } = asRecord(Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1')));
  return trace !== undefined || metrics !== undefined;
};

async function shutDown(made: unknown): Promise<void> {
  try {
    const shutdown: unknown =
      typeof made === 'object' && made !== null ? Reflect.get(made, 'shutdown') : undefined;
    if (typeof shutdown === 'function') await Reflect.apply(shutdown, made, []);
  } catch {
    // Ignored: the process ends anyway.
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Creates a tracer over the registered SDK. Errors of the SDK are logged once and do not affect results. */
function createTracer(api: typeof Api, version: string, log: (line: string) => void): Tracer {
  /** The API's own current context requires a context manager of the SDK. */
  const current = new AsyncLocalStorage<Api.Context>();
  let hasFailed = false;
  const safely = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      if (!hasFailed) log('the telemetry module throws errors; some telemetry is lost');
      hasFailed = true;
      return undefined;
    }
  };
  const tracer = safely(() => api.trace.getTracer('countersign', version));
  const durations = safely(() =>
    api.metrics.getMeter('countersign', version).createHistogram('countersign.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    }),
  );

  return ({ name, kind, attributes, traceparents = [] }, work) => {
    const began = performance.now();
    const scope = currentScope();
    let all: Attributes = {
      ...attributes,
      'countersign.principal': scope?.principal,
      'countersign.request': scope?.request,
    };
    const below = parentOf(api, traceparents) ?? current.getStore() ?? api.ROOT_CONTEXT;
    const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };
    const spanKind = kind === undefined ? api.SpanKind.INTERNAL : kinds[kind];
    const span = safely(() => tracer?.startSpan(name, { kind: spanKind, attributes: shortened(all) }, below));
    const context = (span && safely(() => api.trace.setSpan(below, span))) ?? below;
    const end = (more: Attributes = {}): void => {
      all = { ...all, ...more };
      safely(() => {
        span?.setAttributes(shortened(all));
        if (all['error.type'] !== undefined) span?.setStatus({ code: api.SpanStatusCode.ERROR });
        span?.end();
        const common = Object.entries(all).filter(([key]) => !IDS.includes(key));
        const by = shortened({ 'countersign.span': name, ...Object.fromEntries(common) });
        durations?.record((performance.now() - began) / 1_000, by);
      });
    };
    const note = (more: Attributes): void => {
      all = { ...all, ...more };
    };
    try {
      const result = current.run(context, () => work(note));
      if (result instanceof Promise)
        result.then(
          () => end(),
          (error: unknown) => end({ 'error.type': codeOf(error) }),
        );
      else end();
      return result;
    } catch (error) {
      end({ 'error.type': codeOf(error) });
      throw error;
    }
  };
}

/** Returns the code of this project's errors; messages may contain text of an agent or service. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : 'INTERNAL_ERROR';
}

const shortened = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value.slice(0, MAX_CHARACTERS)]],
    ),
  );

/**
 * Returns the parent context of a request: its trace and span id only. The "not sampled" flag would let an agent
 * remove itself from the traces, and state and baggage are its own text.
 */
function parentOf(api: typeof Api, traceparents: readonly unknown[]): Api.Context | undefined {
  for (const each of traceparents) {
    const [, traceId, spanId] = TRACEPARENT.exec(typeof each === 'string' ? each : '') ?? [];
    if (traceId === undefined || spanId === undefined) continue;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
  }
  return undefined;
}
