import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from './api.fixture.js';
import { exampleArea } from './example-area.fixture.js';

let api: TestApi;
const probes: Record<string, () => Promise<void>> = {
  database: () => api.database.ping(),
  store: () => up,
};
const sideProbes = { statistics: () => aside };
let up: Promise<void> = Promise.resolve();
let aside: Promise<void> = Promise.resolve();

beforeAll(async () => {
  api = await startApi({ areas: () => [exampleArea], app: { probes, sideProbes } });
});
afterAll(() => api.close());

describe('operations', () => {
  it('/healthz says that the process lives', async () => {
    const { status, json } = await api.call('GET', '/healthz');
    expect(status).toBe(200);
    expect(json).toEqual({ status: 'ok' });
  });

  it('/readyz says of each part whether it answers', async () => {
    const ready = await api.call('GET', '/readyz');
    expect(ready.status).toBe(200);
    expect(ready.json).toEqual({ ready: true, parts: { database: true, store: true, statistics: true } });
    up = Promise.reject(new Error('connect ECONNREFUSED store.internal'));
    up.catch(() => {});
    const unready = await api.call('GET', '/readyz');
    up = Promise.resolve();
    expect(unready.status).toBe(503);
    expect(unready.json).toEqual({ ready: false, parts: { database: true, store: false, statistics: true } });
  });

  it('/readyz shows that a part is away that it is ready without', async () => {
    aside = Promise.reject(new Error('connect ECONNREFUSED statistics.internal'));
    aside.catch(() => {});
    const { status, json } = await api.call('GET', '/readyz');
    aside = Promise.resolve();
    expect(status).toBe(200);
    expect(json).toEqual({ ready: true, parts: { database: true, store: true, statistics: false } });
  });

  it('/readyz does not wait for ever for a part that hangs', async () => {
    up = new Promise(() => {});
    const { status, json } = await api.call('GET', '/readyz');
    up = Promise.resolve();
    expect(status).toBe(503);
    expect(json.parts).toEqual({ database: true, store: false, statistics: true });
  });

  it('/metrics counts answers by route, not by path, so that callers cannot make up series', async () => {
    for (const id of ['one', 'two']) await api.call('DELETE', `/auth/tokens/${id}`);
    for (const path of ['/made-up', '/made-up-too']) await api.call('GET', path);
    const { status, body, headers } = await api.call('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    const name = 'waymark_api_request_duration_seconds_count';
    expect(body).toContain(`${name}{method="DELETE",route="/auth/tokens/:id",status="401"} 2`);
    expect(body).toContain(`${name}{method="GET",route="unknown",status="404"} 2`);
    expect(body).not.toContain('made-up');
    expect(body).toContain('process_cpu_user_seconds_total');
  });
});
