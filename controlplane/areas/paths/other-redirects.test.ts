import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { RulesApi } from '../rules/rules-api.fixture.js';
import { startPathsApi } from './paths-api.fixture.js';

let rules: RulesApi;
let user: TestUser;

beforeAll(async () => {
  rules = await startPathsApi();
  user = await rules.api.createUser({ plan: 'business' });
});
afterAll(() => rules.close());

const call = (method: string, path: string, body: unknown) =>
  rules.api.call(method, `/redirects/${path}`, { token: user.token, body });
const to = (source: string, destination: string) => ({ source, destination });

describe('entries that lead to other redirects of this service', () => {
  it('are reported as chains, with the last destination', async () => {
    const [first, second] = [await rules.createRedirect(user), await rules.createRedirect(user)];
    const put = await call('PUT', `${second.id}/paths`, {
      entries: [to('/b/:id', 'https://end.example/:id')],
      options: { unmatched: 'not_found' },
    });
    expect(put.status, put.body).toBe(200);
    const { json } = await call('PUT', `${first.id}/paths`, {
      entries: [
        to('/a', `https://${second.host}/b/7`),
        to('/c', `https://${second.host}/none`),
        to('/d', 'https://elsewhere.example/'),
      ],
    });
    expect(json.diagnostics).toMatchObject([
      { kind: 'chain', source: '/a', other: `https://${second.host}/b/7` },
    ]);
    expect(json.diagnostics[0].message).toContain('https://end.example/7');
  });

  it('are refused when they lead back to themselves', async () => {
    const [first, second] = [await rules.createRedirect(user), await rules.createRedirect(user)];
    await call('PUT', `${second.id}/paths`, { entries: [to('/b/*', `https://${first.host}/a/*`)] });
    const loop = to('/a/*', `https://${second.host}/b/*`);
    const entries = [to('/x', 'https://end.example'), loop];
    for (const path of ['paths', 'paths/staged']) {
      const refused = await call('PUT', `${first.id}/${path}`, { entries });
      expect([refused.status, refused.json.error.code, refused.json.error.field], refused.body).toEqual([
        422,
        'REDIRECT_LOOP',
        'entries.1.source',
      ]);
    }
    const single = await call('POST', `${first.id}/paths`, loop);
    expect([single.status, single.json.error.code]).toEqual([422, 'REDIRECT_LOOP']);
    const out = await call('POST', `${first.id}/paths`, to('/a/*', `https://${second.host}/c`));
    expect(out.status, out.body).toBe(201);
  });
});
