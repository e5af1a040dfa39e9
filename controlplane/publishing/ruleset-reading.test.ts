import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { Database } from '../storage/postgres/database.js';
import { newId } from '../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createRulesetOutbox } from './ruleset-outbox.js';
import {
  createRulesetReading,
  ReadingOutdated,
  type RulesetReading,
  readSnapshot,
} from './ruleset-reading.js';
import { createRulesetRepository, type RulesetRepository } from './ruleset-repository.js';

const HOSTS = 12;
const userId = newId();
let own: TestDatabase;
let database: Database;
let repository: RulesetRepository;
/** Problems of redirects that are left out. */
let problems: string[];

beforeAll(async () => {
  own = await openTestDatabase();
  database = own.database;
  await database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
});
afterAll(() => own.close());

beforeEach(async () => {
  problems = [];
  repository = createRulesetRepository(database, undefined, (problem) => problems.push(problem));
  await database.query('DELETE FROM redirects');
  for (let index = 0; index < HOSTS; index += 1) await add(hostOf(index));
});

const hostOf = (index: number) => `host-${String(index).padStart(2, '0')}.example`;

const commit = (host: string, sql: string, ...params: readonly unknown[]) =>
  createRulesetOutbox(database).commit(async (tx, record) => {
    await tx.query(sql, params);
    record(host);
  });
