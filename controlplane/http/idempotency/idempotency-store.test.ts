import { createHash, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import type { RequestKey } from '../idempotency.js';
import { createIdempotencyCleaning, createIdempotencyStore } from './idempotency-store.js';

const secrets = { current: Buffer.from('the secret of this installation'), previous: [] };
const hash = (text: string) => createHash('sha256').update(text).digest();
/** A key as a request uses it. */
const requestKey = (text: string): RequestKey => ({ hash: hash(text), holder: randomBytes(16) });
const body = '{"password":"body"}';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
});
afterAll(() => test.close());
beforeEach(() => database.query('DELETE FROM idempotency_keys'));

const cleaning = () => createIdempotencyCleaning(database, pino({ level: 'silent' }));
const newStore = (waitMs = 0) => createIdempotencyStore({ database, secrets, waitMs });
const age = ({ hash: keyHash }: RequestKey, seconds: number) =>
  database.query(
    'UPDATE idempotency_keys SET created_at = now() - make_interval(secs => $2) WHERE key_hash = $1',
    [keyHash, seconds],
  );

describe('an idempotency key', () => {
  const key = requestKey('key');
  const answer = { status: 201, body: '{"token":"wm_shown-once","note":"ä€😀"}' };

  it('is reserved once, and then in progress', async () => {
    const store = newStore();
    expect(await store.reserve(key, body)).toEqual({ outcome: 'reserved' });
    expect(await store.reserve(key, body)).toEqual({ outcome: 'in-progress' });
    expect(await store.reserve(requestKey('other key'), body)).toEqual({ outcome: 'reserved' });
  });

  it('returns the first answer, in another process too', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await store.complete(key, answer);
    await store.complete(key, { status: 500, body: 'later' });
    expect(await store.reserve(key, body)).toEqual({ outcome: 'answered', answer });
    expect(await newStore().reserve(key, body)).toEqual({ outcome: 'answered', answer });
  });

  it.each([
    ['being answered', false],
    ['answered', true],
  ])('is refused with another body when it is %s', async (_what, answered) => {
    const store = newStore();
    await store.reserve(key, body);
    if (answered) await store.complete(key, answer);
    expect(await store.reserve(key, 'other body')).toEqual({ outcome: 'other-body' });
  });

  it('can be taken again when it was given back, with another body too', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await store.release(key);
    expect(await store.reserve(key, 'other body')).toEqual({ outcome: 'reserved' });
  });

  it('keeps its answer when it is given back too late', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await store.complete(key, answer);
    await store.release(key);
    expect(await store.reserve(key, body)).toEqual({ outcome: 'answered', answer });
  });

  it.each([
    { held: 'without an answer for 59 s', seconds: 59, answered: false, outcome: 'in-progress' },
    { held: 'without an answer for 61 s', seconds: 61, answered: false, outcome: 'reserved' },
    { held: 'with an answer for 61 s', seconds: 61, answered: true, outcome: 'answered' },
    {
      held: 'with an answer for almost 24 hours',
      seconds: 24 * 3600 - 5,
      answered: true,
      outcome: 'answered',
    },
    { held: 'with an answer for 24 hours', seconds: 24 * 3600 + 1, answered: true, outcome: 'reserved' },
  ])('that has been held $held is $outcome', async ({ seconds, answered, outcome }) => {
    const store = newStore();
    await store.reserve(key, body);
    if (answered) await store.complete(key, answer);
    await age(key, seconds);
    expect(await store.reserve(key, body)).toMatchObject({ outcome });
  });

  it('that was abandoned is taken over by one of many', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await age(key, 61);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.reserve(key, body)));
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(1);
  });

  it('is kept for its request for as long as that renews it', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await age(key, 50);
    await store.renew(key);
    await age(key, 50);
    expect(await store.reserve(key, body)).toEqual({ outcome: 'in-progress' });
  });

  it('runs one of many requests, and the others wait for its answer', async () => {
    const store = newStore(20_000);
    let runs = 0;
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const reservation = await store.reserve(key, body);
        if (reservation.outcome !== 'reserved') return reservation;
        runs += 1;
        await store.complete(key, answer);
        return { outcome: 'answered', answer };
      }),
    );
    expect(runs).toBe(1);
    expect(results).toEqual(results.map(() => ({ outcome: 'answered', answer })));
  });

  describe('whose reservation another request has taken over', () => {
    let late: RequestKey;
    beforeEach(async () => {
      late = requestKey('key');
      await newStore().reserve(late, body);
      await age(late, 61);
      expect(await newStore().reserve(key, body)).toEqual({ outcome: 'reserved' });
    });

    it('is not renewed by the first one', async () => {
      await age(key, 50);
      await newStore().renew(late);
      await age(key, 61);
      expect(await newStore().reserve(requestKey('key'), body)).toEqual({ outcome: 'reserved' });
    });

    it('is not given back by the first one', async () => {
      await newStore().release(late);
      expect(await newStore().reserve(requestKey('key'), body)).toEqual({ outcome: 'in-progress' });
    });

    it('does not get the answer of the first one', async () => {
      await newStore().complete(late, { status: 500, body: 'late' });
      await newStore().complete(key, answer);
      const repeated = await newStore().reserve(requestKey('key'), body);
      expect(repeated).toEqual({ outcome: 'answered', answer });
    });

    it('lets the second one be carried out, not the first', async () => {
      const complete = (one: RequestKey) =>
        database.transaction((tx) => newStore().completeIn(tx, one, answer));
      expect(await complete(late)).toBe(false);
      expect(await complete(key)).toBe(true);
    });
  });

  it('is free for a retry when the transaction with its answer was rolled back', async () => {
    const store = newStore();
    await store.reserve(key, body);
    const failing = database.transaction(async (tx) => {
      await store.completeIn(tx, key, answer);
      throw new Error('the commit failed');
    });
    await expect(failing).rejects.toThrow('the commit failed');
    await store.release(key);
    expect(await store.reserve(key, body)).toEqual({ outcome: 'reserved' });
  });

  it('goes to one that waits when the first gives it back', async () => {
    const first = newStore();
    await first.reserve(key, body);
    let looks = 0;
    const watched: Queryable = {
      query(sql, params) {
        if (sql.startsWith('SELECT body_hash')) looks += 1;
        return database.query(sql, params);
      },
    };
    const patient = createIdempotencyStore({ database: watched, secrets, waitMs: 20_000 });
    const waiting = patient.reserve(key, body);
    await expect.poll(() => looks).toBeGreaterThan(0);
    await first.release(key);
    expect(await waiting).toEqual({ outcome: 'reserved' });
  });
});

