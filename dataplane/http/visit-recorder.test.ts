import { describe, expect, it } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const REDIRECT = redirectOf('a.example', { destination: 'https://new.example', pathForwarding: true });
const UNRECORDED = redirectOf('unrecorded.example', { samplingRate: 0 });
const LOOPBACK = ['127.0.0.0/8', '::1'];

async function hitOf(
  headers: string[],
  given: { trustedProxies?: string[]; clientIpHeader?: string; host?: string } = {},
) {
  const { port, recorder } = await openVisitorPort([REDIRECT], given);
  await exchange(port, request('/', 'a.example', { headers }));
  return recorder.hits[0]!;
}

describe('a recorded hit', () => {
  it('holds what was asked, what was answered and by which ruleset', async () => {
    const { port, recorder } = await openVisitorPort([REDIRECT]);
    await exchange(port, request('/a%20b?c=%C3%A9&d', 'A.example:80', { method: 'POST' }));
    expect(recorder.hits).toHaveLength(1);
    expect(recorder.hits[0]).toMatchObject({
      redirectId: REDIRECT.id,
      samplingRate: 1,
      host: 'a.example',
      path: '/a%20b',
      query: 'c=%C3%A9&d',
      method: 'POST',
      statusCode: 301,
      location: 'https://new.example/a%20b',
      rulesetVersion: '1700000000.1',
    });
  });

  it.each([
    [{ retentionDays: 365 }, 365],
    [{}, 0],
  ])('of a redirect with %j is to be kept for %d days', async (given, days) => {
    const { port, recorder } = await openVisitorPort([redirectOf('kept.example', given)]);
    await exchange(port, request('/', 'kept.example'));
    expect(recorder.hits[0]?.retentionDays).toBe(days);
  });

  it.each([
    [{}, 'full'],
    [{ queryRecording: 'names' }, 'names'],
    [{ queryRecording: 'none' }, 'none'],
  ] as const)('of a redirect with %j is to be encoded with queries as %s', async (given, queryRecording) => {
    const { port, recorder } = await openVisitorPort([redirectOf('queries.example', given)]);
    await exchange(port, request('/', 'queries.example'));
    expect(recorder.hits[0]?.queryRecording).toBe(queryRecording);
  });

  it('holds what the visitor tells of itself', async () => {
    const hit = await hitOf([
      'User-Agent: Browser/1',
      'Referer: https://from.example/?q=1',
      'Accept-Language: de-CH, en;q=0.5',
      'Sec-Purpose: prefetch;prerender',
    ]);
    expect(hit).toMatchObject({
      userAgent: 'Browser/1',
      referrer: 'https://from.example/?q=1',
      acceptLanguage: 'de-CH, en;q=0.5',
      purpose: 'prefetch;prerender',
      address: '127.0.0.1',
    });
  });

  it('holds nothing for what the visitor does not tell', async () => {
    expect(await hitOf([])).toMatchObject({
      query: '',
      userAgent: '',
      referrer: '',
      acceptLanguage: '',
      purpose: '',
    });
  });

  it.each([
    { headers: ['Purpose: prefetch'], purpose: 'prefetch' },
    { headers: ['X-Moz: prefetch'], purpose: 'prefetch' },
    { headers: ['Purpose: old', 'Sec-Purpose: new'], purpose: 'new' },
  ])('tells the purpose from $headers', async ({ headers, purpose }) => {
    expect((await hitOf(headers)).purpose).toBe(purpose);
  });

  it('reads headers beyond ASCII as UTF-8', async () => {
    const onTheWire = Buffer.from('Browser Ünïcode (日本) 1').toString('latin1');
    expect((await hitOf([`User-Agent: ${onTheWire}`])).userAgent).toBe('Browser Ünïcode (日本) 1');
  });

  it('is not made when the sampling rate is 0, yet the request counts', async () => {
    const { port, recorder } = await openVisitorPort([UNRECORDED]);
    await exchange(port, request('/', 'unrecorded.example'));
    expect(recorder.hits).toHaveLength(0);
    expect(recorder.requestsOf(UNRECORDED.id)).toBe(1);
  });
});

