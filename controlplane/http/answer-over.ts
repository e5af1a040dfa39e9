import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * Callbacks that wait for the end of a connection. Each connection has one listener for all of its pipelined requests.
 */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Returns whether nothing more can be sent: the answer was sent or cancelled, or the connection is closed. */
export function isAnswerOver({ raw, request }: FastifyReply): boolean {
  return raw.closed || request.raw.socket.destroyed;
}

/**
 * Calls `listener` once, when the answer was sent or its connection was closed. Calls it immediately if that has
 * already happened.
 *
 * The events of the answer are not sufficient. An answer that waits for earlier answers of its connection has no
 * socket, so it emits no `close` when the connection ends.
 */
export function onceAnswerOver(reply: FastifyReply, listener: () => void): void {
  if (isAnswerOver(reply)) {
    listener();
    return;
  }
  const { raw } = reply;
  const listeners = listenersOf(reply.request.raw.socket);
  const end = () => {
    raw.off('close', end);
    listeners.delete(end);
    listener();
  };
  raw.once('close', end);
  listeners.add(end);
}

function listenersOf(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  waiting.set(socket, listeners);
  socket.once('close', () => {
    for (const end of listeners) end();
  });
  return listeners;
}

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
