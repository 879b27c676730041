/**
 * Redacts a response and reports its end. Event streams are redacted per event, other bodies as a whole, so that a
 * secret is never split.
 */

/** Returns the redacted response. `done` is called once: when it was sent, or when the client disconnected. */
export function whenDone(
  response: Response,
  redact: (text: string) => Promise<string>,
  done: () => void,
): Response {
  const { body, status, headers } = response;
  if (body === null) {
    done();
    return response;
  }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let kept = '';

  /** Returns the text that can be redacted now: whole events of a stream, nothing of another body before its end. */
  const ready = (): string => {
    const end = isStream ? kept.lastIndexOf('\n\n') : -1;
    if (end < 0) return '';
    const whole = kept.slice(0, end + 2);
    kept = kept.slice(end + 2);
    return whole;
  };

  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        for (;;) {
          const { done: ended, value } = await reader.read();
          kept += ended ? decoder.decode() : decoder.decode(value, { stream: true });
          const text = ended ? kept : ready();
          if (text !== '') controller.enqueue(encoder.encode(await redact(text)));
          if (ended) {
            controller.close();
            done();
            return;
          }
          if (text !== '') return;
        }
      } catch (error) {
        done();
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      done();
      await reader.cancel(reason);
    },
  });
  const passedOn = new Headers(headers);
  passedOn.delete('content-length');
  return new Response(stream, { status, headers: passedOn });
}
