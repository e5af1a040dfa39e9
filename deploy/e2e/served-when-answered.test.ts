import { expect, test } from 'vitest';
import { startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, redirectTo } from './rules.fixture.js';

const ROUNDS = 10;

test('a change that the API has answered applies to the next visitor, whichever process answers', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir, environment: { REDIRECT_WORKERS: '2' } });

    for (let round = 0; round < ROUNDS; round += 1) {
      const host = `round-${round}.localhost`;
      const locations = async () => {
        const visits = await Promise.all([1, 2, 3, 4].map(() => product.visit(host, '/')));
        return [...new Set(visits.map(({ status, headers }) => headers.location ?? status))];
      };

      const id = await createRedirect(product, host, { toDomain: 'https://first.example' });
      expect(await locations(), `${host} created`).toEqual(['https://first.example']);

      await product.api('PUT', `/update/${id}`, { id, toDomain: 'https://second.example' });
      expect(await locations(), `${host} updated`).toEqual(['https://second.example']);

      const rule = await createRule(product, id, {
        name: 'all',
        action: redirectTo('https://rule.example'),
      });
      expect(await locations(), `${host} with a rule`).toEqual(['https://rule.example']);

      await product.api('PUT', `/rules/${rule.id}/status`, { status: 'inactive' });
      expect(await locations(), `${host} without it`).toEqual(['https://second.example']);

      await product.api('DELETE', `/delete-redirect/${id}`);
      expect(await locations(), `${host} deleted`).toEqual([404]);
    }

    const wildcard = { fromDomain: '*.zone.localhost', toDomain: 'https://wildcard.example' };
    await product.api('POST', '/redirects', wildcard);
    const id = await createRedirect(product, 'evil.zone.localhost', { toDomain: 'https://evil.example' });
    const statuses = async () => {
      const visits = await Promise.all([1, 2, 3, 4].map(() => product.visit('evil.zone.localhost', '/')));
      return [...new Set(visits.map(({ status, headers }) => headers.location ?? status))];
    };
    const takedown = { host: 'evil.zone.localhost', reason: 'phishing' };
    const { body } = await product.api<{ id: string }>('POST', '/admin/takedowns', takedown);
    expect(await statuses(), 'taken down').toEqual([410]);
    await product.api('DELETE', `/redirects/${id}`);
    expect(await statuses(), 'taken down, below a wildcard').toEqual([410]);
    await product.api('DELETE', `/admin/takedowns/${body.id}`);
    expect(await statuses(), 'not taken down any more').toEqual(['https://wildcard.example']);
  }));
