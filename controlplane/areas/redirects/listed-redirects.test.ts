import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { userRepository } from '../accounts/user-repository.js';
import { deletedRedirects } from './deleted-redirects.js';
import { createListedRedirects, type ListedRedirectsDeps } from './listed-redirects.js';
import { redirectBatches } from './redirect-batches.js';
import { redirectRepository as repository } from './redirect-repository.js';
import { newSettings } from './redirect-settings.js';

let test: TestDatabase;
let database: Queryable;
let userId: string;

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
});
afterAll(() => test.close());
beforeEach(async () => {
  userId = await newUser();
});

async function newUser(): Promise<string> {
  const id = newId();
  await userRepository.insert(database, { id, email: `${id}@users.example` });
  return id;
}

const settings = newSettings({ toDomain: 'https://new.example' });

async function add(owner = userId): Promise<string> {
  const id = newId();
  const wanted = { ...settings, id, fromDomain: `${id}.example` };
  await redirectBatches.insert(database, [
    { userId: owner, wanted, verificationValue: 'value', checkAfterSeconds: 60 },
  ]);
  return id;
}

/** Answers lists that are short enough to be kept in memory. */
function createShort(deps: ListedRedirectsDeps) {
  const list = createListedRedirects(deps);
  return async (ofUser: string) => (await list(ofUser))!;
}

describe('a list of redirects', () => {
  it('is the same array until something of it is written, and then what was written', async () => {
    const list = createShort({ database });
    const id = await add();
    const before = await list(userId);
    expect(await list(userId)).toBe(before);

    await repository.update(database, id, { ...settings, samplingRate: 0.5 });
    expect((await list(userId)).map(({ samplingRate }) => samplingRate)).toEqual([0.5]);

    await repository.markVerified(database, id);
    expect((await list(userId))[0]?.verifiedAt).toBeInstanceOf(Date);

    const newest = await add();
    expect((await list(userId)).map((redirect) => redirect.id)).toEqual([newest, id]);

    await deletedRedirects.delete(database, [id]);
    expect((await list(userId)).map((redirect) => redirect.id)).toEqual([newest]);
    await deletedRedirects.delete(database, [newest]);
    expect(await list(userId)).toEqual([]);
  });

  it('shows a change back to what was there before, with the time of that change', async () => {
    const list = createShort({ database });
    const id = await add();
    const [before] = await list(userId);
    await repository.update(database, id, { ...settings, samplingRate: 0.5 });
    await repository.update(database, id, settings);
    const [after] = await list(userId);
    expect(after?.samplingRate).toBe(1);
    expect(after?.updatedAt).not.toEqual(before?.updatedAt);
  });

  it('does not change with the redirects of others', async () => {
    const list = createShort({ database });
    const id = await add();
    const other = await newUser();
    const [own, others] = await Promise.all([list(userId), list(other)]);
    const theirs = await add(other);
    expect(others).toEqual([]);
    expect((await list(other)).map((redirect) => redirect.id)).toEqual([theirs]);
    expect(await list(userId)).toBe(own);
    expect(own.map((redirect) => redirect.id)).toEqual([id]);
  });

  it('is right for each of many who ask at once', async () => {
    const list = createShort({ database });
    const users = await Promise.all(Array.from({ length: 5 }, newUser));
    const ids = await Promise.all(users.map((user) => add(user)));
    const ask = async () => (await Promise.all(users.map(list))).map((redirects) => redirects[0]?.id);
    expect(await ask()).toEqual(ids);
    expect(await ask()).toEqual(ids);
  });

  it('is not read where it is longer than what is held', async () => {
    const list = createListedRedirects({ database, maxListed: 1 });
    const id = await add();
    expect(await list(userId)).toHaveLength(1);
    const newest = await add();
    expect(await list(userId)).toBeUndefined();
    await deletedRedirects.delete(database, [newest]);
    expect((await list(userId))?.map((redirect) => redirect.id)).toEqual([id]);
  });

  it('is not remembered where it is longer than what there is room for', async () => {
    const list = createShort({ database, maxRemembered: 2 });
    await add();
    const short = await list(userId);
    expect(await list(userId)).toBe(short);
    await add();
    const long = await list(userId);
    const again = await list(userId);
    expect(again).toEqual(long);
    expect(again).not.toBe(long);
  });
});
