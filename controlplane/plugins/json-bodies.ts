import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { AppError } from '../errors/app-error.js';

/** Deeper than any body of ours, and far from where recursion would exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * JSON is the only content type. An empty body counts as none, so that clients which always send the header
 * may do so; `__proto__` and `constructor.prototype` are refused. Strings arrive trimmed.
 */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => (body.length === 0 ? undefined : tidy(parse(body), [])),
  );
}

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw new AppError('INVALID_REQUEST', { message: 'The request body is not valid UTF-8.' });
  }
  try {
    return secureJson.parse(body.toString(), { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', { message: 'The request body is not valid JSON.', cause });
  }
}

type Path = (string | number)[];

/**
 * Drops leading and trailing whitespace of all strings.
 *
 * @param path where the value stands; it is lent to its members, a copy for each would cost more than all else
 */
function tidy(value: unknown, path: Path): unknown {
  if (typeof value === 'string') return requireStorable(value, path).trim();
  if (typeof value !== 'object' || value === null) return value;
  if (path.length >= MAX_DEPTH) {
    throw new AppError('INVALID_REQUEST', {
      message: `The request body is nested more than ${MAX_DEPTH} levels deep.`,
    });
  }
  if (Array.isArray(value)) return value.map((item, index) => tidyMember(item, index, path));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [requireStorable(key, path), tidyMember(member, key, path)]),
  );
}

function tidyMember(value: unknown, name: string | number, path: Path): unknown {
  path.push(name);
  const tidied = tidy(value, path);
  path.pop();
  return tidied;
}

/** PostgreSQL stores every character of a string but U+0000, and no half of one that UTF-16 writes as a pair. */
function requireStorable(text: string, path: Path): string {
  const fault = text.includes('\0')
    ? 'the character U+0000'
    : /\p{Cs}/u.test(text) && 'an unpaired surrogate';
  if (fault === false) return text;
  const message = `${path.join('.') || 'body'} must not contain ${fault}.`;
  throw new AppError(
    'VALIDATION_ERROR',
    path.length === 0 ? { message } : { message, field: path.join('.') },
  );
}
