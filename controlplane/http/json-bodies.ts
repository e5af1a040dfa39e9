import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { inTurns } from '../../shared/async/in-turns.js';
import { AppError } from '../errors/app-error.js';
import { BrokenJson, LongText, parseInSteps } from './large-json.js';

/** Deeper than any valid body, and far from exhausting the stack by recursion. */
const MAX_DEPTH = 64;

/** Minimum size of a body that is read in steps, with other requests between them. */
const LARGE_BODY_BYTES = 256 * 1024;

/** Media type of JSON Merge Patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';

/**
 * Accepts only JSON; PATCH also accepts JSON Merge Patch. An empty body counts as none, because some clients always
 * send the header. Refuses `__proto__` and `constructor.prototype`. Strings are trimmed, except passwords.
 */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', MERGE_PATCH],
    { parseAs: 'buffer' },
    async ({ method, headers }: FastifyRequest, body: Buffer) => {
      if (method !== 'PATCH' && headers['content-type']?.trim().toLowerCase().startsWith(MERGE_PATCH)) {
        throw new AppError('INVALID_REQUEST', {
          message: 'A request with a body needs the header Content-Type: application/json.',
        });
      }
      if (body.length === 0) return undefined;
      return body.length < LARGE_BODY_BYTES ? readJson(body) : inTurns(readInSteps(body));
    },
  );
}

/**
 * Reads JSON as bodies are read. Strings are trimmed.
 *
 * @throws {AppError} INVALID_REQUEST, VALIDATION_ERROR
 */
export function readJson(body: Buffer): unknown {
  return tidy(parse(body), []);
}

/** Reads a large body in steps. Only long arrays are split. */
function* readInSteps(body: Buffer): Generator<undefined, unknown> {
  requireUtf8(body);
  try {
    return yield* parseInSteps(body, parseText, tidy);
  } catch (error) {
    if (error instanceof LongText) throw new AppError('VALIDATION_ERROR', { message: error.message });
    throw error instanceof BrokenJson ? invalidJson(error) : error;
  }
}

function parse(body: Buffer): unknown {
  requireUtf8(body);
  return parseText(body.toString());
}

function requireUtf8(body: Buffer): void {
  if (isUtf8(body)) return;
  throw new AppError('INVALID_REQUEST', { message: 'The request body is not valid UTF-8.' });
}

function parseText(text: string): unknown {
  try {
    return secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    throw invalidJson(cause);
  }
}

function invalidJson(cause: unknown): AppError {
  return new AppError('INVALID_REQUEST', { message: 'The request body is not valid JSON.', cause });
}

/** Members of a body that are not trimmed. */
const UNTRIMMED = new Set(['password', 'currentPassword', 'newPassword']);

type Path = (string | number)[];

/**
 * Trims all strings.
 *
 * @param path of the value. The members share one path object, because copies would cost more than the rest of the
 *   work.
 */
function tidy(value: unknown, path: Path): unknown {
  if (typeof value === 'string') return trimmed(requireStorable(value, path), path);
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

function trimmed(text: string, path: Path): string {
  return path.length === 1 && UNTRIMMED.has(String(path[0])) ? text : text.trim();
}

function tidyMember(value: unknown, name: string | number, path: Path): unknown {
  path.push(name);
  const tidied = tidy(value, path);
  path.pop();
  return tidied;
}

/**
 * Returns a text that PostgreSQL can store: without U+0000, and without half of a surrogate pair.
 *
 * @param path of the text
 * @throws {AppError} VALIDATION_ERROR
 */
export function requireStorable(text: string, path: Path): string {
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
