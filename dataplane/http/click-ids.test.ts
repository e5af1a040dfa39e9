import { describe, expect, it } from 'vitest';
import { withClickId } from '../../shared/ruleset/appended-query.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { createClickIds } from '../../shared/visitor/click-id.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { TEST_SECRET, testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const ids = createClickIds(TEST_SECRET);

async function visit(options: Partial<Omit<RedirectDefinition, 'host'>>, target = '/a?b=1') {
  const { port, recorder } = await openVisitorPort([redirectOf('old.example', options)], {
    visitorSources: testVisitorSources(),
  });
  const { headers, statusCode } = await exchange(
    port,
    request(target, 'old.example', { headers: ['User-Agent: test'] }),
  );
  return { statusCode, headers, location: String(headers.location), recorder };
}

const clickOf = (location: string) => ids.read(new URL(location).searchParams.get('wm_click') ?? '');

describe('click ids', () => {
  it('are appended to the destination, join with the hit, and are no part of it', async () => {
    const { location, headers, recorder } = await visit({ clickIdParam: 'wm_click' });
    expect(location).toMatch(/^https:\/\/destination\.example\?wm_click=[\w-]{22}$/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    const [hit] = recorder.hits;
    expect(hit?.location).toBe('https://destination.example');
    expect(clickOf(location)).toEqual({
      visitorId: testVisitorSources().identify(hit!.address, hit!.userAgent),
      timeMs: hit!.timestampMs,
    });
  });

  it('come after forwarded and appended queries and before the fragment, with the destinations of rules too', async () => {
    const forwarding = { queryForwarding: true, pathForwarding: true, clickIdParam: 'id' };
    const { location } = await visit({
      ...forwarding,
      destination: 'https://new.example/x?y=1#top',
      appendQuery: { z: '2' },
    });
    expect(location).toMatch(/^https:\/\/new\.example\/x\/a\?y=1&b=1&z=2&id=[\w-]{22}#top$/);
    const action = { type: 'redirect', url: 'https://rule.example/' } as const;
    const rules = [{ id: 1, conditionLogic: 'AND', conditions: [], action }] as const;
    expect((await visit({ clickIdParam: 'id', rules })).location).toMatch(
      /^https:\/\/rule\.example\/\?id=[\w-]{22}$/,
    );
  });

  it('of visits that are not recorded are given too', async () => {
    const { location, recorder } = await visit({ clickIdParam: 'wm_click', samplingRate: 0 });
    expect(recorder.hits).toHaveLength(0);
    expect(clickOf(location)).toMatchObject({ visitorId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it('are not added to URLs of the redirect’s own host, so that loops are still found', async () => {
    const action = { type: 'redirect', url: 'https://old.example/there' } as const;
    const rules = [{ id: 1, conditionLogic: 'AND', conditions: [], action }] as const;
    expect((await visit({ clickIdParam: 'id', rules }, '/here')).location).toBe('https://old.example/there');
  });

  it('are not in the destinations of other redirects', async () => {
    expect((await visit({})).location).toBe('https://destination.example');
    expect((await visit({ appendQuery: { a: '1' } })).location).toBe('https://destination.example?a=1');
  });
});

it.each([
  ['https://a.example', 'https://a.example?n=ID'],
  ['https://a.example/?', 'https://a.example/?n=ID'],
  ['https://a.example/?b', 'https://a.example/?b&n=ID'],
  ['https://a.example/?b&', 'https://a.example/?b&n=ID'],
  ['https://a.example/%C3%A4?b=%00#c?d#e', 'https://a.example/%C3%A4?b=%00&n=ID#c?d#e'],
  ['https://a.example#?', 'https://a.example?n=ID#?'],
])('every byte of %s is kept', (location, expected) => {
  expect(withClickId(location, 'n', 'ID')).toBe(expected);
});
