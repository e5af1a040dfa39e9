import { setTimeout as delay } from 'node:timers/promises';
import { deriveKey } from '../../shared/config/secret-key.js';
import type { Queryable } from '../database/database.js';
import type { IdempotencyStore, Reservation } from '../plugins/idempotency.js';
import { createAnswerCipher } from './answer-cipher.js';
import { type IdempotencyRow, idempotencyRepository } from './idempotency-repository.js';

const LIFETIMES = { answerSeconds: 24 * 3600, reservationSeconds: 60 };
const WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 50;
const CLEANING_INTERVAL_MS = 60_000;
const CLEANING_LIMIT_ROWS = 500;

export interface IdempotencyStoreDeps {
  readonly database: Queryable;
  /** The installation's secret: answers are encrypted under a key derived from it. */
  readonly secret: Buffer;
  /** How long a request waits for the answer of another one with the same key. */
  readonly waitMs?: number;
}

/**
 * Keeps answers in the database, so that every process of an installation knows them. Of concurrent requests
 * with one key exactly one runs; the others wait a moment for its answer, then hear that it is under way.
 */
export function createIdempotencyStore(deps: IdempotencyStoreDeps): IdempotencyStore {
  const { database, secret, waitMs = WAIT_MS } = deps;
  const cipher = createAnswerCipher(deriveKey(secret, 'waymark/idempotency-answers/1'));
  let cleanedAtMs = Number.NEGATIVE_INFINITY;

  async function cleanNowAndThen(): Promise<void> {
    if (performance.now() - cleanedAtMs < CLEANING_INTERVAL_MS) return;
    cleanedAtMs = performance.now();
    const { answerSeconds } = LIFETIMES;
    const deleted = await idempotencyRepository.deleteExpired(database, answerSeconds, CLEANING_LIMIT_ROWS);
    // There may be more: whoever comes next goes on, so that no rate of requests is too high for it.
    if (deleted === CLEANING_LIMIT_ROWS) cleanedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** What a key held by another request means for this one. */
  function judge(row: IdempotencyRow, keyHash: Buffer, bodyHash: Buffer): Reservation {
    if (!row.bodyHash.equals(bodyHash)) return { outcome: 'other-body' };
    if (row.answer === undefined) return { outcome: 'in-progress' };
    const { status, bytes } = row.answer;
    return { outcome: 'answered', answer: { status, body: cipher.decrypt(bytes, keyHash) } };
  }

  return {
    async reserve(keyHash, bodyHash) {
      await cleanNowAndThen();
      const deadlineMs = performance.now() + waitMs;
      for (;;) {
        if (await idempotencyRepository.take(database, { keyHash, bodyHash }, LIFETIMES)) {
          return { outcome: 'reserved' };
        }
        const row = await idempotencyRepository.find(database, keyHash);
        const reservation: Reservation = row ? judge(row, keyHash, bodyHash) : { outcome: 'in-progress' };
        if (reservation.outcome !== 'in-progress' || performance.now() >= deadlineMs) return reservation;
        // Its holder may answer, or give it back: then this request takes its place.
        await delay(POLL_INTERVAL_MS);
      }
    },
    complete: (keyHash, { status, body }) =>
      idempotencyRepository.putAnswer(database, keyHash, { status, bytes: cipher.encrypt(body, keyHash) }),
    release: (keyHash) => idempotencyRepository.deleteUnanswered(database, keyHash),
  };
}
