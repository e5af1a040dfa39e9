import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the client closes its connection before it has the whole answer. */
export function clientLeft({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  // Each statement of an answer listens.
  setMaxListeners(0, leaving.signal);
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
