import { describe, expect, it } from 'vitest';
import { compileRoute } from './compile-route.js';
import type { Forwarding } from './location.js';
import { uncachedAnswer } from './redirect-answer.js';

function routeTo(destination: string, switches: Partial<Forwarding> = {}, host = 'old.example') {
  const forwarding = { pathForwarding: false, queryForwarding: false, ...switches };
  return compileRoute(host, destination, forwarding, uncachedAnswer(302));
}

describe('what a route reads of a request', () => {
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
      const route = routeTo(destination, switches);
      expect([route.readsPath, route.readsQuery]).toEqual(reads);
    },
  );

  it('goes into the location as the switches say', () => {
    const route = routeTo('https://new.example/x', { pathForwarding: true, queryForwarding: true });
    expect(route.location('/a', 'k=v')).toBe('https://new.example/x/a?k=v');
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
    const route = routeTo(destination, { pathForwarding: forward, queryForwarding: forward });
    return route.isLoop(route.location(path, query), host, path, query);
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
    const elsewhere = routeTo('https://new.example');
    expect(elsewhere.mayLoop).toBe(false);
    expect(elsewhere.isLoop('https://old.example/', 'old.example', '/', undefined)).toBe(false);
    expect(routeTo('https://OLD.example:8443/a').mayLoop).toBe(true);
    expect(routeTo('https://bücher.example', {}, 'xn--bcher-kva.example').mayLoop).toBe(true);
  });
});
