import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { importRepository } from './import-repository.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

let area: ImportsApi;
let user: TestUser;
let run = 0;

beforeAll(async () => {
  area = await startImportsApi();
});

afterAll(() => area.close());

beforeEach(async () => {
  user = await area.api.createUser();
  run += 1;
});

const file = (count: number, name = 'h') =>
  [
    'fromDomain,toDomain',
    ...Array.from({ length: count }, (_, at) => `${name}${at}-${run}.example.com,https://n.example`),
  ].join('\n');

async function send(as: TestUser, body: string, query = 'format=csv'): Promise<string> {
  const { status, json } = await area.send(as, query, body);
  expect(status).toBe(202);
  return json.id;
}

describe('an import that is canceled', () => {
  it('before its turn changes nothing', async () => {
    const id = await send(user, file(3));
    const { status, json } = await area.api.call('POST', `/imports/${id}/cancel`, { token: user.token });
    expect([status, json.state]).toEqual([200, 'canceled']);
    await area.runner.runRound();
    expect(await area.domains(user)).toEqual([]);
    const again = await area.api.call('POST', `/imports/${id}/cancel`, { token: user.token });
    expect([again.status, again.json.state]).toEqual([200, 'canceled']);
  });

  it('between two parts keeps the parts that are done', async () => {
    const id = await send(user, file(1_100));
    const original = area.api.database.transaction;
    let transactions = 0;
    // Cancels after the first part, as a request at that moment would.
    area.api.database.transaction = async (work, options) => {
      const result = await original(work, options);
      transactions += 1;
      if (transactions === 1) await importRepository.cancel(area.api.database, id);
      return result;
    };
    try {
      await area.runner.runRound();
    } finally {
      area.api.database.transaction = original;
    }
    const one = await area.get(user, `/imports/${id}`);
    expect(one).toMatchObject({ state: 'canceled', rows: { total: 1_100, done: 1_000, created: 1_000 } });
    expect(await area.domains(user)).toHaveLength(1_000);
  });
});

