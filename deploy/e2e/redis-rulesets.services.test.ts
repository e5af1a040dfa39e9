import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listDataplanes } from '../../controlplane/publishing/redis-publishing.js';
import { readSnapshot } from '../../controlplane/publishing/ruleset-reading.js';
import { startRedisDataplaneReport } from '../../dataplane/sync/redis-dataplane-report.js';
import type { RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions } from '../../shared/ruleset/ruleset-version.js';
import { startRedisRulesets } from './redis-rulesets.fixture.js';

type Rulesets = Awaited<ReturnType<typeof startRedisRulesets>>;
type Dataplane = ReturnType<Rulesets['startDataplane']>;

let rulesets: Rulesets;
let prefix: string;

beforeAll(async () => {
  rulesets = await startRedisRulesets();
});
afterAll(() => rulesets.close());
beforeEach(async () => {
  prefix = rulesets.newPrefix();
  await rulesets.database.query('DELETE FROM redirects');
});
afterEach(() => rulesets.stopAll());

async function caughtUp(dataplane: Dataplane, timeout = 10_000) {
  await vi.waitFor(
    async () => {
      expect(dataplane.table.versionText).toBe(await rulesets.head());
      expect(dataplane.status().state).toBe('live');
    },
    { timeout, interval: 20 },
  );
}

/** A control plane, and a data plane that serves its commits so far. */
async function startBoth() {
  const controlplane = rulesets.startControlplane(prefix);
  await controlplane.commit('first.example');
  const dataplane = rulesets.startDataplane(prefix);
  await caughtUp(dataplane);
  return { controlplane, dataplane };
}

describe('a ruleset that goes through Redis', () => {
  it('is served as committed: what was there, what is new, and what is gone', async () => {
    const { controlplane, dataplane } = await startBoth();
    await controlplane.commit('second.example', 'third.example');
    await controlplane.remove('first.example');
    await caughtUp(dataplane);
    const hosts = Array.from(dataplane.table.current()!.redirects, ({ host }) => host);
    expect(hosts.sort()).toEqual(['second.example', 'third.example']);
  });

  it('reaches data planes that start at any time, and several at once', async () => {
    const { controlplane, dataplane } = await startBoth();
    await controlplane.commit('second.example');
    const late = rulesets.startDataplane(prefix);
    await controlplane.commit('third.example');
    for (const one of [dataplane, late]) {
      await caughtUp(one);
      expect(one.table.size).toBe(3);
    }
  });

  it('is not read again by a data plane that starts with what it has saved', async () => {
    const { controlplane, dataplane } = await startBoth();
    const saved = dataplane.table.current()!;
    dataplane.stop();
    await controlplane.commit('second.example');
    // A reader of the snapshot finds that it is damaged.
    await rulesets.redis.hset(rulesets.keys(prefix).snapshot, 'manifest', 'not what was written');
    const known: unknown[] = [];
    const fallback: RulesetSource = {
      async read(version) {
        known.push(version);
        return undefined;
      },
    };
    const later = rulesets.startDataplane(prefix, { saved, fallback });
    await caughtUp(later);
    expect(later.table.size).toBe(2);
    expect(later.steps).toHaveLength(1);
    expect(known).toEqual([]);
    expect(await rulesets.redis.get(rulesets.keys(prefix).refusedSnapshot)).toBeNull();
  });

  it('never forks or skips with two control planes that commit at once, and one of them leads', async () => {
    const { controlplane, dataplane } = await startBoth();
    const other = rulesets.startControlplane(prefix);
    const commits = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? controlplane : other).commit(`host-${index}.example`),
    );
    await Promise.all(commits);
    await caughtUp(dataplane);
    expect(dataplane.table.size).toBe(61);
    expect(dataplane.steps).toEqual([...dataplane.steps].sort(compareVersions));
    const log = await rulesets.redis.xrange(rulesets.keys(prefix).log, '-', '+');
    const ends = log.map(([id]) => Number(id.split('-')[1]));
    const begins = log.map(([, fields]) => Number(fields[1]));
    expect(begins.slice(1)).toEqual(ends.slice(0, -1));
    const leaders = [controlplane, other].filter(({ publication }) => publication.stats().leads);
    expect(leaders).toHaveLength(1);
  });

  it('is maintained by another control plane when the leader stops', async () => {
    const { controlplane, dataplane } = await startBoth();
    const other = rulesets.startControlplane(prefix);
    await controlplane.stop();
    await vi.waitFor(() => expect(other.publication.stats().leads).toBe(true), { timeout: 60_000 });
    await other.commit('second.example');
    await caughtUp(dataplane);
  });

  it('is found by polling if no hint arrives', async () => {
    const { controlplane } = await startBoth();
    const rights = ['on', '>password', '~*', '+@all', 'resetchannels'];
    await rulesets.redis.call('ACL', 'SETUSER', 'without-hints', ...rights);
    const url = rulesets.server.url.replace('redis://', 'redis://without-hints:password@');
    const deaf = rulesets.startDataplane(prefix, { url });
    await caughtUp(deaf);
    expect((await rulesets.redis.pubsub('NUMSUB', rulesets.keys(prefix).hints))[1]).toBe(1);
    await controlplane.commit('second.example');
    await caughtUp(deaf);
    expect(deaf.table.size).toBe(2);
  });

  it('is not affected by hints that are doubled, old or invalid', async () => {
    const { controlplane, dataplane } = await startBoth();
    const { hints } = rulesets.keys(prefix);
    const old = await rulesets.head();
    await controlplane.commit('second.example');
    await caughtUp(dataplane);
    for (const hint of [old, await rulesets.head(), 'nonsense', '1.1', old])
      await rulesets.redis.publish(hints, hint);
    await controlplane.commit('third.example');
    await caughtUp(dataplane);
    expect(dataplane.steps).toEqual([...dataplane.steps].sort(compareVersions));
  });

  it('reaches data planes as a whole when a new epoch begins, even with fewer redirects', async () => {
    const { controlplane, dataplane } = await startBoth();
    await rulesets.database.query('DELETE FROM redirects');
    await rulesets.database.query('UPDATE ruleset_head SET epoch = epoch + 1, seq = 0');
    await caughtUp(dataplane);
    expect(dataplane.table.size).toBe(0);
    await controlplane.commit('second.example');
    await caughtUp(dataplane);
    expect(dataplane.table.size).toBe(1);
  });
});

