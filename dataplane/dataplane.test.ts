import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataplane, type DataplaneDeps } from './dataplane.js';
import { createKeptHits } from './http/kept-hits.fixture.js';
import { exchange, openConnection, request } from './http/raw-client.fixture.js';
import { createManualClock } from './sync/clock.fixture.js';
import type { Clock } from './sync/clock.js';
import { redirectOf } from './sync/redirect-definition.fixture.js';
import { ruleOf } from './sync/rule-definition.fixture.js';
import { createScriptedFeed } from './sync/scripted-feed.fixture.js';
import { temporaryFolder } from './temporary-folder.fixture.js';
import { testVisitorSources } from './visitor/visitor-sources.fixture.js';

const EPOCH = 1_700_000_000;
const A = redirectOf('a.example', { destination: 'https://old.example' });
const A_WITH_RULE = { ...A, rules: [ruleOf(1)] };

function newDataplane(deps: Pick<DataplaneDeps, 'config' | 'feed' | 'recorder' | 'clock'>) {
  return createDataplane({
    ...deps,
    visitorSources: testVisitorSources(),
    logger: pino({ level: 'silent' }),
  });
}

/** A running data plane on free ports, drained when the test ends. */
async function startDataplane(
  dataDir: string,
  { clock, ...ports }: { redirectPort?: number; adminPort?: number; clock?: Clock } = {},
) {
  const feed = createScriptedFeed();
  const recorder = createKeptHits();
  const config = {
    redirectHost: '127.0.0.1',
    redirectPort: 0,
    adminHost: '127.0.0.1',
    keepAliveSeconds: 75,
    adminPort: 0,
    dataDir,
    trustedProxies: [],
    ...ports,
  };
  const dataplane = newDataplane({ config, feed, recorder, ...(clock && { clock }) });
  onTestFinished(() => dataplane.drain());
  const { redirectAddress, adminAddress } = await dataplane.start();
  const adminPort = adminAddress!.port;
  const admin = (what: string) => fetch(`http://127.0.0.1:${adminPort}${what}`);
  return { dataplane, feed, recorder, admin, port: redirectAddress.port, adminPort };
}

const locationAt = async (port: number) => (await exchange(port, request('/', 'a.example'))).headers.location;

