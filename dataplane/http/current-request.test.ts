import { describe, expect, it, onTestFinished } from 'vitest';
import { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import { CurrentRequest } from './current-request.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { createTestListener, visitorTarget } from './visitor-port.fixture.js';

type Reading = Exclude<keyof CurrentRequest, 'of' | 'release' | 'isSecure'>;

const READINGS: readonly Reading[] = [
  'path',
  'query',
  'userAgent',
  'referrer',
  'acceptLanguage',
  'cookies',
  'address',
  'method',
  'purpose',
];

/** A port whose handler reads every text of every request, in the given order. */
async function openReader(order: readonly Reading[] = READINGS) {
  const current = new CurrentRequest(new VisitorAddress([]));
  const texts: Partial<Record<Reading, string>>[] = [];
  const listener = createTestListener((res, req) => {
    current.of(res, req);
    texts.push(Object.fromEntries(order.map((reading) => [reading, current[reading]()])));
    current.release();
    res.endWithoutBody(0);
  });
  const { port } = await listener.listen(visitorTarget());
  onTestFinished(() => listener.drain(0));
  return { current, texts, port };
}

describe('the current request', () => {
  it('gives what was sent, as it was sent', async () => {
    const { texts, port } = await openReader();
    const headers = [
      'User-Agent: Browser/1',
      'referer: https://from.example/?q=1',
      'Accept-Language: de-CH, en;q=0.5',
      'COOKIE: a=1; b="2"',
      'Purpose: prefetch',
    ];
    await exchange(port, request('/a%20b/../c?d=%C3%A9&e', 'a.example', { method: 'post', headers }));
    expect(texts).toEqual([
      {
        path: '/a%20b/../c',
        query: 'd=%C3%A9&e',
        userAgent: 'Browser/1',
        referrer: 'https://from.example/?q=1',
        acceptLanguage: 'de-CH, en;q=0.5',
        cookies: 'a=1; b="2"',
        address: '127.0.0.1',
        method: 'post',
        purpose: 'prefetch',
      },
    ]);
  });

  it('gives the same however often and in whatever order it is read', async () => {
    const { texts, port } = await openReader([...READINGS].reverse().concat(READINGS, READINGS));
    await exchange(port, request('/a?b', 'a.example', { headers: ['User-Agent: x', 'Cookie: c=1'] }));
    expect(texts[0]).toMatchObject({ path: '/a', query: 'b', userAgent: 'x', cookies: 'c=1' });
  });

  it('keeps nothing of the request before', async () => {
    const { texts, port } = await openReader();
    const connection = await openConnection(port);
    const headers = ['User-Agent: x', 'Referer: y', 'Accept-Language: de', 'Cookie: c=1', 'X-Moz: prefetch'];
    connection.send(request('/a?b', 'a.example', { headers }));
    await connection.answer();
    connection.send(request('/', 'a.example'));
    await connection.answer();
    expect(texts[1]).toEqual({
      path: '/',
      query: '',
      userAgent: '',
      referrer: '',
      acceptLanguage: '',
      cookies: '',
      address: '127.0.0.1',
      method: 'GET',
      purpose: '',
    });
  });

  it.each(READINGS)('throws when its %s is read after the request has ended', async (reading) => {
    const { current, port } = await openReader();
    expect(() => current[reading]()).toThrow('none is being answered');
    await exchange(port, request('/', 'a.example'));
    expect(() => current[reading]()).toThrow('none is being answered');
  });
});
