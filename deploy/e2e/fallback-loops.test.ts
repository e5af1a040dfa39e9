import { expect, test, vi } from 'vitest';
import { startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, redirectTo } from './rules.fixture.js';

test('loops through the fallback of a user are refused; loops that only a rule closes are cut for visitors', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir });
    const setFallback = (url: string) => product.api('PUT', '/user/fallback', { url });
    const enable = (id: string, enabled: boolean) => product.api('PATCH', `/redirects/${id}`, { enabled });
    const port = new URL(product.redirectAddress).port;
    const off = await createRedirect(product, 'off.localhost');
    const way = await createRedirect(product, 'way.localhost', { toDomain: 'http://off.localhost' });
    expect((await setFallback('http://way.localhost')).status).toBe(200);
    const refused = { status: 422, body: { error: { code: 'REDIRECT_LOOP' } } };
    expect(await enable(off, false)).toMatchObject(refused);

    expect((await setFallback('https://elsewhere.example')).status).toBe(200);
    expect((await enable(off, false)).status).toBe(200);
    const visit = () => product.visit(`off.localhost:${port}`, '/start');
    await vi.waitFor(async () =>
      expect(await visit()).toMatchObject({
        status: 302,
        headers: { location: 'https://elsewhere.example' },
      }),
    );
    expect(await setFallback('http://way.localhost')).toMatchObject(refused);

    // The rule depends on the path, so the API cannot be certain of a loop when the rule is written.
    const leadsOut = { toDomain: 'https://elsewhere.example' };
    expect((await product.api('PATCH', `/redirects/${way}`, leadsOut)).status).toBe(200);
    await createRule(product, way, {
      name: 'back',
      conditions: [{ attribute: 'url_path', operator: 'starts_with', value: '/back' }],
      action: redirectTo(`http://off.localhost:${port}/start`),
    });
    expect((await setFallback(`http://way.localhost:${port}/back`)).status).toBe(200);
    await vi.waitFor(async () => expect((await visit()).status).toBe(508));
    expect(await product.visit('way.localhost', '/')).toMatchObject({
      status: 302,
      headers: { location: leadsOut.toDomain },
    });
  }));

test('a redirect can be deleted or disabled where a wildcard then closes a loop, which is cut and counted', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir });
    const port = new URL(product.redirectAddress).port;
    const visit = () => product.visit(`shop.zone.localhost:${port}`, '/x');
    const make = async (fromDomain: string, toDomain: string) =>
      (await product.api<{ id: string }>('POST', '/redirects', { fromDomain, toDomain })).body.id;
    const wildcard = await make('*.zone.localhost', `http://way.localhost:${port}`);
    await make('way.localhost', `http://shop.zone.localhost:${port}/x`);
    const exact = await make('shop.zone.localhost', 'https://elsewhere.example');
    await vi.waitFor(async () => expect((await visit()).headers.location).toBe('https://elsewhere.example'));

    expect((await product.api('PATCH', `/redirects/${exact}`, { enabled: false })).status).toBe(200);
    await vi.waitFor(async () => expect((await visit()).status).toBe(508));
    expect((await product.api('PATCH', `/redirects/${exact}`, { enabled: true })).status).toBe(200);
    await vi.waitFor(async () => expect((await visit()).status).toBe(301));
    expect((await product.api('DELETE', `/redirects/${exact}`)).status).toBe(200);
    await vi.waitFor(async () => expect((await visit()).status).toBe(508));
    await vi.waitFor(async () => {
      const { body } = await product.api<{ data: object }>(
        'GET',
        `/analytics/redirect/${wildcard}/stats/status-codes?includeBots=true`,
      );
      expect(JSON.stringify(body.data)).toMatch(/"statusCode":"?508/);
    });
  }));
