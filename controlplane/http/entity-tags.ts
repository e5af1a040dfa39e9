import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../errors/app-error.js';

/** A list of entity tags: `"a", W/"b"`. */
const TAGS = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*$/;
const OPAQUE = /"([\x21\x23-\x7e]*)"/g;
const MAX_LENGTH = 4_096;
/** Characters of the digest in a tag. */
const DIGEST_LENGTH = 12;

const MAX_HEADER = {
  maxLength: MAX_LENGTH,
  // The pattern has no string of exactly the maximum length.
  documented: {
    maxLength: null,
    pattern: `^(\\*|${TAGS.source.slice(1, -1)})$`,
    examples: ['"3-Zm9vYmFyYmF6"'],
  },
};

/** Header of requests that change a resource. */
export const IfMatchSchema = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      ...MAX_HEADER,
      description: '`ETag` of the version to change. Another version gets 412.',
    }),
  ),
});

/** Header of requests that read a resource. */
export const IfNoneMatchSchema = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      ...MAX_HEADER,
      description: 'Known `ETag`. The answer is 304 while it is current.',
    }),
  ),
});

/** Answer 304 to requests that read a resource. */
export const NotModifiedSchema = Type.Null({
  description: 'The resource still has the ETag in `If-None-Match`.',
});

/** First part of a tag: a number, or a letter and a number if tags of several resources could be confused. */
export type TagVersion = number | `${string}${number}`;

/** Version of a resource that a client requires. */
export type Precondition = (version: TagVersion) => boolean;

/**
 * Tag of a representation: the version of the resource, and a digest of the body, which also has members that change
 * without the version (usage, status, hits).
 */
export function entityTag(version: TagVersion, body: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return `"${version}-${digest.slice(0, DIGEST_LENGTH)}"`;
}

/**
 * Returns the version that `If-Match` requires; undefined without the header. Compares only the version in a tag, so
 * new visits of a redirect do not prevent a change by its owner. Accepts weak tags, because proxies that compress
 * answers make tags weak.
 *
 * @throws {AppError} INVALID_REQUEST for a malformed header
 */
export function ifMatch(request: FastifyRequest): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const versions = tagsIn(header, 'If-Match').map((tag) => /^[^-]*/.exec(tag)?.[0]);
  return (version) => versions.includes(String(version));
}

/** @throws {AppError} PRECONDITION_FAILED naming the current version */
export function requirePrecondition(precondition: Precondition | undefined, version: TagVersion): void {
  if (precondition === undefined || precondition(version)) return;
  throw new AppError('PRECONDITION_FAILED', {
    field: 'If-Match',
    message: `The resource has changed: its version is ${version} now. Read it again and repeat the change, or leave If-Match out.`,
  });
}

/**
 * Sets `ETag`. Returns the body to send; undefined with status 304 when a GET names the tag in `If-None-Match`.
 *
 * @param changing members of a large body that change without the version. Default: the whole body
 */
export function tagged<Body>(
  request: FastifyRequest,
  reply: FastifyReply,
  version: TagVersion,
  body: Body,
  changing: unknown = body,
): Body | undefined {
  const tag = entityTag(version, changing);
  reply.header('ETag', tag);
  const known = request.headers['if-none-match'];
  if (request.method !== 'GET' || known === undefined) return body;
  const isKnown = known.trim() === '*' || tagsIn(known, 'If-None-Match').includes(tag.slice(1, -1));
  if (!isKnown) return body;
  reply.code(304);
  return undefined;
}

/** Returns the texts inside the quotes. */
function tagsIn(header: string, field: string): string[] {
  const text = header.trim();
  if (!TAGS.test(text)) {
    throw new AppError('INVALID_REQUEST', {
      field,
      message: `${field} must be *, or entity tags as in ETag, quotes included, separated by commas.`,
    });
  }
  return Array.from(text.matchAll(OPAQUE), ([, tag = '']) => tag);
}