const add = (host: string, destination = 'https://new.example') =>
  commit(
    host,
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value, verified_at)
     VALUES ($1, $2, $3, $4, 'new.example', 'permanent', false, true, 1, 'v', now())`,
    newId(),
    userId,
    host,
    destination,
  );
const remove = (host: string) => commit(host, 'DELETE FROM redirects WHERE from_domain = $1', host);
const change = (host: string, destination: string) =>
  commit(host, 'UPDATE redirects SET to_domain = $2 WHERE from_domain = $1', host, destination);

/** The repository with pages of two hosts. @param before is done before each page, with its number from 1 */
function inSmallPages(before: (page: number) => Promise<unknown>): RulesetRepository {
  let pages = 0;
  return {
    ...repository,
    async readPage(after, _limit, onRows) {
      pages += 1;
      await before(pages);
      return repository.readPage(after, 2, onRows);
    },
  };
}

const destinations = ({ redirects }: RulesetSnapshot) =>
  new Map(redirects.map(({ host, destination }) => [host, destination]));

/** Reads on until a version is reached. */
async function readOn(reading: RulesetReading, served = new Map<string, string>()) {
  for (;;) {
    const { changes, version } = await reading.next();
    for (const { host, redirect } of changes) {
      if (redirect === null) served.delete(host);
      else served.set(host, redirect.destination);
    }
    if (version !== undefined) return { version, served };
  }
}

describe('a reading', () => {
  it('ends at one version, though hosts come, change and go while it reads, ahead of it and behind it', async () => {
    const steps = [
      () => change(hostOf(0), 'https://behind.example'),
      () => add('host-00a.example', 'https://late.example'),
      () => remove(hostOf(1)),
      () => change(hostOf(11), 'https://ahead.example'),
      () => remove(hostOf(10)),
    ];
    const held = inSmallPages(async (page) => steps[page - 2]?.());
    const { served, version } = await readOn(createRulesetReading(held));
    expect(version).toEqual(await repository.readHead());
    const now = destinations(await readSnapshot(repository));
    expect(served).toEqual(now);
    expect(now.get(hostOf(0))).toBe('https://behind.example');
    expect(now.size).toBe(HOSTS - 1);
  });

  it('reads the next page, and no further one, while the definitions of a page are made', async () => {
    let make: () => void = () => undefined;
    const untilMade = new Promise<void>((resolve) => {
      make = resolve;
    });
    const slow = createRulesetRepository(database, async () => {
      await untilMade;
      return new Map();
    });
    const asked: string[] = [];
    const reading = createRulesetReading({
      ...slow,
      readPage(after, _limit, onRows) {
        asked.push(after);
        return slow.readPage(after, 2, onRows);
      },
    });
    const first = reading.next();
    await vi.waitFor(() => expect(asked).toEqual(['', hostOf(1)]));
    make();
    expect((await first).changes.map(({ host }) => host)).toEqual([hostOf(0), hostOf(1)]);
    expect(asked).toHaveLength(2);
    expect((await reading.next()).changes.map(({ host }) => host)).toEqual([hostOf(2), hostOf(3)]);
    expect(asked).toEqual(['', hostOf(1), hostOf(3)]);
  });

  it('goes on where it failed', async () => {
    const asked: number[] = [];
    const held = inSmallPages(async (page) => {
      asked.push(page);
      if (page === 3) throw new Error('the database is away');
    });
    const reading = createRulesetReading(held);
    const served = new Map<string, string>();
    await expect(readOn(reading, served)).rejects.toThrow('away');
    expect(served.size).toBe(4);
    await readOn(reading, served);
    expect(served).toEqual(destinations(await readSnapshot(repository)));
    expect(reading.redirectsRead).toBe(HOSTS);
    // Six pages, one empty read at the end, and one failed read.
    expect(asked).toHaveLength(8);
  });

  it('reads only what changed from a version on, in pages where much has', async () => {
    const since = await repository.readHead();
    await remove(hostOf(3));
    for (let index = 0; index < 3; index += 1) await add(`new-${index}.example`);
    const few: RulesetRepository = {
      ...repository,
      readPage: () => Promise.reject(new Error('no page is read')),
      readDelta: (from) => repository.readDelta(from, 2),
    };
    const { served, version } = await readOn(createRulesetReading(few, since), new Map([[hostOf(3), 'old']]));
    expect(version).toEqual(await repository.readHead());
    expect([...served.keys()].sort()).toEqual(['new-0.example', 'new-1.example', 'new-2.example']);
  });

  it('keeps its parts short where rules are long', async () => {
    const since = await repository.readHead();
    const long = Array.from({ length: 6 }, (_, index) => `long-${index}.example`);
    for (const host of long) await add(host);
    const url = `https://long.example/${'x'.repeat(3 * 1024 * 1024)}`;
    await database.query(
      `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
       SELECT id, 'long', 'force', '[]', 'AND', jsonb_build_object('type', 'redirect', 'url', $1::text), 1, 'active', 'u'
       FROM redirects WHERE from_domain LIKE 'long-%'`,
      [url],
    );
    expect(await repository.readDelta(since, 1_000)).toBeUndefined();
    for (const reading of [
      createRulesetReading(repository),
      createRulesetReading(repository, since),
      createRulesetReading(
        inSmallPages(async (page) => page === 2 && change('long-0.example', 'https://x.example')),
      ),
    ]) {
      const read: string[] = [];
      for (let isAtEnd = false; !isAtEnd; ) {
        const { changes, version } = await reading.next();
        const lengthy = changes.filter(({ redirect }) => redirect?.rules !== undefined);
        expect(lengthy.length).toBeLessThanOrEqual(1);
        read.push(...lengthy.map(({ host }) => host));
        isAtEnd = version !== undefined;
      }
      expect([...new Set(read)].sort()).toEqual(long);
    }
  });

  it('is outdated when the change log does not tell any more what changed', async () => {
    const since = await repository.readHead();
    for (let index = 0; index < 3; index += 1) await change(hostOf(0), `https://new-${index}.example`);
    await repository.trimChanges(1);
    await expect(readOn(createRulesetReading(repository, since))).rejects.toThrow(ReadingOutdated);
  });

  it('is outdated when a new epoch has begun, and a whole one begins anew', async () => {
    const reading = createRulesetReading(
      inSmallPages(async (page) => {
        if (page === 2) await database.query('UPDATE ruleset_head SET epoch = epoch + 1, seq = 0');
      }),
    );
    await expect(readOn(reading)).rejects.toThrow(ReadingOutdated);
    expect((await readSnapshot(repository)).redirects).toHaveLength(HOSTS);
  });
});

describe('a redirect that cannot be served', () => {
  const RULE = `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status,
      created_by)
    SELECT id, 'rule', 'force', '[]', 'AND', $2::jsonb, 1, 'active', user_id FROM redirects WHERE from_domain = $1`;

  it.each([
    ['of an unknown type', { type: 'teleport' }],
    ['without what its type wants', { type: 'ab_test', pathForwarding: true }],
    ['that is none', null],
  ])('for a rule %s is left out and named by host and field, and the rest is read', async (_what, action) => {
    const before = await repository.readHead();
    await commit(hostOf(5), RULE, hostOf(5), JSON.stringify(action));
    const { redirects } = await readSnapshot(repository);
    expect(redirects).toHaveLength(HOSTS - 1);
    expect(problems[0]).toMatch(/^the redirect of "host-05\.example" is refused: its rules /);
    const delta = await repository.readDelta(before, 10);
    expect(delta?.changes).toEqual([{ host: hostOf(5), redirect: null }]);
  });
});