describe('a ruleset that is being built', () => {
  /** Hosts of the database, one a page. */
  const HOSTS = Array.from({ length: 6 }, (_, index) => `host-${index}.example`);
  const PAGES_BEFORE_STOP = 4;

  /** A control plane that stops after some pages until it is released, and a data plane that has read the first. */
  async function startUnfinished() {
    await rulesets.startControlplane(rulesets.newPrefix()).commit(...HOSTS);
    await rulesets.stopAll();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pages = 0;
    const controlplane = rulesets.startControlplane(prefix, async (after, _limit, onRows) => {
      pages += 1;
      if (pages > PAGES_BEFORE_STOP) await released;
      return rulesets.repository.readPage(after, 1, onRows);
    });
    const dataplane = rulesets.startDataplane(prefix);
    const read = () => expect(dataplane.status().progress).toMatch(/^read [34] parts .* builds$/);
    await vi.waitFor(read, { timeout: 60_000, interval: 20 });
    expect(dataplane.status()).toMatchObject({ state: 'cold', hosts: 0 });
    return { controlplane, dataplane, release };
  }

  async function servesAll(dataplane: Dataplane): Promise<void> {
    await caughtUp(dataplane, 30_000);
    const { redirects } = await readSnapshot(rulesets.repository);
    const served = [...dataplane.table.current()!.redirects];
    const byHost = (one: { host: string }, other: { host: string }) => (one.host < other.host ? -1 : 1);
    expect(served.sort(byHost)).toEqual(redirects.toSorted(byHost));
  }

  it('is read while it is built, and served when it is complete, with what changed meanwhile', async () => {
    const { controlplane, dataplane, release } = await startUnfinished();
    const committed = controlplane.commit('host-00.example');
    await controlplane.remove('host-1.example');
    release();
    await committed;
    await servesAll(dataplane);
    expect(dataplane.steps[0]?.seq).toBeGreaterThan(0);
  });

  it('is served as another control plane builds it if its own ends in the middle', async () => {
    const { controlplane, dataplane, release } = await startUnfinished();
    const stopped = controlplane.stop();
    release();
    await stopped;
    expect(dataplane.table.version).toBeUndefined();
    const other = rulesets.startControlplane(prefix);
    await other.remove('host-0.example');
    await servesAll(dataplane);
  });

  it('is served as of the new epoch that begins in the middle', async () => {
    const { controlplane, dataplane, release } = await startUnfinished();
    const stopped = controlplane.stop();
    release();
    await stopped;
    await rulesets.database.query('UPDATE ruleset_head SET epoch = epoch + 1, seq = 0');
    await rulesets.database.query(`DELETE FROM redirects WHERE from_domain = 'host-0.example'`);
    rulesets.startControlplane(prefix);
    await servesAll(dataplane);
  });

  it('is served although Redis loses what was written of it', async () => {
    const { dataplane, release } = await startUnfinished();
    await rulesets.server.kill();
    await rulesets.server.restart();
    release();
    await servesAll(dataplane);
  });
});

