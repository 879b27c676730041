/**
 * The observer that speaks to OpenTelemetry's API. What a person's SDK does with spans and counts is theirs; whatever it
 * throws stays here, so that watching never changes what is watched.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type * as Api from '@opentelemetry/api';
import type { Facts, Observer, Watched } from '../../base/observer.ts';
import { currentScope } from '../../server/scope.ts';

/** The conventions' borders of buckets, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Longest text of a fact: no name of a list and no id is longer. */
const MOST_CHARACTERS = 128;
/** Version 00 of W3C Trace Context: trace, span and flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const NOTHING = /^0+$/;

export interface ObserverOptions {
  readonly api: Pick<typeof Api, 'trace' | 'metrics' | 'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode'>;
  readonly version: string;
  /** Milliseconds that only pass. */
  readonly passed: () => number;
  /** Called once, when the SDK throws; its text may hold anything. */
  readonly failed: () => void;
}

/** The SDK must be registered already: meters of the API do not take up one that comes later. */
export function createOpenTelemetryObserver({ api, version, passed, failed }: ObserverOptions): Observer {
  /** The API's own notion of the current context needs a part of the SDK; this one is always there. */
  const current = new AsyncLocalStorage<Api.Context>();
  const counters = new Map<string, Api.Counter>();
  const durations = new Map<string, Api.Histogram>();
  let hasFailed = false;
  const safely = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      if (!hasFailed) failed();
      hasFailed = true;
      return undefined;
    }
  };
  const tracer = safely(() => api.trace.getTracer('countersign', version));
  const meter = safely(() => api.metrics.getMeter('countersign', version));

  const record = (metric: string, seconds: number, facts: Facts): void => {
    const known =
      durations.get(metric) ??
      meter?.createHistogram(metric, { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } });
    if (known === undefined) return;
    durations.set(metric, known);
    known.record(seconds, attributesOf(facts));
  };

  /** The span's context, and what ends it. */
  const started = (what: Watched) => {
    const began = passed();
    let facts: Facts = { ...what.facts, 'countersign.principal': currentScope()?.principal };
    const below = parentOf(api, what.parents ?? []) ?? current.getStore() ?? api.ROOT_CONTEXT;
    const kind = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, none: api.SpanKind.INTERNAL };
    const span = safely(() =>
      tracer?.startSpan(
        what.name,
        { kind: kind[what.kind ?? 'none'], attributes: attributesOf(facts) },
        below,
      ),
    );
    return {
      context: (span && safely(() => api.trace.setSpan(below, span))) ?? below,
      note: (more: Facts): void => {
        facts = { ...facts, ...more };
      },
      end: (): void => {
        safely(() => {
          span?.setAttributes(attributesOf(facts));
          if (facts['error.type'] !== undefined) span?.setStatus({ code: api.SpanStatusCode.ERROR });
          span?.end();
        });
        const { duration } = what;
        if (duration === undefined) return;
        const by = Object.fromEntries(duration.by.map((name) => [name, facts[name]]));
        safely(() => record(duration.metric, (passed() - began) / 1_000, by));
      },
    };
  };

  return {
    around: async (what, work) => {
      const { context, note, end } = started(what);
      try {
        return await current.run(context, () => work(note));
      } finally {
        end();
      }
    },
    begin: (what) => {
      const { note, end } = started(what);
      return (facts = {}) => {
        note(facts);
        end();
      };
    },
    count: (name, facts) => {
      safely(() => {
        const known = counters.get(name) ?? meter?.createCounter(name);
        if (known === undefined) return;
        counters.set(name, known);
        known.add(1, attributesOf(facts));
      });
    },
  };
}

function attributesOf(facts: Facts): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined) continue;
    attributes[name] = typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : value;
  }
  return attributes;
}

/**
 * The parent that a request names. Only its two ids are taken: its flags, its state and its baggage are the sender's own
 * words, and with the flag "not sampled" an agent could take itself out of the traces.
 */
function parentOf(api: ObserverOptions['api'], parents: readonly unknown[]): Api.Context | undefined {
  for (const parent of parents) {
    const [, traceId = '', spanId = ''] = TRACEPARENT.exec(typeof parent === 'string' ? parent : '') ?? [];
    if (NOTHING.test(traceId) || NOTHING.test(spanId) || traceId === '') continue;
    const remote = { traceId, spanId, traceFlags: 1, isRemote: true };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  }
  return undefined;
}
