import { expect, it } from 'vitest';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { heapGrowthOf } from '../../shared/visitor/heap-growth.fixture.js';
import type { HitSlot } from '../hits/hit-slot.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const NOW = Date.UTC(2026, 0, 1);

async function visit(options: Partial<Omit<RedirectDefinition, 'host'>>, headers: string[] = []) {
  const visitorSources = { ...testVisitorSources(), nowMs: () => NOW };
  const redirects = [redirectOf('old.example', options)];
  const { port, counts, recorder } = await openVisitorPort(redirects, {
    visitorSources,
    trustedProxies: ['127.0.0.1'],
  });
  const answer = await exchange(port, request('/?b=1', 'old.example', { headers }));
  return { ...answer, counts, recorder };
}

it('visitors get the status, the headers and the query that the owner chose', async () => {
  const { statusCode, headers, recorder } = await visit({
    statusCode: 308,
    responseHeaders: { 'X-Robots-Tag': 'noindex', 'Strict-Transport-Security': 'max-age=60' },
    appendQuery: { a: '1', b: '2' },
  });
  expect(statusCode).toBe(308);
  expect(headers).toMatchObject({
    location: 'https://destination.example?a=1',
    'x-robots-tag': 'noindex',
    'cache-control': 'public, max-age=300',
  });
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(recorder.hits).toMatchObject([{ statusCode: 308, location: 'https://destination.example?a=1' }]);
});

it('visitors over HTTPS get Strict-Transport-Security', async () => {
  const responseHeaders = { 'Strict-Transport-Security': 'max-age=60' };
  const { headers } = await visit({ responseHeaders }, ['X-Forwarded-Proto: https']);
  expect(headers).toMatchObject({ 'strict-transport-security': 'max-age=60' });
});

it.each<[number, Partial<RedirectDefinition>, string]>([
  [404, { startsAt: NOW + 1 }, 'notFound'],
  [404, { endsAt: NOW }, 'notFound'],
  [410, { endsAt: NOW, afterEnd: { statusCode: 410 } }, 'gone'],
  [410, { gone: true }, 'gone'],
])('visitors get %i for %j, which no cache may keep and no hit records', async (status, options, outcome) => {
  const { statusCode, headers, counts, recorder } = await visit(options);
  expect(statusCode).toBe(status);
  expect(headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(counts).toMatchObject({ redirect: 0, [outcome]: 1 });
  expect(recorder.hits).toHaveLength(0);
});

it('visitors are sent to the URL after the end, and the hit says so', async () => {
  const { statusCode, headers, recorder } = await visit({
    endsAt: NOW,
    afterEnd: { url: 'https://over.example/end' },
  });
  expect(statusCode).toBe(302);
  expect(headers).toMatchObject({ location: 'https://over.example/end', 'cache-control': 'no-store' });
  expect(recorder.hits).toMatchObject([{ statusCode: 302, location: 'https://over.example/end' }]);
});

it('visitors of a redirect that is gone get 410 and no upgrade to HTTPS', async () => {
  expect(await visit({ gone: true, httpsMode: 'upgrade' })).toMatchObject({ statusCode: 410 });
});

it('hits do not keep long headers of the owner in memory', async () => {
  const value = 'x'.repeat(500);
  const responseHeaders = { 'Cache-Control': value, 'X-Robots-Tag': value, 'Referrer-Policy': value };
  const { port, recorder } = await openVisitorPort([redirectOf('old.example', { responseHeaders })]);
  const connection = await openConnection(port);
  const visits = 1_000;
  for (let made = 0; made < visits; made += 1) {
    connection.send(request('/', 'old.example'));
    expect((await connection.answer()).headers).toMatchObject({ 'referrer-policy': value });
  }
  const hits = recorder.hits as HitSlot[];
  expect(hits).toHaveLength(visits);
  const { bytes } = heapGrowthOf(() => {
    hits.length = 0;
  });
  expect(-bytes / visits).toBeLessThan(1_000);
});
