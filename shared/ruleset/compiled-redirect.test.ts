import { describe, expect, it } from 'vitest';
import { compileRedirect } from './compiled-redirect.js';
import type { RedirectDefinition } from './redirect-definition.js';

function redirectTo(destination: string, more: Partial<RedirectDefinition> = {}) {
  return compileRedirect({
    id: 'r1',
    host: 'old.example',
    destination,
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 1,
    ...more,
  });
}

describe('the answer', () => {
  it('of a permanent redirect is a 301 that may be cached for five minutes', () => {
    expect(redirectTo('https://new.example', { redirectType: 'permanent' })).toMatchObject({
      statusCode: 301,
      statusLine: '301 Moved Permanently',
      cacheControl: 'public, max-age=300',
    });
  });

  it('of a temporary redirect is a 302 that may not be stored', () => {
    expect(redirectTo('https://new.example', { redirectType: 'temporary' })).toMatchObject({
      statusCode: 302,
      statusLine: '302 Found',
      cacheControl: 'no-store',
    });
  });

  it('carries id, host and sampling rate of its definition', () => {
    const redirect = redirectTo('https://new.example', { id: 'r7', host: 'a.example', samplingRate: 0.25 });
    expect(redirect).toMatchObject({ id: 'r7', host: 'a.example', samplingRate: 0.25 });
  });
});

describe('what a redirect reads of a request', () => {
  const elsewhere = 'https://new.example';
  const onItself = 'https://old.example/elsewhere';
  it.each([
    { destination: elsewhere, pathForwarding: false, queryForwarding: false, reads: [false, false] },
    { destination: elsewhere, pathForwarding: true, queryForwarding: false, reads: [true, false] },
    { destination: elsewhere, pathForwarding: false, queryForwarding: true, reads: [false, true] },
    { destination: elsewhere, pathForwarding: true, queryForwarding: true, reads: [true, true] },
    { destination: onItself, pathForwarding: false, queryForwarding: false, reads: [true, true] },
    { destination: onItself, pathForwarding: true, queryForwarding: false, reads: [true, true] },
  ])(
    '$destination, path $pathForwarding, query $queryForwarding: $reads',
    ({ destination, reads, ...switches }) => {
      const redirect = redirectTo(destination, switches);
      expect([redirect.readsPath, redirect.readsQuery]).toEqual(reads);
    },
  );

  it('is nothing for a location that never changes', () => {
    expect(redirectTo('https://new.example/x').constantLocation).toBe('https://new.example/x');
    expect(redirectTo('https://new.example/x', { pathForwarding: true }).constantLocation).toBeUndefined();
  });

  it('goes into the location as the switches say', () => {
    const redirect = redirectTo('https://new.example/x', { pathForwarding: true, queryForwarding: true });
    expect(redirect.location('/a', 'k=v')).toBe('https://new.example/x/a?k=v');
  });
});

describe('a loop', () => {
  interface Request {
    readonly destination: string;
    readonly forward?: boolean;
    readonly host?: string;
    readonly path?: string;
    readonly query?: string;
  }

  function loops({
    destination,
    forward = false,
    host = 'old.example',
    path = '/',
    query,
  }: Request): boolean {
    const redirect = redirectTo(destination, { pathForwarding: forward, queryForwarding: forward });
    return redirect.isLoop(redirect.location(path, query), host, path, query);
  }

  it.each<Request>([
    { destination: 'https://old.example' },
    { destination: 'https://old.example/' },
    { destination: 'http://old.example/' },
    { destination: 'https://OLD.example', host: 'old.Example' },
    { destination: 'https://old.example.', host: 'old.example' },
    { destination: 'https://old.example', host: 'old.example.' },
    { destination: 'https://old.example:443', host: 'old.example' },
    { destination: 'https://old.example', host: 'old.example:80' },
    { destination: 'http://old.example:80', host: 'old.example:443' },
    { destination: 'https://old.example:80', host: 'old.example' },
    { destination: 'https://old.example:8080', host: 'old.example:8080' },
    { destination: 'https://old.example/a', path: '/a' },
    { destination: 'https://old.example/a?k=v', path: '/a', query: 'k=v' },
    { destination: 'https://old.example/a#top', path: '/a' },
    { destination: 'https://old.example/a?', path: '/a' },
    { destination: 'https://old.example/a', path: '/a', query: '' },
    { destination: 'https://old.example/é', path: '/%C3%A9' },
    { destination: 'https://old.example/é', path: '/é' },
    { destination: 'https://old.example/a b', path: '/a b' },
    { destination: 'https://old.example/x/../a', path: '/a' },
    { destination: 'https://old.example', forward: true, path: '/any', query: 'k=v' },
    { destination: 'https://old.example/', forward: true, path: '/any//a%2f', query: 'k=%' },
  ])('is found: %j', (request) => {
    expect(loops(request)).toBe(true);
  });

  it.each<Request>([
    { destination: 'https://new.example' },
    { destination: 'https://www.old.example' },
    { destination: 'https://old.example:8443', host: 'old.example' },
    { destination: 'https://old.example', host: 'old.example:8080' },
    { destination: 'https://old.example:8080', host: 'old.example:8081' },
    { destination: 'https://old.example/a', path: '/' },
    { destination: 'https://old.example/a', path: '/a/' },
    { destination: 'https://old.example/a', path: '/A' },
    { destination: 'https://old.example/a', path: '/a', query: 'k=v' },
    { destination: 'https://old.example/a?k=v', path: '/a', query: 'k=w' },
    { destination: 'https://old.example/a%2Fb', path: '/a/b' },
    { destination: 'https://old.example/base', forward: true, path: '/any' },
    { destination: 'https://old.example?own=1', forward: true, path: '/any', query: 'k=v' },
    { destination: 'https://old.example', host: 'old.example:http' },
    { destination: 'https://old.example', host: '' },
    { destination: 'https://old.example', host: 'new.example' },
  ])('is not seen where there is none: %j', (request) => {
    expect(loops(request)).toBe(false);
  });

  it('is only looked for when a destination lies on the host of the redirect', () => {
    const elsewhere = redirectTo('https://new.example');
    expect(elsewhere.mayLoop).toBe(false);
    expect(elsewhere.isLoop('https://old.example/', 'old.example', '/', undefined)).toBe(false);
    expect(redirectTo('https://OLD.example:8443/a').mayLoop).toBe(true);
    expect(redirectTo('https://bücher.example', { host: 'xn--bcher-kva.example' }).mayLoop).toBe(true);
  });
});
