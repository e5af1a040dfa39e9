import { expect, test, vi } from 'vitest';
import { type Product, startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, redirectTo } from './rules.fixture.js';

const OUT = 'https://out.example';

/** Visits until the answer matches `expected`. Changes arrive within some milliseconds. */
async function expectVisit(product: Product, host: string, target: string, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(await product.visit(host, target)).toMatchObject(expected));
}

test('answers have the status and the time in caches that their owners chose', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir });
    const permanent = { redirectType: 'permanent' };
    const id = await createRedirect(product, 'kept.localhost', { ...permanent, cacheSeconds: 86_400 });
    const kept = { status: 301, headers: { 'cache-control': 'public, max-age=86400' } };
    await expectVisit(product, 'kept.localhost', '/', kept);
    await product.api('PUT', `/update/${id}`, { cacheSeconds: 0 });
    await expectVisit(product, 'kept.localhost', '/', {
      status: 301,
      headers: { 'cache-control': 'no-store' },
    });

    const tested = await createRedirect(product, 'tested.localhost', permanent);
    const variants = ['red', 'blue'].map((name) => ({
      name,
      percentage: 50,
      url: `https://${name}.example`,
    }));
    const action = { type: 'ab_test', variants, sticky: 'visitor' };
    const { id: ruleId } = await createRule(product, tested, { name: 'test', type: 'ab_experiment', action });
    const uncached = { 'cache-control': 'no-store' };
    await expectVisit(product, 'tested.localhost', '/', { status: 302, headers: uncached });
    await product.api('PUT', `/rules/${ruleId}`, { action: { ...action, statusCode: 307 } });
    await expectVisit(product, 'tested.localhost', '/', { status: 307, headers: uncached });
    await vi.waitFor(async () => {
      const { body } = await product.api<{ data: readonly { statusCode: number }[] }>(
        'GET',
        `/analytics/redirect/${tested}/hits`,
      );
      expect(body.data.map(({ statusCode }) => statusCode)).toEqual(expect.arrayContaining([302, 307]));
    });

    // From host to host by rules: refused where it is certain, else cut for the visitors who would not arrive.
    const forwarding = { pathForwarding: true };
    const a = await createRedirect(product, 'a.localhost', { toDomain: OUT, ...forwarding });
    await createRedirect(product, 'b.localhost', { toDomain: 'http://a.localhost', ...forwarding });
    const rule = { name: 'to b', type: 'force', status: 'active', action: redirectTo('http://b.localhost') };
    const refused = await product.api('POST', `/rules/redirect/${a}`, rule);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'REDIRECT_LOOP', field: 'action.url' } },
    });
    const conditions = [{ attribute: 'url_path', operator: 'starts_with', value: '/x' }];
    await createRule(product, a, { ...rule, conditions });
    await expectVisit(product, 'a.localhost', '/x/y', { status: 508 });
    expect((await product.visit('a.localhost', '/y')).headers.location).toBe(`${OUT}/y`);
    expect((await product.visit('b.localhost', '/x')).headers.location).toBe('http://a.localhost/x');
  }));
