import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

const compress = promisify(gzip);
/** Matches `gzip` unless its weight is 0. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

interface Served {
  readonly body: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

/**
 * Returns a handler that answers with the document as JSON, compressed for clients that accept gzip. It is written and
 * compressed once, at the first request.
 *
 * @param read is called once, after all routes are registered
 */
export function serveDocument(read: () => object): RouteHandlerMethod {
  let serving: Promise<Served> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    serving ??= prepare(read());
    const { body, compressed, etag } = await serving;
    // The tag is weak, because both encodings share it.
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Origin, Accept-Encoding');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    if (!ACCEPTS_GZIP.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(body);
    return reply.header('Content-Encoding', 'gzip').send(compressed);
  };
}

async function prepare(document: object): Promise<Served> {
  const body = Buffer.from(JSON.stringify(document));
  const compressed = await compress(body, { level: 9 });
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 16);
  return { body, compressed, etag: `W/"${digest}"` };
}