describe('an import whose control plane dies', () => {
  it('is continued by another one, with no row twice and none lost', async () => {
    const id = await send(user, file(1_100));
    const claimed = await importRepository.claim(area.api.database, 'dead', 3_600);
    expect(claimed?.id).toBe(id);
    const second = area.createRunner();
    await second.runRound();
    expect((await area.get(user, `/imports/${id}`)).rows.done).toBe(0);
    await area.api.database.query(
      "UPDATE imports SET claimed_until = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    await second.runRound();
    expect(await area.get(user, `/imports/${id}`)).toMatchObject({
      state: 'finished',
      rows: { total: 1_100, done: 1_100, created: 1_100, failed: 0 },
    });
  });

  it('does not go on with a part that another one has taken over', async () => {
    const id = await send(user, file(1_100));
    const original = area.api.database.transaction;
    let isFirst = true;
    // Another control plane takes the import over before the first part is applied.
    area.api.database.transaction = async (work, options) => {
      if (isFirst) {
        isFirst = false;
        await area.api.database.query("UPDATE imports SET claimed_by = 'other' WHERE id = $1", [id]);
      }
      return original(work, options);
    };
    try {
      await area.runner.runRound();
    } finally {
      area.api.database.transaction = original;
    }
    expect(await area.get(user, `/imports/${id}`)).toMatchObject({ state: 'running', rows: { done: 0 } });
    expect(await area.domains(user)).toEqual([]);
    await area.api.database.query('UPDATE imports SET claimed_until = NULL WHERE id = $1', [id]);
    await area.runner.runRound();
    expect(await area.get(user, `/imports/${id}`)).toMatchObject({
      state: 'finished',
      rows: { created: 1_100 },
    });
  });

  it('changes each row once, whichever statement is its last', async () => {
    const id = await send(
      user,
      ['fromDomain,toDomain', ...[1, 2, 3].map((at) => `s${at}-${run}.example.com,https://n.example`)].join(
        '\n',
      ),
    );
    const original = area.api.database.transaction;
    let deaths = 0;
    for (let last = 1; ; last += 1) {
      let count = 0;
      area.api.database.transaction = (work, options) =>
        original(async (tx) => {
          const value = await work({
            query(sql, params) {
              count += 1;
              if (count === last) throw new Error('the process is dead');
              return tx.query(sql, params);
            },
          });
          return value;
        }, options);
      const runner = area.createRunner();
      const ended = await runner.runRound().then(
        () => 'alive',
        () => 'dead',
      );
      area.api.database.transaction = original;
      // Attempts without progress do not count here.
      await area.api.database.query('UPDATE imports SET claimed_until = NULL, attempts = 0 WHERE id = $1', [
        id,
      ]);
      if (ended === 'alive') break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(8);
    expect(await area.get(user, `/imports/${id}`)).toMatchObject({
      state: 'finished',
      rows: { total: 3, done: 3, created: 3, failed: 0 },
    });
    expect(await area.domains(user)).toHaveLength(3);
  });

  it('is given up after five attempts without progress', async () => {
    const id = await send(user, file(2));
    const original = area.api.database.transaction;
    let fails = false;
    area.api.database.transaction = async (work, options) => {
      if (!fails) return original(work, options);
      fails = false;
      throw new Error('the part cannot be applied');
    };
    try {
      for (let at = 0; at < 4; at += 1) {
        fails = true;
        await expect(area.runner.runRound()).rejects.toThrow('cannot be applied');
        expect((await area.get(user, `/imports/${id}`)).state).toBe('running');
      }
      fails = true;
      await area.runner.runRound();
    } finally {
      area.api.database.transaction = original;
    }
    expect(await area.get(user, `/imports/${id}`)).toMatchObject({
      state: 'failed',
      error: { code: 'INTERNAL_ERROR' },
      rows: { done: 0 },
    });
  });
});

describe('imports of several users', () => {
  it('take turns, and a user has one running import', async () => {
    const other = await area.api.createUser();
    const first = await send(user, file(2, 'a'));
    const second = await send(user, file(2, 'b'));
    const third = await send(other, file(2, 'c'));
    const claims: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const one = await importRepository.claim(area.api.database, `runner ${at}`, 3_600);
      claims.push(one?.id ?? 'none');
    }
    expect(claims).toEqual([first, third, 'none']);
    await area.api.database.query('UPDATE imports SET claimed_until = NULL');
    const next = await importRepository.claim(area.api.database, 'runner', 3_600);
    expect(next?.id).toBe(first);
    await importRepository.release(area.api.database, first, 'runner');
    expect((await importRepository.claim(area.api.database, 'runner', 3_600))?.id).toBe(third);
    await importRepository.release(area.api.database, third, 'runner');
    await area.runner.runRound();
    for (const id of [first, second]) expect((await area.get(user, `/imports/${id}`)).state).toBe('finished');
    expect((await area.get(other, `/imports/${third}`)).state).toBe('finished');
  });

  it('wait while the user is suspended', async () => {
    const id = await send(user, file(1));
    await area.api.database.query("INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam')", [user.id]);
    await area.runner.runRound();
    await area.api.database.query('DELETE FROM suspensions WHERE user_id = $1', [user.id]);
    expect((await area.get(user, `/imports/${id}`)).state).toBe('queued');
    await area.runner.runRound();
    expect((await area.get(user, `/imports/${id}`)).state).toBe('finished');
  });
});

it('old imports are deleted, and those beyond the newest of a user', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    ids.push(await send(user, file(1, `k${at}`)));
    await area.runner.runRound();
  }
  const kept = { days: 30, perUser: 2, receivingHours: 1 };
  while (await importRepository.deleteOld(area.api.database, kept));
  const left = async () => (await area.get(user, '/imports')).data.map(({ id }: { id: string }) => id);
  expect(await left()).toEqual([ids[2], ids[1]]);
  await area.api.database.query("UPDATE imports SET created_at = now() - interval '31 days' WHERE id = $1", [
    ids[1],
  ]);
  while (await importRepository.deleteOld(area.api.database, kept));
  expect(await left()).toEqual([ids[2]]);
});

it('the limit of the plan ends at the row that is beyond it', async () => {
  const free = await startImportsApi(PLANS.free);
  try {
    const owner = await free.api.createUser();
    const done = await free.run(owner, 'format=csv', file(7));
    expect(done).toMatchObject({ state: 'finished', rows: { created: 5, failed: 2 } });
    const { data } = await free.get(owner, `/imports/${done.id}/rows?status=failed`);
    expect(data.map(({ row }: { row: number }) => row)).toEqual([6, 7]);
    expect(data[0].message).toContain('5');
  } finally {
    await free.close();
  }
});
