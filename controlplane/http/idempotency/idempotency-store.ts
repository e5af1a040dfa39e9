import { createHash, createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deriveKey, type SecretKeys } from '../../../shared/config/secret-key.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { createRowCipher } from '../../storage/row-cipher.js';
import type { IdempotencyStore, RequestKey, Reservation, StoredAnswer } from '../idempotency.js';

const ANSWER_SECONDS = 24 * 3600;
/** Age after which a reservation without an answer counts as abandoned. */
const RESERVATION_SECONDS = 60;
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

/** Status and answer are null while the request runs. */
interface KeyRow {
  readonly bodyHash: Buffer;
  readonly status: number | null;
  readonly answer: Buffer | null;
  readonly etag: string | null;
}

/** A reservation without an answer that the request with the holder `$2` has. */
const HELD = 'key_hash = $1 AND holder = $2 AND status IS NULL';

/**
 * Stores answers in the database, which all processes of an installation share. Exactly one of several concurrent
 * requests with the same key runs. The others wait a moment for its answer. After that they get `in-progress`.
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

  /** Takes a key that is free, abandoned or expired. Of several concurrent callers, one gets it. */
  async function take({ hash, holder }: RequestKey, bodyHash: Buffer): Promise<boolean> {
    const rows = await database.query(
      `INSERT INTO idempotency_keys AS held (key_hash, body_hash, holder) VALUES ($1, $2, $5)
       ON CONFLICT (key_hash) DO UPDATE SET body_hash = EXCLUDED.body_hash, holder = EXCLUDED.holder,
           created_at = now(), status = NULL, answer = NULL, etag = NULL
         WHERE held.created_at < now() - make_interval(secs => CASE WHEN held.status IS NULL THEN $4::int ELSE $3::int END)
       RETURNING 1`,
      [hash, bodyHash, ANSWER_SECONDS, RESERVATION_SECONDS, holder],
    );
    return rows.length > 0;
  }

  /** Returns the state of a key that another request holds. */
  async function findReservation(keyHash: Buffer, body: string): Promise<Reservation> {
    const [row] = await database.query<KeyRow>(
      `SELECT ${asMembers('body_hash, status, answer, etag')} FROM idempotency_keys WHERE key_hash = $1`,
      [keyHash],
    );
    if (row === undefined) return { outcome: 'in-progress' };
    const { status, answer, etag } = row;
    const isSame = [hashBody, ...oldHashes].some((hash) => row.bodyHash.equals(hash(body)));
    if (!isSame) return { outcome: 'other-body' };
    if (status === null || answer === null) return { outcome: 'in-progress' };
    const text = cipher.decrypt(answer, keyHash);
    return { outcome: 'answered', answer: { status, body: text, etag: etag ?? undefined } };
  }

  /** The first answer stays. Resolves to whether this one was stored. */
  async function putAnswer(source: Queryable, { hash, holder }: RequestKey, answer: StoredAnswer) {
    const rows = await source.query(
      `UPDATE idempotency_keys SET status = $3, answer = $4, etag = $5 WHERE ${HELD} RETURNING 1`,
      [hash, holder, answer.status, cipher.encrypt(answer.body, hash), answer.etag ?? null],
    );
    return rows.length > 0;
  }

  return {
    async reserve(key, body) {
      const bodyHash = hashBody(body);
      const deadlineMs = performance.now() + waitMs;
      for (;;) {
        if (await take(key, bodyHash)) return { outcome: 'reserved' };
        const reservation = await findReservation(key.hash, body);
        if (reservation.outcome !== 'in-progress' || performance.now() >= deadlineMs) return reservation;
        // Its holder may answer, or release it. Then this request takes the key.
        await delay(POLL_INTERVAL_MS);
      }
    },
    async complete(key, answer) {
      await putAnswer(database, key, answer);
    },
    completeIn: putAnswer,
    async renew({ hash, holder }) {
      await database.query(`UPDATE idempotency_keys SET created_at = now() WHERE ${HELD}`, [hash, holder]);
    },
    async release({ hash, holder }) {
      await database.query(`DELETE FROM idempotency_keys WHERE ${HELD}`, [hash, holder]);
    },
  };
}

/** Removes some rows past their lifetime. Resolves to whether there may be more. */
export async function deleteExpired(source: Queryable): Promise<boolean> {
  const rows = await source.query(
    `DELETE FROM idempotency_keys WHERE key_hash IN (
       SELECT key_hash FROM idempotency_keys WHERE created_at < now() - make_interval(secs => $1)
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [ANSWER_SECONDS, CLEANING_LIMIT_ROWS],
  );
  return rows.length === CLEANING_LIMIT_ROWS;
}

/** Deletes answers and reservations past their lifetime, in the background. */
export function createIdempotencyCleaning(database: Queryable, logger: Logger): RoundWork {
  return createBackgroundWork({
    intervalMs: CLEANING_INTERVAL_MS,
    async runRound() {
      while (await deleteExpired(database));
    },
    logger,
    failure: 'old idempotent answers could not be deleted; trying again shortly',
  });
}
