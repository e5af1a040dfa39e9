import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, errorBody } from '../errors/app-error.js';
import {
  DatabaseFullError,
  DatabaseReadOnlyError,
  DatabaseUnavailableError,
} from '../storage/postgres/database-unavailable.js';
import { challengeFor } from './authentication.js';
import { violationError } from './request-validation.js';

/** Throws for a request that matches no route. */
export type RefuseUnmatched = (request: FastifyRequest, reply: FastifyReply) => never;

/**
 * Converts every error into an answer with the common error format. Returns a hook that refuses requests without a
 * route: Fastify reads the body before it calls its own handler.
 */
export function useErrorAnswers(app: FastifyInstance): RefuseUnmatched {
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply));
  const allowedMethods = collectAllowedMethods(app);
  const refuse: RefuseUnmatched = (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const allowed = allowedMethods(path).join(', ');
    if (allowed !== '') {
      reply.header('Allow', allowed);
      throw new AppError('METHOD_NOT_ALLOWED', {
        message: `${request.method} is not allowed at ${pathOf(request.url)}; allowed are: ${allowed}.`,
      });
    }
    throw new AppError('NOT_FOUND', {
      message: `There is nothing at ${request.method} ${pathOf(request.url)}. The paths are listed at /docs.`,
    });
  };
  app.setNotFoundHandler(refuse);
  return refuse;
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = settleError(error, request, reply);
  return reply.code(answer.status).type('application/json; charset=utf-8').send(errorBody(answer));
}

/** Logs the failure and sets the headers of the answer. The caller sends the returned error. */
export function settleError(error: unknown, request: FastifyRequest, reply: FastifyReply): AppError {
  const answer = toAppError(error, request);
  // Without cause and detail nothing has failed: a limit was reached, such as that of log-ins. Metrics count these.
  const hasFailed = answer.cause !== undefined || answer.detail !== undefined;
  if (answer.code === 'SERVICE_UNAVAILABLE' && !hasFailed) request.log.debug(answer.message);
  else if (answer.status >= 500) {
    request.log.error({ err: answer.cause ?? answer, detail: answer.detail }, 'request failed');
  }
  if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', answer.retryAfterSeconds);
  if (answer.status === 401) reply.header('WWW-Authenticate', challengeFor(answer.code));
  return answer;
}

function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseFullError) {
    return new AppError('SERVICE_UNAVAILABLE', {
      message: 'The disk of the database is full; retry when there is room. Redirecting is not affected.',
      cause: error,
    });
  }
  if (error instanceof DatabaseReadOnlyError) {
    return new AppError('SERVICE_UNAVAILABLE', {
      message: 'The database can only be read at the moment; retry shortly. Redirecting is not affected.',
      cause: error,
    });
  }
  if (error instanceof DatabaseUnavailableError) {
    return new AppError('SERVICE_UNAVAILABLE', {
      message: 'The database cannot be reached at the moment; retry shortly. Redirecting is not affected.',
      cause: error,
    });
  }
  if (!isFastifyError(error)) return internalError(error);
  if (error.validation !== undefined) {
    return violationError(
      error.validation as Parameters<typeof violationError>[0],
      error.validationContext ?? '',
    );
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('BODY_TOO_LARGE', {
        message: `The request body must be at most ${mebibytes(request.routeOptions.bodyLimit)} MiB.`,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('INVALID_REQUEST', {
        message: `A request with a body needs the header Content-Type: ${acceptedTypes(request)}.`,
      });
    default:
      break;
  }
  // Other statuses below 500 are Fastify's refusals of malformed requests (length, URL); their text may name
  // internals.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('INVALID_REQUEST', { message: 'The request is malformed.', cause: error });
  }
  return internalError(error);
}

const mebibytes = (bytes: number) => Math.round((bytes / 1024 / 1024) * 100) / 100;

/** Returns the media types of bodies that the route takes. */
function acceptedTypes({ routeOptions }: FastifyRequest): string {
  const types = routeOptions.schema?.consumes ?? ['application/json'];
  return [types.slice(0, -1).join(', '), types.at(-1)].filter(Boolean).join(' or ');
}

function internalError(cause: unknown): AppError {
  return new AppError('INTERNAL_ERROR', {
    message: 'The server failed to answer. Quote the X-Request-Id header when you report this.',
    cause,
  });
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error;
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]?.slice(0, 200) ?? '';
}

/**
 * Answers data that is not an HTTP request like any other error, and closes the connection. Fastify's hooks do not
 * run for it.
 *
 * @param countUnreadable resolves to the rate limit's headers; never rejects
 */
export function refuseMalformedHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
  countUnreadable: (address: string) => Promise<Readonly<Record<string, number>>>,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLarge ? 'The request headers are too large.' : 'This is not a well-formed HTTP request.';
  const body = JSON.stringify(errorBody(new AppError('INVALID_REQUEST', { message })));
  void countUnreadable(socket.remoteAddress ?? '').then((rateLimitHeaders) => {
    if (!socket.writable) return;
    const headers = {
      'X-Request-Id': randomUUID(),
      ...rateLimitHeaders,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Finds the methods of a path, for requests with another one. */
type AllowedMethods = (path: string) => readonly string[];

/**
 * Collects the routes that are added from now on. The returned function compares a path with all of them, so it is for
 * requests that matched none.
 */
export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods);
    for (const name of [method].flat()) methods.add(name);
  });

  return (path) => {
    const segments = segmentsOf(path);
    const allowed = new Set<string>();
    for (const [url, methods] of methodsByUrl) {
      if (!matches(segmentsOf(url), segments)) continue;
      for (const method of methods) allowed.add(method);
    }
    return [...allowed].sort();
  };
}

/** A slash at the end is ignored. */
const segmentsOf = (path: string) => path.replace(/^\/|\/$/g, '').split('/');

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) =>
    part.startsWith(':') ? segments[index] !== '' : part === segments[index],
  );
}
