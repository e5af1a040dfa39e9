import { describe, expect, it } from 'vitest';
import type { RuleDefinition } from '../../shared/rules/rule-definition.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf, shareOf, splitOf } from '../sync/rule-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const COOKIE = /^(wm_7=[A-Za-z0-9]+); Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/;
const DEFAULT = 'https://destination.example';

/** A port of a redirect with this one rule, and dice that give one number after the other, then the last again. */
async function openWith(
  rule: RuleDefinition,
  draws: readonly number[] = [],
  secret = 'a secret',
  trustedProxies: readonly string[] = ['127.0.0.0/8'],
) {
  const left = [...draws];
  const random = () => (left.length > 1 ? left.shift()! : (left[0] ?? 0));
  const identify = createVisitorIdentification(Buffer.from(secret));
  const opened = await openVisitorPort([redirectOf('a.example', { rules: [rule] })], {
    trustedProxies,
    visitorSources: testVisitorSources({ random, identify }),
  });
  const ask = async (...headers: string[]) =>
    (await exchange(opened.port, request('/', 'a.example', { headers }))).headers;
  return { ...opened, ask };
}

const cookieIn = (headers: Readonly<Record<string, string>>) => COOKIE.exec(headers['set-cookie'] ?? '')?.[1];

describe('a percentage', () => {
  it('sends those inside to its URL and the others to the default, each request on its own', async () => {
    const { ask } = await openWith(shareOf(7, 25), [0, 0.2499, 0.25, 0.99, 0.1]);
    const IN = 'https://rule-7.example';
    for (const location of [IN, IN, DEFAULT, DEFAULT, IN]) {
      const headers = await ask();
      expect(headers.location).toBe(location);
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });

  it('is remembered in a cookie, by those outside too, where it is to be', async () => {
    const { ask } = await openWith(shareOf(7, 25, { sticky: 'cookie' }), [0.99, 0]);
    const outside = await ask();
    expect(outside.location).toBe(DEFAULT);
    const again = await ask(`Cookie: ${cookieIn(outside)}`);
    expect(again.location).toBe(DEFAULT);
    expect(again).not.toHaveProperty('set-cookie');
    expect((await ask()).location).toBe('https://rule-7.example');
  });
});

describe('an A/B test with a cookie', () => {
  const RULE = splitOf(7, ['one', 'two'], 'cookie');

  it('sets it once, and honours it whatever the dice say', async () => {
    const { ask } = await openWith(RULE, [0.1, 0.9]);
    const first = await ask();
    expect(first.location).toBe('https://one.example');
    expect(first['set-cookie']).toMatch(COOKIE);
    for (let time = 0; time < 3; time += 1) {
      const next = await ask(`Cookie: other=1; ${cookieIn(first)}; wm_8=x`);
      expect(next.location).toBe('https://one.example');
      expect(next).not.toHaveProperty('set-cookie');
    }
    expect((await ask()).location).toBe('https://two.example');
  });

  it.each([
    '',
    'wm_7',
    'wm_7=',
    'wm_7=made-up',
    'wm_7=__proto__',
    'wm_77=a',
    'x=y; ;;=;wm_7=\xff',
    ';'.repeat(30_000),
  ])('draws anew for the cookie %j', async (cookie) => {
    const { ask } = await openWith(RULE, [0.9]);
    const headers = await ask(`Cookie: ${cookie}`);
    expect(headers.location).toBe('https://two.example');
    expect(headers['set-cookie']).toMatch(COOKIE);
  });

  it('finds it in any of several Cookie lines', async () => {
    const { ask } = await openWith(RULE, [0.1, 0.9]);
    const cookie = cookieIn(await ask());
    const next = await ask('Cookie: other=1', `Cookie: ${cookie}`, 'Cookie: wm_8=x');
    expect(next.location).toBe('https://one.example');
    expect(next).not.toHaveProperty('set-cookie');
  });

  it('sets it in answers to HEAD and after chunked bodies too', async () => {
    const { port } = await openWith(RULE, [0.1]);
    expect(
      cookieIn((await exchange(port, request('/', 'a.example', { method: 'HEAD' }))).headers),
    ).toBeDefined();
    const connection = await openConnection(port);
    const headers = ['Transfer-Encoding: chunked'];
    connection.send(`${request('/', 'a.example', { method: 'POST', headers })}0\r\n\r\n`);
    expect(cookieIn((await connection.answer()).headers)).toBeDefined();
  });
});

describe('a cookie that remembers a choice', () => {
  const RULE = splitOf(7, ['one', 'two'], 'cookie');

  it.each([
    ['https', true],
    ['HTTPS', true],
    ['http, https', true],
    ['http', false],
    ['https, http', false],
    ['https:', false],
    ['', false],
  ])('behind a trusted proxy that says %j is for HTTPS alone: %j', async (said, isSecure) => {
    const { ask } = await openWith(RULE);
    const cookie = (await ask(`X-Forwarded-Proto: ${said}`))['set-cookie']!;
    expect(cookie.endsWith('; Secure')).toBe(isSecure);
    expect(cookie.replace('; Secure', '')).toMatch(COOKIE);
  });

  it('goes by the last of several lines, which the proxy has added', async () => {
    const { ask } = await openWith(RULE);
    const cookieFor = async (...lines: string[]) =>
      (await ask(...lines.map((line) => `X-Forwarded-Proto:${line}`)))['set-cookie'];
    expect(await cookieFor(' https', ' http')).not.toContain('Secure');
    expect(await cookieFor('', ' https')).toContain('; Secure');
  });

  it('is never for HTTPS alone because the visitor says so', async () => {
    const { ask } = await openWith(RULE, [], 'a secret', ['10.0.0.0/8']);
    const headers = await ask('X-Forwarded-Proto: https', 'X-Forwarded-For: 192.0.2.1');
    expect(headers['set-cookie']).toMatch(COOKIE);
    const direct = await openWith(RULE, [], 'a secret', []);
    expect((await direct.ask('X-Forwarded-Proto: https'))['set-cookie']).toMatch(COOKIE);
  });

  it('is not for HTTPS alone because a visitor says so whom a trusted peer names by the PROXY protocol', async () => {
    // Version 2: TCP over IPv4 from 9.8.7.6:258.
    const addresses = '090807060102030401020050';
    const preamble = Buffer.from(`0d0a0d0a000d0a515549540a2111000c${addresses}`, 'hex').toString('latin1');
    const { port } = await openWith(RULE);
    const connection = await openConnection(port);
    connection.send(preamble + request('/', 'a.example', { headers: ['X-Forwarded-Proto: https'] }));
    expect((await connection.answer()).headers['set-cookie']).toMatch(COOKIE);
  });

  it('is for HTTPS alone also after a chunked body', async () => {
    const { port } = await openWith(RULE);
    const connection = await openConnection(port);
    const headers = ['Transfer-Encoding: chunked', 'X-Forwarded-Proto: https'];
    connection.send(`${request('/', 'a.example', { method: 'POST', headers })}0\r\n\r\n`);
    expect((await connection.answer()).headers['set-cookie']).toContain('; Secure');
  });
});

describe('an A/B test by who the visitor is', () => {
  const RULE = splitOf(7, ['one', 'two', 'three'], 'visitor');
  const VISITORS = Array.from({ length: 30 }, (_, n) => [
    `X-Forwarded-For: 192.0.2.${n}`,
    `User-Agent: Browser/${n}`,
  ]);

  async function variantsOf(secret: string) {
    const { ask } = await openWith(RULE, [], secret);
    const variants: string[] = [];
    for (const visitor of VISITORS) {
      const first = await ask(...visitor);
      const again = await ask(...visitor, 'Accept-Language: de', 'Cookie: wm_7=made-up');
      expect(again.location).toBe(first.location);
      expect(again).not.toHaveProperty('set-cookie');
      variants.push(first.location ?? '');
    }
    return variants;
  }

  it('gives the same on every request and at every data plane, without a cookie', async () => {
    const variants = await variantsOf('a secret');
    expect(new Set(variants)).toEqual(
      new Set(['https://one.example', 'https://two.example', 'https://three.example']),
    );
    expect(await variantsOf('a secret')).toEqual(variants);
  });

  it('is the same for all addresses of an IPv6 /64, and spreads over networks', async () => {
    const { ask } = await openWith(RULE);
    const variantOf = async (address: string) =>
      (await ask(`X-Forwarded-For: ${address}`, 'User-Agent: Phone')).location;
    const seen = new Set<string | undefined>();
    for (let network = 0; network < 30; network += 1) {
      const variant = await variantOf(`2001:db8:1:${network.toString(16)}::1`);
      for (const half of ['a1b2:c3d4:e5f6:789', '0:0:0:2', 'ffff::']) {
        expect(await variantOf(`2001:db8:1:${network.toString(16)}:${half}`)).toBe(variant);
      }
      seen.add(variant);
    }
    expect(seen.size).toBe(3);
  });

  it('leaves the full address to conditions', async () => {
    const conditions: RuleDefinition['conditions'] = [
      { attribute: 'ip_address', operator: 'equals', value: '2001:db8:1:2::77' },
    ];
    const { ask } = await openWith(ruleOf(7, { conditions }));
    expect((await ask('X-Forwarded-For: 2001:db8:1:2::77')).location).toBe('https://rule-7.example');
    expect((await ask('X-Forwarded-For: 2001:db8:1:2::78')).location).toBe(DEFAULT);
  });

  it('gives otherwise under another key', async () => {
    expect(await variantsOf('another secret')).not.toEqual(await variantsOf('a secret'));
  });
});