describe('a data plane', () => {
  it('is not ready and answers 503, not 404, until it has a ruleset', async () => {
    const { feed, admin, port } = await startDataplane(await temporaryFolder());
    expect((await exchange(port, request('/', 'a.example'))).statusCode).toBe(503);
    const before = await admin('/readyz');
    expect(before.status).toBe(503);
    expect(await before.json()).toMatchObject({ ready: false, state: 'cold', version: null, hosts: 0 });
    feed.snapshot(EPOCH, 1, []);
    const after = await admin('/readyz');
    expect(after.status).toBe(200);
    expect(await after.json()).toMatchObject({
      ready: true,
      state: 'live',
      version: `${EPOCH}.1`,
      lastError: null,
    });
    expect((await exchange(port, request('/', 'a.example'))).statusCode).toBe(404);
  });

  it('answers by a delta as soon as it has come', async () => {
    const { feed, port } = await startDataplane(await temporaryFolder());
    feed.snapshot(EPOCH, 1, [A]);
    expect(await locationAt(port)).toBe('https://old.example');
    const redirect = redirectOf('a.example', { destination: 'https://new.example' });
    feed.delta(EPOCH, 1, 2, [{ host: 'a.example', redirect }]);
    expect(await locationAt(port)).toBe('https://new.example');
    feed.delta(EPOCH, 2, 3, [{ host: 'a.example', redirect: null }]);
    expect(await locationAt(port)).toBeUndefined();
  });

  it('starts from what the last run saved while the feed is silent', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDataplane(dataDir);
    first.feed.snapshot(EPOCH, 1, [A]);
    await first.dataplane.drain();

    const second = await startDataplane(dataDir);
    expect(await locationAt(second.port)).toBe('https://old.example');
    expect(second.dataplane.readiness()).toMatchObject({ state: 'stale', version: `${EPOCH}.1` });
    second.feed.snapshot(EPOCH, 2, []);
    expect(second.dataplane.readiness()).toMatchObject({ state: 'live', hosts: 0 });
  });

  it('is not ready with a saved ruleset until the feed confirms it, because newer redirects would get 404', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDataplane(dataDir);
    first.feed.snapshot(EPOCH, 1, [A]);
    await first.dataplane.drain();

    const { feed, admin, port } = await startDataplane(dataDir);
    feed.head(EPOCH, 2);
    expect((await exchange(port, request('/', 'new.example'))).statusCode).toBe(404);
    expect((await admin('/readyz')).status).toBe(503);
    feed.delta(EPOCH, 1, 2, [{ host: 'new.example', redirect: redirectOf('new.example') }]);
    expect((await admin('/readyz')).status).toBe(200);
    expect((await exchange(port, request('/', 'new.example'))).statusCode).toBe(301);
  });

  it('is ready with a saved ruleset when the feed has a problem, or is silent for 5 s', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDataplane(dataDir);
    first.feed.snapshot(EPOCH, 1, [A]);
    await first.dataplane.drain();

    const failing = await startDataplane(dataDir);
    failing.feed.problem('the control plane is away');
    expect(failing.dataplane.readiness()).toMatchObject({ ready: true, state: 'stale' });
    await failing.dataplane.drain();

    const clock = createManualClock();
    const silent = await startDataplane(dataDir, { clock });
    expect(silent.dataplane.readiness().ready).toBe(false);
    clock.advance(5_000);
    expect(silent.dataplane.readiness()).toMatchObject({ ready: true, state: 'stale' });
  });

  it('starts with the rules that the last run saved', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDataplane(dataDir);
    first.feed.snapshot(EPOCH, 1, [A_WITH_RULE]);
    await first.dataplane.drain();

    const second = await startDataplane(dataDir);
    expect(await locationAt(second.port)).toBe('https://rule-1.example');
  });

  it('answers by a delta of rules as soon as it has come', async () => {
    const { feed, port } = await startDataplane(await temporaryFolder());
    feed.snapshot(EPOCH, 1, [A]);
    expect(await locationAt(port)).toBe('https://old.example');
    feed.delta(EPOCH, 1, 2, [{ host: 'a.example', redirect: A_WITH_RULE }]);
    expect(await locationAt(port)).toBe('https://rule-1.example');
    feed.delta(EPOCH, 2, 3, [{ host: 'a.example', redirect: A }]);
    expect(await locationAt(port)).toBe('https://old.example');
  });

  it('puts a damaged save aside and waits for the feed', async () => {
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'ruleset.snapshot'), 'damaged\n');
    const { dataplane } = await startDataplane(dataDir);
    expect(dataplane.readiness()).toMatchObject({ ready: false, state: 'cold' });
    expect(await readdir(dataDir)).toEqual(['ruleset.snapshot.bad']);
  });

  it('gives up on hits that cannot be handed over before whoever asked it to stop kills it', async () => {
    const { dataplane, recorder } = await startDataplane(await temporaryFolder());
    vi.spyOn(recorder, 'stop').mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const drained = dataplane.drain();
    await vi.advanceTimersByTimeAsync(7_000);
    await drained;
  });

  it('drains: no new visitors, hits handed over, ruleset saved, both ports closed', async () => {
    const dataDir = await temporaryFolder();
    const { dataplane, feed, recorder, port, adminPort } = await startDataplane(dataDir);
    feed.snapshot(EPOCH, 1, [A]);
    const kept = await openConnection(port);
    kept.send(request('/', 'a.example'));
    await kept.answer();
    expect(recorder.isStarted).toBe(true);

    const drained = dataplane.drain();
    expect(dataplane.drain()).toBe(drained);
    expect(dataplane.readiness().ready).toBe(false);
    kept.send(request('/', 'a.example'));
    expect((await kept.answer()).headers).toMatchObject({ connection: 'close' });
    await drained;

    expect(recorder.isStopped).toBe(true);
    expect(feed.isStopped).toBe(true);
    expect(await readdir(dataDir)).toEqual(['ruleset.snapshot']);
    await expect(openConnection(port)).rejects.toThrow('ECONNREFUSED');
    await expect(openConnection(adminPort)).rejects.toThrow('ECONNREFUSED');
  });

  it('leaves nothing running when a port cannot be had', async () => {
    const taken = await startDataplane(await temporaryFolder());
    const feed = createScriptedFeed();
    const recorder = createKeptHits();
    const config = {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      adminHost: '127.0.0.1',
      keepAliveSeconds: 75,
      adminPort: taken.adminPort,
      dataDir: await temporaryFolder(),
      trustedProxies: [],
    };
    const dataplane = newDataplane({ config, feed, recorder });
    await expect(dataplane.start()).rejects.toThrow('ADMIN_PORT');
    expect(feed.isStopped).toBe(true);
    expect(recorder.isStopped).toBe(true);
  });

  it('shows requests by outcome, the ruleset and the hits as metrics', async () => {
    const { feed, port, admin } = await startDataplane(await temporaryFolder());
    feed.snapshot(EPOCH, 5, [A, redirectOf('ruled.example', { rules: [ruleOf(1)] })]);
    await locationAt(port);
    await exchange(port, request('/', 'ruled.example'));
    await exchange(port, request('/', 'unknown.example'));
    const metrics = await (await admin('/metrics')).text();
    for (const line of [
      'waymark_requests_total{outcome="redirect"} 2',
      'waymark_requests_total{outcome="notFound"} 1',
      'waymark_requests_total{outcome="loop"} 0',
      'waymark_connections_unanswered_total{end="early"} 0',
      'waymark_ruleset_seq 5',
      'waymark_ruleset_hosts 2',
      'waymark_ruleset_state{state="live"} 1',
      'waymark_ruleset_state{state="cold"} 0',
      'waymark_ready 1',
      'waymark_rule_matches_total 1',
      'waymark_rule_regexes_skipped_total 0',
      'waymark_visitor_addresses_unreadable_total 0',
      'waymark_hits_recorded_total 2',
      'waymark_hit_spool_damaged_bytes_total 0',
      'waymark_hit_batches_recovered_total 0',
    ]) {
      expect(metrics).toContain(`\n${line}\n`);
    }
    expect(metrics).toContain('nodejs_eventloop_lag_seconds');
    expect(metrics).toContain('process_resident_memory_bytes');
  });
});
