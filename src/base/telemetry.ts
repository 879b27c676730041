/** Spans of the work, for OpenTelemetry. Nothing is recorded until a tracer is set (the setting `telemetry`). */

/** Codes, names from fixed lists and ids made here; no argument, amount, address or text of an agent or a service. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export interface SpanStart {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: Attributes;
  /** W3C `traceparent` values of the request; the first valid one is the parent. */
  readonly traceparents?: readonly unknown[];
}

/** Runs work in a span that ends when the work returns or settles. Throws only what the work throws. */
export type Tracer = <T>(start: SpanStart, work: (note: (more: Attributes) => void) => T) => T;

/** On `globalThis`: the start bundle and the chunks of `dist/` each hold a copy of this module. */
const TRACER = Symbol.for('countersign.tracer');

export function setTracer(tracer: Tracer): void {
  Reflect.set(globalThis, TRACER, tracer);
}

/** Runs work in a span. `note` adds attributes; a failure adds `error.type`. */
export const traced: Tracer = (start, work) => {
  const tracer: Tracer | undefined = Reflect.get(globalThis, TRACER);
  return tracer === undefined ? work(() => undefined) : tracer(start, work);
};