describe('Redis that fails', () => {
  it('is filled again within seconds when it has been emptied', async () => {
    const { controlplane, dataplane } = await startBoth();
    await rulesets.redis.flushall();
    await controlplane.commit('second.example');
    await caughtUp(dataplane);
    const late = rulesets.startDataplane(prefix);
    await caughtUp(late);
    expect(late.table.size).toBe(2);
  });

  it('leaves the served ruleset in place while it is down, and is filled again when it returns empty', async () => {
    const { controlplane, dataplane } = await startBoth();
    await rulesets.server.kill();
    try {
      await controlplane.commit('second.example');
      const failed = () => expect(dataplane.status().lastError ?? '').toContain('cannot be reached');
      await vi.waitFor(failed, { timeout: 60_000 });
      expect(dataplane.table.size).toBe(1);
    } finally {
      await rulesets.server.restart();
    }
    await caughtUp(dataplane, 15_000);
    expect(dataplane.table.size).toBe(2);
  });

  it('makes data planes stale when it hangs, and live again when it continues', async () => {
    const { controlplane, dataplane } = await startBoth();
    rulesets.server.pause();
    try {
      await controlplane.commit('second.example');
      await vi.waitFor(() => expect(dataplane.status().state).toBe('stale'), { timeout: 60_000 });
      expect(dataplane.table.size).toBe(1);
    } finally {
      rulesets.server.resume();
    }
    await caughtUp(dataplane, 15_000);
  });

  it('gets a new snapshot after one with a damaged chunk is refused', async () => {
    // Committed before anything is written under this prefix: a snapshot of no redirects has no chunk to damage.
    await rulesets.startControlplane(rulesets.newPrefix()).commit('first.example', 'second.example');
    rulesets.startControlplane(prefix);
    const { snapshot, chunks } = rulesets.keys(prefix);
    const written = async () => expect(await rulesets.redis.hget(snapshot, 'chunks')).toBe('1');
    await vi.waitFor(written, { timeout: 60_000 });
    const damaged = await rulesets.redis.hget(snapshot, 'id');
    await rulesets.redis.set(`${chunks}${damaged}:0`, 'not what was written');
    const late = rulesets.startDataplane(prefix);
    const refused = () => expect(late.status().lastError ?? '').toContain('does not match its checksum');
    await vi.waitFor(refused, { timeout: 60_000, interval: 5 });
    expect(late.table.version).toBeUndefined();
    await caughtUp(late);
    expect(late.table.size).toBe(2);
    expect(await rulesets.redis.hget(snapshot, 'id')).not.toBe(damaged);
  });

  it('gets a new snapshot instead of one with a damaged manifest', async () => {
    const { dataplane } = await startBoth();
    dataplane.stop();
    const { snapshot } = rulesets.keys(prefix);
    const damaged = await rulesets.redis.hget(snapshot, 'id');
    await rulesets.redis.hset(snapshot, 'manifest', '{"format":1}');
    const late = rulesets.startDataplane(prefix);
    const refused = () =>
      expect(late.status().lastError ?? '').toContain('manifest of the snapshot is malformed');
    await vi.waitFor(refused, { timeout: 60_000, interval: 5 });
    await caughtUp(late);
    expect(await rulesets.redis.hget(snapshot, 'id')).not.toBe(damaged);
  });

  it('recovers from a damaged delta in the log', async () => {
    const { controlplane, dataplane } = await startBoth();
    dataplane.stop();
    await controlplane.commit('second.example');
    const { log, head } = rulesets.keys(prefix);
    await vi.waitFor(async () => expect(await rulesets.redis.get(head)).toBe(await rulesets.head()), {
      timeout: 60_000,
    });
    const [id, fields] = (await rulesets.redis.xrevrange(log, '+', '-', 'COUNT', 1))[0]!;
    await rulesets.redis.del(log);
    await rulesets.redis.xadd(log, id, fields[0]!, fields[1]!, fields[2]!, `${fields[3]} `);
    const late = rulesets.startDataplane(prefix);
    await caughtUp(late);
    expect(late.table.size).toBe(2);
  });

  it('is bypassed by the other source while it is empty and nobody fills it', async () => {
    const { controlplane, dataplane } = await startBoth();
    await controlplane.stop();
    await rulesets.redis.flushall();
    const snapshot = { version: dataplane.table.version!, redirects: dataplane.table.current()!.redirects };
    const late = rulesets.startDataplane(prefix, { fallback: { read: async () => snapshot } });
    await caughtUp(late);
    await vi.waitFor(() => expect(late.status().lastError).toBe('Redis holds no ruleset'), {
      timeout: 60_000,
    });
    expect(late.table.size).toBe(1);
  });

  it('is continued from the state that a control plane of an older release left', async () => {
    const { controlplane, dataplane } = await startBoth();
    const { identity } = rulesets.keys(prefix);
    const before = await rulesets.repository.readHead();
    await rulesets.redis.del(identity);
    await controlplane.commit('second.example');
    await vi.waitFor(() => expect(dataplane.table.size).toBe(2), { timeout: 60_000 });
    expect((await rulesets.repository.readHead()).epoch).toBe(before.epoch);
    expect(controlplane.publication.stats().snapshotsWritten).toBe(1);
    const head = await rulesets.repository.readHead();
    expect(await rulesets.redis.get(identity)).toBe(
      `${await rulesets.head()} ${head.lineage} ${head.removals}`,
    );
    expect(dataplane.table.version).toEqual(head);
  });

  it('lets most redirects be deleted at once while a data plane is away', async () => {
    const { controlplane, dataplane } = await startBoth();
    await controlplane.commit(...Array.from({ length: 30 }, (_, index) => `many-${index}.example`));
    await vi.waitFor(() => expect(dataplane.table.size).toBe(31), { timeout: 60_000 });
    const { table } = dataplane;
    dataplane.stop();
    await controlplane.removeAll();
    await rulesets.redis.del(rulesets.keys(prefix).log);
    const later = rulesets.startDataplane(prefix, { saved: table.current()! });
    expect(later.table.size).toBe(31);
    await vi.waitFor(() => expect(later.table.size).toBe(0), { timeout: 60_000 });
  });

  it('is replaced by a new epoch when it holds a ruleset that the database never had', async () => {
    const { controlplane, dataplane } = await startBoth();
    const { head } = rulesets.keys(prefix);
    const before = await rulesets.repository.readHead();
    await rulesets.redis.set(head, `${before.epoch}.999999999`);
    await controlplane.commit('second.example');
    await vi.waitFor(() => expect(dataplane.table.size).toBe(2), { timeout: 60_000 });
    expect((await rulesets.repository.readHead()).epoch).toBeGreaterThan(before.epoch);
    await vi.waitFor(async () => expect(await rulesets.redis.get(head)).toBe(await rulesets.head()), {
      timeout: 60_000,
    });
    await controlplane.commit('third.example');
    await vi.waitFor(() => expect(dataplane.table.size).toBe(3), { timeout: 60_000 });
  });

  it('is bypassed by the other source while it is gone, and never delivers older afterwards', async () => {
    const controlplane = rulesets.startControlplane(prefix);
    await controlplane.commit('first.example');
    const fallback: RulesetSource = {
      async read(known) {
        const snapshot = await readSnapshot(rulesets.repository);
        return known && compareVersions(snapshot.version, known) === 0 ? undefined : snapshot;
      },
    };
    const dataplane = rulesets.startDataplane(prefix, { fallback });
    await caughtUp(dataplane);
    await rulesets.server.kill();
    try {
      await controlplane.commit('second.example');
      await caughtUp(dataplane, 15_000);
      expect(dataplane.table.size).toBe(2);
    } finally {
      await rulesets.server.restart();
    }
    await controlplane.commit('third.example');
    await caughtUp(dataplane, 15_000);
    expect(dataplane.steps).toEqual([...dataplane.steps].sort(compareVersions));
  });
});

