import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { createBatchedTransactions, type GatheredWork } from './batched-transactions.js';
import type { Database, Queryable } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

const tx: Queryable = { query: async () => [] };
const withCode = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

/**
 * Creates batches on a database. Its first COMMIT fails with `commitError`, if given. Other transactions hold the rows
 * in `held`.
 */
function setUp(commitError?: Error, held = new Set<string>()) {
  let transactions = 0;
  const transaction: Database['transaction'] = async (work) => {
    transactions += 1;
    const isFirst = transactions === 1;
    const result = await work(tx);
    if (isFirst && commitError !== undefined) throw commitError;
    return result;
  };
  const batches = createBatchedTransactions({
    database: { kind: 'server', transaction } as Database,
    createContext: () => undefined,
    lockRows: async (_tx, ids) => new Set(ids.filter((id) => held.has(id))),
    rowWaitMs: 100,
    beforeCommit: async () => undefined,
    afterCommit: () => async () => undefined,
  });
  return { batches, count: () => transactions };
}

const write = async (to: Queryable) => {
  await to.query('UPDATE things SET one = 1');
  return 'done';
};

it.each([
  ['the driver lost the connection', new DatabaseUnavailableError(new Error('Connection terminated'))],
  ['an error says nothing about the outcome', new Error('something else')],
])('a batch that may have been committed does not run again: %s', async (_name, commitError) => {
  const { batches, count } = setUp(commitError);
  const [one, two] = await Promise.allSettled([batches.run(write), batches.run(write)]);
  expect(one).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) });
  expect(two).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) });
  expect(count()).toBe(1);
});

it('members run again, each alone, after a COMMIT that PostgreSQL refused', async () => {
  const { batches, count } = setUp(withCode('40001'));
  expect(await Promise.all([batches.run(write), batches.run(write)])).toEqual(['done', 'done']);
  expect(count()).toBe(3);
});

it('only the writes of a member that is refused after it wrote are taken back', async () => {
  const { batches, count } = setUp();
  const refusal = new AppError('NOT_FOUND', { message: 'It is not there.' });
  const statements: string[] = [];
  const refused = batches.run(async (to) => {
    await write(to);
    throw refusal;
  });
  const query: Queryable['query'] = async (sql) => {
    statements.push(sql);
    return [];
  };
  const spy = vi.spyOn(tx, 'query').mockImplementation(query);
  const [one, two] = await Promise.allSettled([refused, batches.run(write)]);
  spy.mockRestore();
  expect(one).toEqual({ status: 'rejected', reason: refusal });
  expect(two).toEqual({ status: 'fulfilled', value: 'done' });
  expect(count()).toBe(1);
  const update = 'UPDATE things SET one = 1';
  expect(statements).toEqual([
    ...['SAVEPOINT job', update, 'ROLLBACK TO SAVEPOINT job'],
    ...['SAVEPOINT job', update],
  ]);
});

describe('members whose rows another transaction holds', () => {
  it('leave the batch, and are done when the rows are free', async () => {
    const held = new Set(['held']);
    const { batches } = setUp(undefined, held);
    let isDone = false;
    const waiting = batches.run(write, { rows: ['held'] }).then(() => {
      isDone = true;
    });
    expect(await batches.run(write, { rows: ['free'] })).toBe('done');
    expect(isDone).toBe(false);
    held.clear();
    await waiting;
  });

  it('fail when that takes too long, and keep nobody waiting until then', async () => {
    const { batches } = setUp(undefined, new Set(['held']));
    const waiting = batches.run(write, { rows: ['held'] });
    const outcome = expect(waiting).rejects.toBeInstanceOf(DatabaseUnavailableError);
    for (let at = 0; at < 3; at += 1) expect(await batches.run(write)).toBe('done');
    await outcome;
  });
});

it.each(['57014', '55P03'])(
  'a shared lock that comes too late (%s) is waited for only once',
  async (code) => {
    const { batches, count } = setUp();
    const lock = async (to: Queryable) => {
      await to.query('SELECT lock');
    };
    const spy = vi.spyOn(tx, 'query').mockRejectedValue(withCode(code));
    const outcomes = await Promise.allSettled([
      batches.run(write, { first: lock }),
      batches.run(write, { first: lock }),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) });
    }
    spy.mockRestore();
    expect(count()).toBe(1);
  },
);

describe('gathered work', () => {
  /** Doubles numbers. Refuses 1 and leaves 2 alone. */
  function setUpDoubling(failure?: Error) {
    const together: number[][] = [];
    const alone: number[] = [];
    const kind: GatheredWork<number, number, undefined> = {
      async together(_tx, inputs) {
        together.push(inputs.map(({ input }) => input));
        if (failure !== undefined) throw failure;
        return inputs.map(({ input }) => {
          if (input === 1) return new AppError('NOT_FOUND', { message: 'It is not there.' });
          return input === 2 ? 'alone' : { value: 2 * input };
        });
      },
      async alone(_tx, input) {
        alone.push(input);
        return 2 * input;
      },
    };
    return { kind, together, alone };
  }

  it('is done together, except what is refused or left alone', async () => {
    const { batches, count } = setUp();
    const { kind, together, alone } = setUpDoubling();
    const outcomes = await Promise.allSettled([
      batches.run(write),
      ...[1, 2, 3, 4].map((input) => batches.runGathered(kind, input)),
    ]);
    expect(outcomes).toMatchObject([
      { value: 'done' },
      { reason: { code: 'NOT_FOUND' } },
      { value: 4 },
      { value: 6 },
      { value: 8 },
    ]);
    expect([together, alone, count()]).toEqual([[[1, 2, 3, 4]], [2], 1]);
  });

  it('is done in the same way where there is no other of its kind', async () => {
    const { batches, count } = setUp();
    const one = setUpDoubling();
    const other = setUpDoubling();
    const results = [batches.runGathered(one.kind, 3), batches.runGathered(other.kind, 4)];
    expect(await Promise.all(results)).toEqual([6, 8]);
    expect([one.together, other.together, one.alone, count()]).toEqual([[[3]], [[4]], [], 1]);
  });

  it('of one caller runs again, alone, when another transaction has taken a name meanwhile', async () => {
    const { batches, count } = setUp();
    const { kind, alone } = setUpDoubling(withCode('23505'));
    expect(await batches.runGathered(kind, 3)).toBe(6);
    expect([alone, count()]).toEqual([[3], 2]);
  });

  it('runs again, each alone, when it fails together', async () => {
    const { batches, count } = setUp();
    const { kind, alone } = setUpDoubling(withCode('23505'));
    const results = [3, 4].map((input) => batches.runGathered(kind, input));
    expect(await Promise.all(results)).toEqual([6, 8]);
    expect([alone, count()]).toEqual([[3, 4], 3]);
  });
});
