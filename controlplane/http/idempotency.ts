import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { Queryable } from '../storage/postgres/database.js';

/** The first answer for a key. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  /** Undefined for answers that are not a single resource. */
  readonly etag?: string | undefined;
}

export type Reservation =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'answered'; readonly answer: StoredAnswer }
  | { readonly outcome: 'other-body' }
  | { readonly outcome: 'in-progress' };

/** A key in one request. */
export interface RequestKey {
  readonly hash: Buffer;
  /** Random bytes of the request. Only the request that holds the reservation renews, completes or releases it. */
  readonly holder: Buffer;
}

/** Remembers answers by key for 24 hours. */
export interface IdempotencyStore {
  /** Takes the key for this request, or returns the state of the request that took it before. */
  reserve(key: RequestKey, body: string): Promise<Reservation>;
  /** Extends the reservation of a running request. */
  renew(key: RequestKey): Promise<void>;
  /** Stores the answer of a reserved key, unless it has one. */
  complete(key: RequestKey, answer: StoredAnswer): Promise<void>;
  /**
   * Stores the answer in the transaction of the change: both are committed or neither. Resolves to false when another
   * request has taken over the reservation: the transaction must be rolled back.
   */
  completeIn(tx: Queryable, key: RequestKey, answer: StoredAnswer): Promise<boolean>;
  /** Releases a reserved key, because the request has no effect. */
  release(key: RequestKey): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether `Idempotency-Key` is ignored: the answer contains a secret, and the body a password. */
    storesNoAnswer?: boolean;
  }
  interface FastifyRequest {
    idempotencyKey: RequestKey | undefined;
    idempotencyStore: IdempotencyStore | undefined;
    /** Body of the answer that a transaction has stored. The transaction may have failed afterwards. */
    keptBody: string | undefined;
    /** Renews the reservation while the request runs. */
    idempotencyRenewal: NodeJS.Timeout | undefined;
  }
}

/** Stores the answer about a transaction's change in that transaction. */
export type KeepAnswer<Made> = (tx: Queryable, made: Made) => Promise<void>;

/**
 * Returns a function that a service calls at the end of its transaction. A crash after the commit then cannot repeat
 * the work, because the key already has its answer. Returns undefined for requests without a key.
 *
 * @param bodyOf returns the body that the route will send; must not do asynchronous work
 * @param etagOf returns the `ETag` that the route will send
 */
export function keepAnswer<Made>(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  bodyOf: (made: Made) => object,
  etagOf?: (made: Made) => string,
): KeepAnswer<Made> | undefined {
  const { idempotencyKey: key, idempotencyStore: store } = request;
  if (key === undefined || store === undefined) return undefined;
  return async (tx, made) => {
    const body = String(reply.serializeInput({ ...bodyOf(made) }, String(status)));
    if (!(await store.completeIn(tx, key, { status, body, etag: etagOf?.(made) }))) throw inProgress();
    request.keptBody = body;
  };
}

/**
 * `Idempotency-Key` on POST: the same key and body return the first answer. Only answers below 500 are stored, except
 * 429; a failed request may be repeated with its key.
 */
export function useIdempotency(app: FastifyInstance, store: IdempotencyStore): void {
  app.decorateRequest('idempotencyKey', undefined);
  app.decorateRequest('idempotencyStore', undefined);
  app.decorateRequest('keptBody', undefined);
  app.decorateRequest('idempotencyRenewal', undefined);

  app.addHook('preHandler', async (request, reply) => {
    const given = request.headers['idempotency-key'];
    if (request.method !== 'POST' || given === undefined || request.is404) return;
    if (request.routeOptions.config.storesNoAnswer === true) return;
    if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
      throw new AppError('INVALID_REQUEST', {
        field: 'Idempotency-Key',
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      });
    }
    const hash = sha256(callerOf(request), request.routeOptions.url ?? '', request.url, given);
    const key = { hash, holder: randomBytes(HOLDER_BYTES) };
    const reservation = await store.reserve(key, JSON.stringify(request.body ?? null));
    switch (reservation.outcome) {
      case 'reserved':
        request.idempotencyKey = key;
        request.idempotencyStore = store;
        request.idempotencyRenewal = setInterval(() => renew(request, key), RENEWAL_INTERVAL_MS);
        request.idempotencyRenewal.unref();
        return;
      case 'answered':
        reply.header('Idempotent-Replayed', 'true').type('application/json; charset=utf-8');
        if (reservation.answer.etag !== undefined) reply.header('ETag', reservation.answer.etag);
        return reply.code(reservation.answer.status).serializer(String).send(reservation.answer.body);
      case 'other-body':
        throw new AppError('VALIDATION_ERROR', {
          field: 'Idempotency-Key',
          message: 'This Idempotency-Key was used with another body; use a new key for a new request.',
        });
      case 'in-progress':
        throw inProgress();
    }
  });

  function renew(request: FastifyRequest, key: RequestKey): void {
    store
      .renew(key)
      .catch((error: unknown) => request.log.warn({ err: error }, 'an Idempotency-Key could not be renewed'));
  }

  app.addHook('onResponse', async ({ idempotencyRenewal }) => clearInterval(idempotencyRenewal));

  app.addHook('onSend', async (request, reply, payload) => {
    const key = request.idempotencyKey;
    if (key === undefined) return;
    request.idempotencyKey = undefined;
    clearInterval(request.idempotencyRenewal);
    // The answer to a change that was made is stored with it. Any other answer says that the transaction has failed.
    if (request.keptBody !== undefined && payload === request.keptBody) return;
    const isFinal = reply.statusCode < 500 && reply.statusCode !== 429;
    if (isFinal && typeof payload === 'string') {
      const etag = reply.getHeader('etag')?.toString();
      await store.complete(key, { status: reply.statusCode, body: payload, etag }).catch(unkept);
    } else {
      await store.release(key).catch(unkept);
    }

    // The work is done. A failure to store its answer is no reason to hide it.
    function unkept(error: unknown): void {
      request.log.warn({ err: error }, 'the answer to an Idempotency-Key could not be kept');
    }
  });
}

/** A reservation ends 60 s after its last renewal, so a crashed process does not hold a key for long. */
const RENEWAL_INTERVAL_MS = 20_000;
const HOLDER_BYTES = 16;

function inProgress(): AppError {
  return new AppError('IDEMPOTENCY_CONFLICT', {
    message: 'A request with this Idempotency-Key is being answered; retry shortly.',
  });
}

function callerOf(request: FastifyRequest): string {
  return 'user' in request.identity ? `user:${request.identity.user.id}` : request.callerKey;
}

function sha256(...parts: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest();
}
