import { expect, test, vi } from 'vitest';
import { startForTest, withDataDir } from './product.fixture.js';

const HOST = 'shop.localhost';

test('without ClickHouse the product starts, manages and redirects, and says what is away', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({
      dataDir,
      environment: { CLICKHOUSE_URL: 'http://waymark:s3cret@127.0.0.1:1/waymark' },
    });
    const redirect = { fromDomain: HOST, toDomain: 'https://destination.example' };
    const created = await product.api<{ id: string }>('POST', '/add-redirect', redirect);
    expect(created.status).toBe(201);
    await vi.waitFor(async () => expect((await product.visit(HOST, '/')).status).toBe(301));

    expect(await product.api('GET', '/readyz')).toEqual({
      status: 200,
      body: { ready: true, parts: { database: true, rulesets: true, analytics: false } },
    });
    const statistics = `/analytics/redirect/${created.body.id}/stats/basic`;
    expect(await product.api('GET', statistics)).toMatchObject({
      status: 503,
      body: {
        error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('Analytics cannot be') },
      },
    });
    expect(await product.api('GET', '/admin/dataplanes')).toMatchObject({
      status: 200,
      body: { dataplanes: expect.any(Array), producers: null },
    });
    expect((await product.api('GET', '/get-redirects/me')).status).toBe(200);
    expect(await product.end('SIGTERM')).toBe(0);
    expect(product.output()).toContain('ClickHouse is away');
    expect(product.output()).not.toContain('s3cret');
  }));