describe('the address of a recorded hit', () => {
  it('is the peer whatever a visitor writes into X-Forwarded-For', async () => {
    expect((await hitOf(['X-Forwarded-For: 1.1.1.1'])).address).toBe('127.0.0.1');
  });

  it('is what a trusted proxy tells', async () => {
    const hit = await hitOf(['X-Forwarded-For: 1.1.1.1, 198.51.100.4'], { trustedProxies: LOOPBACK });
    expect(hit.address).toBe('198.51.100.4');
  });

  it("is the proxy's line, not the visitor's, where the proxy adds a line of its own", async () => {
    const lines = ['X-Forwarded-For: 1.1.1.1', 'User-Agent: x', 'x-forwarded-for: 198.51.100.4'];
    expect((await hitOf(lines, { trustedProxies: LOOPBACK })).address).toBe('198.51.100.4');
  });

  it('is what the proxy adds to a line that the visitor has left empty', async () => {
    const lines = ['X-Forwarded-For: ', 'X-Forwarded-For: 198.51.100.4'];
    expect((await hitOf(lines, { trustedProxies: LOOPBACK })).address).toBe('198.51.100.4');
  });

  it.each(['unknown', '_hidden', '198.51.100.4, <script>'])(
    'is not known, and not that of the proxy, where it says %j',
    async (said) => {
      const hit = await hitOf([`X-Forwarded-For: ${said}`], { trustedProxies: LOOPBACK });
      expect(hit.address).toBe('');
    },
  );

  it('is what a trusted proxy names in CLIENT_IP_HEADER, in its last line, and in no other header', async () => {
    const setting = { trustedProxies: LOOPBACK, clientIpHeader: 'cf-connecting-ip' };
    const lines = ['X-Forwarded-For: 1.1.1.1', 'CF-Connecting-IP: 198.51.100.4'];
    expect((await hitOf(lines, setting)).address).toBe('198.51.100.4');
    expect((await hitOf(['CF-Connecting-IP: 2.2.2.2', ...lines], setting)).address).toBe('198.51.100.4');
    expect((await hitOf(['CF-Connecting-IP:', ...lines], setting)).address).toBe('198.51.100.4');
    expect((await hitOf(['X-Forwarded-For: 1.1.1.1'], setting)).address).toBe('127.0.0.1');
    expect((await hitOf(lines, { ...setting, trustedProxies: ['10.0.0.0/8'] })).address).toBe('127.0.0.1');
  });

  it('is IPv4 on a socket for both families', async () => {
    const hit = await hitOf(['X-Forwarded-For: 2001:DB8::1'], { trustedProxies: LOOPBACK, host: '::' });
    expect(hit.address).toBe('2001:db8::1');
    expect((await hitOf([], { host: '::' })).address).toBe('127.0.0.1');
  });

  /** PROXY protocol, version 2: TCP over IPv4 from 9.8.7.6:258. */
  const PROXY_PREAMBLE = Buffer.from(
    '0d0a0d0a000d0a515549540a' + '2111000c' + '09080706' + '01020304' + '0102' + '0050',
    'hex',
  ).toString('latin1');

  it.each([
    { trustedProxies: LOOPBACK, address: '9.8.7.6' },
    { trustedProxies: [], address: '127.0.0.1' },
  ])(
    'is $address by the PROXY protocol when $trustedProxies are trusted',
    async ({ trustedProxies, address }) => {
      const { port, recorder } = await openVisitorPort([REDIRECT], { trustedProxies });
      const connection = await openConnection(port);
      connection.send(PROXY_PREAMBLE + request('/', 'a.example', { headers: ['X-Forwarded-For: '] }));
      await connection.answer();
      expect(recorder.hits[0]!.address).toBe(address);
    },
  );
});