describe('a stored answer', () => {
  const key = requestKey('key');
  const answer = { status: 201, body: '{"token":"wm_shown-once"}' };

  it('cannot be read from the database', async () => {
    const store = newStore();
    await store.reserve(key, body);
    await store.complete(key, answer);
    const [row] = await database.query<{ answer: Uint8Array }>('SELECT answer FROM idempotency_keys');
    expect(Buffer.from(row?.answer ?? []).toString('latin1')).not.toContain('wm_');
  });

  it('is not returned when it was made under another secret', async () => {
    await newStore().reserve(key, body);
    await newStore().complete(key, answer);
    const other = createIdempotencyStore({
      database,
      secrets: { current: Buffer.from('another secret'), previous: [] },
      waitMs: 0,
    });
    expect(await other.reserve(key, body)).toEqual({ outcome: 'other-body' });
  });

  it('is returned after the secret was replaced, with the old one at hand', async () => {
    await newStore().reserve(key, body);
    await newStore().complete(key, answer);
    const current = Buffer.from('another secret');
    const rotated = createIdempotencyStore({
      database,
      secrets: { current, previous: [secrets.current] },
      waitMs: 0,
    });
    expect(await rotated.reserve(key, body)).toEqual({ outcome: 'answered', answer });
  });

  it('is stored with a keyed hash of the body, against which guesses cannot be tested', async () => {
    await newStore().reserve(key, body);
    const [row] = await database.query<{ body_hash: Uint8Array }>('SELECT body_hash FROM idempotency_keys');
    const stored = Buffer.from(row?.body_hash ?? []);
    expect(stored).toHaveLength(32);
    for (const guess of [hash(body), hash(`${body}\0`)]) expect(stored.equals(guess)).toBe(false);
  });

  it('is not returned when it was moved to another key', async () => {
    const store = newStore();
    const other = requestKey('other key');
    await store.reserve(key, body);
    await store.complete(key, answer);
    await store.reserve(other, body);
    await database.query(
      `UPDATE idempotency_keys SET status = 201, answer = (SELECT answer FROM idempotency_keys WHERE key_hash = $1)
       WHERE key_hash = $2`,
      [key.hash, other.hash],
    );
    await expect(store.reserve(other, body)).rejects.toThrow();
  });

  it('is removed some time after its day is over', async () => {
    const store = newStore();
    for (const name of ['old', 'new']) {
      const each = requestKey(name);
      await store.reserve(each, body);
      await store.complete(each, answer);
    }
    await age(requestKey('old'), 24 * 3600 + 1);
    await cleaning().runRound();
    const rows = await database.query<{ key_hash: Uint8Array }>('SELECT key_hash FROM idempotency_keys');
    const left = rows.map((row) => Buffer.from(row.key_hash).toString('hex')).sort();
    expect(left).toEqual([hash('new').toString('hex')]);
  });

  it('is removed with all others whose day is over, however many there are', async () => {
    await database.query(
      `INSERT INTO idempotency_keys (key_hash, body_hash, created_at)
       SELECT decode(md5(n::text), 'hex'), '', now() - interval '25 hours' FROM generate_series(1, 1200) AS n`,
    );
    await newStore().reserve(requestKey('one'), body);
    await cleaning().runRound();
    expect(await database.query('SELECT 1 FROM idempotency_keys')).toHaveLength(1);
  });
});