describe('data planes that report', () => {
  it('are listed with what they serve, until they stop', async () => {
    const { dataplane } = await startBoth();
    const report = startRedisDataplaneReport({
      url: rulesets.server.url,
      keyPrefix: prefix,
      status: dataplane.status,
    });
    const list = () => listDataplanes(rulesets.redis, prefix);
    await vi.waitFor(async () => expect(await list()).toHaveLength(1), { timeout: 60_000 });
    expect((await list())[0]).toMatchObject({
      id: report.id,
      pid: process.pid,
      state: 'live',
      version: dataplane.table.version,
    });
    expect(await rulesets.redis.ttl(`${prefix}:dataplanes:${report.id}`)).toBeLessThanOrEqual(15);
    await report.stop();
    expect(await list()).toEqual([]);
  });

  it('do not keep each other from being listed when one report is garbage', async () => {
    const { dataplane } = await startBoth();
    const report = startRedisDataplaneReport({
      url: rulesets.server.url,
      keyPrefix: prefix,
      status: dataplane.status,
    });
    const { dataplane: key, dataplanes } = rulesets.keys(prefix);
    await rulesets.redis.set(`${key}bad`, 'garbage');
    await rulesets.redis.zadd(dataplanes, Date.now(), 'bad');
    await vi.waitFor(async () => {
      const ids = (await listDataplanes(rulesets.redis, prefix)).map(({ id }) => id);
      expect(ids).toEqual([report.id]);
    });
    await report.stop();
  });
});

