import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DnsServer, startDnsServer } from '../../controlplane/areas/domains/dns-server.fixture.js';
import { type Product, startForTest, type Visit, withDataDir } from './product.fixture.js';

interface RedirectAnswer {
  readonly id: string;
  readonly isVerified: boolean;
  readonly status: string;
  readonly verification: { readonly name: string; readonly value: string };
}
interface BasicStats {
  readonly data: { readonly totalHits: number; readonly humanHits: number; readonly uniqueVisitors: number };
  readonly meta: { readonly delivery: { readonly recorded: number; readonly lost: number } };
}

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.close());

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

async function hitsOf(product: Product, id: string): Promise<BasicStats> {
  const { status, body } = await product.api<BasicStats>('GET', `/analytics/redirect/${id}/stats/basic`);
  expect(status).toBe(200);
  return body;
}

/** Visits, and counts redirected visits. The statistics must give the same number. */
function createVisitor() {
  let redirected = 0;
  return {
    redirected: () => redirected,
    async visit(product: Product, target: string, host = 'old.example'): Promise<Visit> {
      const visit = await product.visit(host, target, { headers: BROWSER });
      if (visit.status === 301 || visit.status === 302) redirected++;
      return visit;
    },
  };
}

type Visitor = ReturnType<typeof createVisitor>;

/** Changes the type; from the API's answer until a visitor sees it, in milliseconds. */
async function timeUntilServed(
  product: Product,
  visitor: Visitor,
  id: string,
  redirectType: string,
): Promise<number> {
  const expected = redirectType === 'permanent' ? 301 : 302;
  expect((await product.api('PUT', `/update/${id}`, { redirectType })).status).toBe(200);
  const answeredAtMs = performance.now();
  await vi.waitFor(async () => expect((await visitor.visit(product, '/a')).status).toBe(expected), {
    interval: 1,
  });
  return performance.now() - answeredAtMs;
}

test('a redirect lives from its creation to its end, across a restart', () =>
  withDataDir(async (dataDir) => {
    const environment = { DNS_SERVERS: dns.address.replace('127.0.0.1', 'localhost') };
    let product = await startForTest({ dataDir, environment });
    const { token } = product;
    const visitor = createVisitor();
    expect(token).toMatch(/^wm_.{40,}$/);

    // Created: the redirect exists, and no visitor is redirected yet.
    const created = await product.api<RedirectAnswer>('POST', '/add-redirect', {
      fromDomain: 'Old.Example',
      toDomain: 'https://new.example/base',
      pathForwarding: true,
      queryForwarding: true,
    });
    expect(created.status).toBe(201);
    const { id, verification } = created.body;
    expect(created.body).toMatchObject({ isVerified: false, status: 'pending' });
    expect((await visitor.visit(product, '/a')).status).toBe(404);

    // Verified by a TXT record that was not there at first.
    const tooEarly = await product.api<{ isVerified: boolean }>('POST', '/verify-domain', {
      domain: 'old.example',
    });
    expect(tooEarly).toMatchObject({ status: 200, body: { isVerified: false } });
    dns.setTxt(verification.name, [verification.value]);
    const proved = await product.api<{ isVerified: boolean }>('POST', '/verify-domain', {
      domain: 'old.example',
    });
    expect(proved).toMatchObject({ status: 200, body: { isVerified: true } });

    // Visited: 301, then 302, path and query carried byte for byte.
    await vi.waitFor(async () => expect((await visitor.visit(product, '/')).status).toBe(301), {
      interval: 5,
    });
    const permanent = await visitor.visit(product, '/a%20b//c?x=%C3%A9&y', 'OLD.example:80');
    expect(permanent).toMatchObject({ status: 301, body: '' });
    expect(permanent.headers.location).toBe('https://new.example/base/a%20b//c?x=%C3%A9&y');
    expect(permanent.headers['cache-control']).toBe('public, max-age=300');

    await product.api('PUT', `/update/${id}`, { pathForwarding: false });
    // Use the fastest of many visits, because pauses of a busy machine only add time. An odd number ends with
    // `temporary`.
    const delaysMs: number[] = [];
    while (delaysMs.length < 5 || (delaysMs.length < 99 && Math.min(...delaysMs) >= 50)) {
      for (const redirectType of delaysMs.length === 0 ? ['temporary'] : ['permanent', 'temporary']) {
        delaysMs.push(await timeUntilServed(product, visitor, id, redirectType));
      }
    }
    expect(Math.min(...delaysMs)).toBeLessThan(50);
    const temporary = await visitor.visit(product, '/a?q=1');
    expect(temporary.headers.location).toBe('https://new.example/base?q=1');
    expect(temporary.headers['cache-control']).toBe('no-store');

    // Seen in the statistics.
    await vi.waitFor(
      async () => {
        const stats = await hitsOf(product, id);
        expect(stats.data.totalHits).toBe(visitor.redirected());
        expect(stats.data.uniqueVisitors).toBe(1);
        expect(stats.meta.delivery.lost).toBe(0);
      },
      { interval: 50 },
    );

    // After the restart everything is still there.
    expect(await product.end('SIGTERM')).toBe(0);
    product = await startForTest({ dataDir, environment, token });
    expect(product.output()).not.toContain(token);
    const again = await visitor.visit(product, '/b?q=2');
    expect(again.headers.location).toBe('https://new.example/base?q=2');
    await vi.waitFor(
      async () => {
        expect((await hitsOf(product, id)).data.totalHits).toBe(visitor.redirected());
      },
      { interval: 50 },
    );

    // Deleted: gone for visitors and for the API.
    expect((await product.api('DELETE', `/delete-redirect/${id}`)).status).toBe(200);
    await vi.waitFor(async () => expect((await visitor.visit(product, '/')).status).toBe(404), {
      interval: 5,
    });
    expect((await product.api('GET', `/redirects/${id}`)).status).toBe(404);

    // Restored: served again, with its statistics.
    const hits = visitor.redirected();
    expect((await product.api('POST', `/redirects/${id}/restore`)).status).toBe(200);
    expect((await hitsOf(product, id)).data.totalHits).toBe(hits);
    await vi.waitFor(async () => expect((await visitor.visit(product, '/c')).status).toBe(302), {
      interval: 5,
    });
    expect(await product.end('SIGINT')).toBe(0);
  }));
