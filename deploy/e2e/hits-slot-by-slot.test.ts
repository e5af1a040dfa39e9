import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDirectIntake } from '../../controlplane/ingest/direct-intake.js';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { createHitRecorder, type HitSlot } from '../../dataplane/hits/hit-recorder.js';
import { HIT_COLUMNS } from '../../shared/hits/hit-columns.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';

const logger = pino({ level: 'silent' });
const START_MS = Date.UTC(2026, 0, 31, 23, 59, 59, 900);
const NASTY = [
  '',
  "it's; DROP",
  'a\\b"c',
  'l1\r\nl2\t\u0000',
  'žluťoučký 🐎',
  'x'.repeat(2_048),
  '{x:String}',
];

let dataDir: string;
let store: AnalyticsStore;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-slots-'));
  store = await openMigratedStore({ dataDir }, logger);
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A recorder that hands its hits to the store itself, and whose clock has a millisecond a hit. */
function newRecorder() {
  let time = START_MS;
  return createHitRecorder({
    sink: createDirectIntake({ store, metrics: new Registry(), logger, dataDir }),
    dataDir,
    secretKey: Buffer.from('a secret of an installation'),
    places: {
      placeOf: (address) => ({
        country: 'AT',
        region: undefined,
        city: address,
        latitude: -48.25,
        longitude: 16.5,
      }),
    },
    detectDevice: createDeviceDetection(),
    flushIntervalMs: 5,
    logger,
    now: () => time++,
  });
}

/** Returns the expected n-th hit, with the names of the slot's fields. */
function hit(n: number): Partial<HitSlot> {
  const text = NASTY[n % NASTY.length] ?? '';
  return {
    host: `${n % 40}.example`,
    path: `/${text}`.slice(0, 2_048),
    query: text,
    statusCode: n % 2 === 0 ? 301 : 302,
    location: text,
    method: n % 9 === 0 ? 'head' : 'get',
    userAgent: `Agent/${n % 300} ${text}`.slice(0, 2_048),
    referrer: text,
    address: `198.51.100.${n % 256}`,
    rulesetVersion: '1.1',
    ruleId: n % 3 === 0 ? Number.MAX_SAFE_INTEGER : n,
    variant: text.slice(0, 200),
    retentionDays: 36_500,
    draw: n % 2 === 0 ? 0 : 1 / (n + 1),
  };
}

it('every recorded hit is in the store unchanged, also across the end of a month', async () => {
  const hits = Array.from({ length: 700 }, (_, n) => hit(n));
  const recorder = newRecorder();
  recorder.start();
  for (const [n, fields] of hits.entries()) {
    const redirectId = `rd_${n % 60}`;
    const tally = recorder.tallyOf(redirectId);
    recorder.countRequest(tally);
    Object.assign(recorder.claim(tally, redirectId, 0.25) ?? {}, fields);
  }
  await recorder.stop();

  const rows = await store.query(
    `SELECT ordinal, redirect_id, toUnixTimestamp64Milli(timestamp) AS timeMs, host, path, query, status_code,
       destination_url, method, sampling_rate, user_agent, referrer, ip_address, ruleset_version, rule_id, variant,
       country, city, latitude, longitude, retention_days, draw, query_recording
     FROM hits ORDER BY ordinal`,
  );
  expect(rows).toEqual(
    hits.map((fields, n) => ({
      ordinal: n + 1,
      redirect_id: `rd_${n % 60}`,
      timeMs: START_MS + n,
      host: fields.host,
      path: fields.path,
      query: fields.query,
      status_code: fields.statusCode,
      destination_url: fields.location,
      method: fields.method?.toUpperCase(),
      sampling_rate: 0.25,
      user_agent: fields.userAgent,
      referrer: fields.referrer,
      ip_address: '198.51.100.0',
      ruleset_version: '1.1',
      rule_id: fields.ruleId,
      variant: fields.variant,
      country: 'AT',
      city: fields.address,
      latitude: -48.25,
      longitude: 16.5,
      retention_days: 36_500,
      draw: fields.draw,
      query_recording: 'full',
    })),
  );
  const [parts] = await store.query<{ inMonths: number }>(
    'SELECT uniqExact(_partition_id) AS inMonths FROM hits',
  );
  expect(parts?.inMonths).toBe(2);
  const [delivered] = await store.query(
    'SELECT bitmapCardinality(groupBitmapMergeState(delivered)) AS hits FROM redirect_counters',
  );
  expect(delivered).toEqual({ hits: hits.length });
});

it('the table has every sent column, and no other required column', async () => {
  const columns = await store.query<{ name: string }>(
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'hits' AND default_kind = ''",
  );
  expect(columns.map(({ name }) => name)).toEqual(HIT_COLUMNS);
});