describe('Redis that a control plane cannot write to, though it answers data planes', () => {
  const full = () => rulesets.redis.config('SET', 'maxmemory', '1');
  const free = () => rulesets.redis.config('SET', 'maxmemory', '0');
  afterEach(free);

  it('is bypassed by data planes soon, and is relied on again when it is brought up to date', async () => {
    const controlplane = rulesets.startControlplane(prefix);
    await controlplane.commit('first.example');
    const { known, fallback } = rulesets.sourceOf(controlplane);
    const dataplane = rulesets.startDataplane(prefix, { fallback });
    await caughtUp(dataplane);
    expect(known, 'Redis does: nobody is asked over HTTP').toEqual([]);
    await full();
    await controlplane.commit('second.example');
    await caughtUp(dataplane, 20_000);
    expect(dataplane.table.size).toBe(2);
    await vi.waitFor(
      () => expect(controlplane.publication.delay()).toMatch(/^Publishing is delayed: .*maxmemory/),
      { timeout: 60_000 },
    );
    await free();
    await controlplane.commit('third.example');
    await caughtUp(dataplane, 20_000);
    await vi.waitFor(() => expect(controlplane.publication.delay()).toBeUndefined(), { timeout: 60_000 });
    expect(dataplane.steps).toEqual([...dataplane.steps].sort(compareVersions));
    // Only deltas were requested over HTTP.
    expect(known.length).toBeGreaterThan(0);
    expect(known).not.toContain(undefined);
  });
});
