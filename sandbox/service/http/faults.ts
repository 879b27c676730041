/** Injected HTTP faults of the service by name (F01 … F18). */
import { gzipSync } from 'node:zlib';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import type { ServiceEnv } from '../state.ts';

/** Descriptions of the faults. */
export const SERVICE_FAULTS = {
  reset: 'resets the connection instead of answering (F02)',
  reset_after: 'does the work, then resets the connection (F15, F17)',
  hang: 'accepts the request and never answers (F03)',
  slow_drip: 'sends its answer one byte a second (F03)',
  truncated: 'announces more bytes than it sends, then closes (F02)',
  server_error: 'answers 503 (F04)',
  too_many: 'answers 429 with a reset time one minute ahead (F07)',
  too_many_bare: 'answers 429 without body or headers (F08)',
  not_success: 'answers 200 with success false (F09)',
  html: 'answers 200 with a web page (F10)',
  empty: 'answers 200 with nothing (F10)',
  oversized: 'answers with a hundred megabytes of JSON (F11)',
  gzip_bomb: 'answers with two hundred megabytes squeezed into a few (F11)',
  redirect: 'redirects to another origin (F12)',
} as const;

export type ServiceFaultName = keyof typeof SERVICE_FAULTS;

const OVERSIZED_BYTES = 100 * 1_048_576;
const BOMB_BYTES = 200 * 1_048_576;
const CHUNK = Buffer.alloc(65_536, 0x20);
const DRIP_MS = 1_000;

/** Whether a text names a service fault. */
export function isServiceFault(name: string): name is ServiceFaultName {
  return Object.hasOwn(SERVICE_FAULTS, name);
}

/** The armed fault and its remaining requests. */
export class ServiceFaults {
  #name: ServiceFaultName | undefined;
  #left = 0;

  /** Arms a fault for a number of requests, or until it is disarmed. */
  arm(name: ServiceFaultName, requests = Number.POSITIVE_INFINITY): void {
    this.#name = name;
    this.#left = requests;
  }

  disarm(): void {
    this.#name = undefined;
  }

  /** Returns the fault of this request and counts the request. */
  meet(): ServiceFaultName | undefined {
    if (this.#name === undefined || this.#left <= 0) return undefined;
    this.#left -= 1;
    return this.#name;
  }
}

/** Middleware that plays the armed fault, before rate limits and handlers but not on controls. */
export function faulty(faults: ServiceFaults, now: () => number): MiddlewareHandler<ServiceEnv> {
  return async (context, next) => {
    const fault = context.req.path.startsWith('/sandbox/') ? undefined : faults.meet();
    if (fault === undefined) return next();
    const { incoming, outgoing } = context.env;
    const reset = () => incoming.socket.destroy();
    switch (fault) {
      case 'reset':
        reset();
        return RESPONSE_ALREADY_SENT;
      case 'reset_after':
        await next();
        reset();
        return undefined;
      case 'hang':
        return RESPONSE_ALREADY_SENT;
      case 'slow_drip': {
        outgoing.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => outgoing.write(' '), DRIP_MS);
        timer.unref();
        outgoing.on('close', () => clearInterval(timer));
        return RESPONSE_ALREADY_SENT;
      }
      case 'truncated':
        outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        outgoing.write('{"success":true,');
        setTimeout(reset, 20).unref();
        return RESPONSE_ALREADY_SENT;
      case 'server_error':
        return context.json({ success: false, error: 'Service unavailable' }, 503);
      case 'too_many': {
        const resetTime = Math.ceil(now() / 1000) + 60;
        const error = 'Rate limit exceeded';
        return context.json({ success: false, error, limit: 5000, remaining: 0, resetTime }, 429);
      }
      case 'too_many_bare':
        return context.body(null, 429);
      case 'not_success':
        return context.json({ success: false, error: 'Something went wrong' });
      case 'html':
        return context.html('<!doctype html><title>Bad gateway</title>');
      case 'empty':
        return context.body(null, 200);
      case 'oversized': {
        outgoing.writeHead(200, { 'content-type': 'application/json' });
        let sent = 0;
        const more = () => {
          while (sent < OVERSIZED_BYTES && !outgoing.destroyed) {
            sent += CHUNK.length;
            if (!outgoing.write(CHUNK)) return;
          }
          outgoing.end();
        };
        outgoing.on('drain', more);
        more();
        return RESPONSE_ALREADY_SENT;
      }
      case 'gzip_bomb':
        return context.body(new Uint8Array(gzipSync(Buffer.alloc(BOMB_BYTES, 0x20), { level: 1 })), 200, {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        });
      case 'redirect':
        return context.redirect('http://127.0.0.1:9/elsewhere', 302);
    }
  };
}
