/**
 * Telemetry of the person's own (`--telemetry MODULE`): a module whose default export registers an OpenTelemetry SDK. It
 * runs inside the server and is trusted as the server's own code is. Without it nothing of OpenTelemetry is loaded, so that
 * an SDK which the environment brings along (`NODE_OPTIONS`) is told nothing either.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Api from '@opentelemetry/api';
import type { Observer } from '../../base/observer.ts';
import { asRecord } from '../../base/record.ts';
import { createOpenTelemetryObserver } from './openTelemetry.ts';

/** How long the module may take at the end to send what it still has, in milliseconds. */
const SHUTDOWN_MS = 1_000;

export interface Telemetry {
  readonly observer: Observer;
  /** Lets the SDK send what it has, at most so long. Never rejects. */
  shutdown(): Promise<void>;
}

/**
 * Loads the module, calls its default export and waits for what it gives: nothing, or an object whose `shutdown` is called
 * at the end. `undefined` when it cannot be used, which is logged; no text of the module is repeated. Never rejects.
 */
export async function openTelemetry(
  path: string,
  version: string,
  log: (line: string) => void,
): Promise<Telemetry | undefined> {
  try {
    const address = pathToFileURL(resolve(path)).href;
    const loaded: { readonly default?: unknown } = await import(address);
    if (typeof loaded.default !== 'function') throw new TypeError('no function');
    const made: unknown = await loaded.default();
    const api = await apiBeside(address);
    if (!isRegistered()) {
      log(`The telemetry module ${path} registered no OpenTelemetry SDK; nothing is recorded.`);
      return undefined;
    }
    log(`telemetry goes to what ${path} registered`);
    return {
      observer: createOpenTelemetryObserver({
        api,
        version,
        passed: () => performance.now(),
        failed: () => log('the telemetry module throws; some of what it should record is lost'),
      }),
      shutdown: () => Promise.race([ended(made), pause(SHUTDOWN_MS)]),
    };
  } catch {
    log(
      `The telemetry module ${path} cannot be used. Its default export must be a function that registers an OpenTelemetry SDK; see docs/fleet.md.`,
    );
    return undefined;
  }
}

/**
 * The API that the module's SDK registers with: the one installed beside it, else the one this server brings. An API only
 * works with an SDK that was registered through the same version or a newer one.
 */
async function apiBeside(address: string): Promise<typeof Api> {
  let beside: typeof Api | undefined;
  try {
    beside = createRequire(address)('@opentelemetry/api');
  } catch {
    // There is none: the module is one file, or brings another way to load it.
  }
  return beside ?? import('@opentelemetry/api');
}

/** Where every 1.x version of the API keeps what was registered. */
const isRegistered = (): boolean => {
  const { trace, metrics } = asRecord(Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1')));
  return trace !== undefined || metrics !== undefined;
};

async function ended(made: unknown): Promise<void> {
  try {
    const shutdown: unknown =
      typeof made === 'object' && made !== null ? Reflect.get(made, 'shutdown') : undefined;
    if (typeof shutdown === 'function') await Reflect.apply(shutdown, made, []);
  } catch {
    // Nothing can be done for it any more.
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
