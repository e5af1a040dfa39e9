import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends a body that is already JSON. */
export function sendJson(reply: FastifyReply, body: Buffer | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body);
}
