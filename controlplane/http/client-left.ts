import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';
import { onceAnswerOver } from './answer-over.js';

/** Returns a signal that is aborted when the client closes its connection before the whole answer was sent. */
export function clientLeft(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  // Each statement of an answer listens.
  setMaxListeners(0, leaving.signal);
  onceAnswerOver(reply, () => {
    if (!reply.raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
