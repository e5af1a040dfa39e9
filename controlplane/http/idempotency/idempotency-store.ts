import { createHash, createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deriveKey, type SecretKeys } from '../../../shared/config/secret-key.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { createRowCipher } from '../../storage/row-cipher.js';
import type { IdempotencyStore, RequestKey, Reservation, StoredAnswer } from '../idempotency.js';
import { type IdempotencyRow, idempotencyRepository, type StoredBytes } from './idempotency-repository.js';

const LIFETIMES = { answerSeconds: 24 * 3600, reservationSeconds: 60 };
const WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 50;
const CLEANING_INTERVAL_MS = 60_000;
const BODY_PURPOSE = 'waymark/idempotency-bodies/1';
const CLEANING_LIMIT_ROWS = 500;

export interface IdempotencyStoreDeps {
  readonly database: Queryable;
  /** The installation's secrets: answers are encrypted under a key derived from them. */
  readonly secrets: SecretKeys;
  /** Time that a request waits for the answer to another one with the same key. */
  readonly waitMs?: number;
}

/**
 * Stores answers in the database, so that every process of an installation knows them. Of concurrent requests with
 * one key exactly one runs; the others wait a moment for its answer, and then learn that it is running.
 */
export function createIdempotencyStore(deps: IdempotencyStoreDeps): IdempotencyStore {
  const { database, secrets, waitMs = WAIT_MS } = deps;
  const cipher = createRowCipher(secrets, 'waymark/idempotency-answers/1');

  /** A body may hold a secret that could be guessed, so its hash has a key. */
  const hashWith = (key: Buffer) => (body: string) => createHmac('sha256', key).update(body).digest();
  const [hashBody, ...hashesBefore] = [secrets.current, ...secrets.previous].map((secret) =>
    hashWith(deriveKey(secret, BODY_PURPOSE)),
  ) as [(body: string) => Buffer];
  /** Hashes that stored rows may have: those of the old keys, and unkeyed ones of an older release. */
  const oldHashes = [
    ...hashesBefore,
    (body: string) => createHash('sha256').update(body).update('\0').digest(),
  ];

  /** Returns the state of a key that another request holds. */
  function judge(row: IdempotencyRow, keyHash: Buffer, body: string): Reservation {
    const isSame = [hashBody, ...oldHashes].some((hash) => row.bodyHash.equals(hash(body)));
    if (!isSame) return { outcome: 'other-body' };
    if (row.answer === undefined) return { outcome: 'in-progress' };
    const { status, bytes, etag } = row.answer;
    return { outcome: 'answered', answer: { status, body: cipher.decrypt(bytes, keyHash), etag } };
  }

  const encrypted = ({ hash }: RequestKey, { status, body, etag }: StoredAnswer): StoredBytes => ({
    status,
    bytes: cipher.encrypt(body, hash),
    etag,
  });

  return {
    async reserve(key, body) {
      const bodyHash = hashBody(body);
      const deadlineMs = performance.now() + waitMs;
      for (;;) {
        if (await idempotencyRepository.take(database, key, bodyHash, LIFETIMES)) {
          return { outcome: 'reserved' };
        }
        const row = await idempotencyRepository.find(database, key.hash);
        const reservation: Reservation = row ? judge(row, key.hash, body) : { outcome: 'in-progress' };
        if (reservation.outcome !== 'in-progress' || performance.now() >= deadlineMs) return reservation;
        // Its holder may answer, or release it. Then this request takes the key.
        await delay(POLL_INTERVAL_MS);
      }
    },
    async complete(key, answer) {
      await idempotencyRepository.putAnswer(database, key, encrypted(key, answer));
    },
    completeIn: (tx, key, answer) => idempotencyRepository.putAnswer(tx, key, encrypted(key, answer)),
    renew: (key) => idempotencyRepository.renew(database, key),
    release: (key) => idempotencyRepository.deleteUnanswered(database, key),
  };
}

export interface IdempotencyCleaningDeps {
  readonly database: Queryable;
  readonly logger: Logger;
}

/** Deletes answers and reservations past their lifetime, in the background. */
export type IdempotencyCleaning = RoundWork;

export function createIdempotencyCleaning({
  database,
  logger,
}: IdempotencyCleaningDeps): IdempotencyCleaning {
  async function runRound(): Promise<void> {
    let deleted: number;
    do {
      deleted = await idempotencyRepository.deleteExpired(
        database,
        LIFETIMES.answerSeconds,
        CLEANING_LIMIT_ROWS,
      );
    } while (deleted === CLEANING_LIMIT_ROWS);
  }

  const work = createBackgroundWork({
    intervalMs: CLEANING_INTERVAL_MS,
    runRound,
    logger,
    failure: 'old idempotent answers could not be deleted; trying again shortly',
  });
  return work;
}
