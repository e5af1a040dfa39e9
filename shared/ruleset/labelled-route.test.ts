import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegexGuard } from '../rules/regex-guard.js';
import { createTestVisitor } from '../rules/visitor.fixture.js';
import { atThisTime, compilePlainRedirect, compileRedirect, isPlainRedirect } from './compiled-redirect.js';
import type { RedirectDefinition } from './redirect-definition.js';

const DEFINITION: RedirectDefinition = {
  id: 'r',
  host: '*.shop.example',
  destination: 'https://new.example/{host.1}',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
};

function locationOf(definition: Partial<RedirectDefinition>, host: string, path = '/', query = ''): string {
  const all = { ...DEFINITION, ...definition };
  const redirect = isPlainRedirect(all)
    ? compilePlainRedirect(all)
    : compileRedirect(all, createRegexGuard());
  const outcome = redirect.matcher?.decide(createTestVisitor());
  return redirect.routeOf(outcome).location(path, query, host);
}

describe('the destination of a wildcard host', () => {
  it.each([
    ['https://new.example/{host.1}', 'a.shop.example', 'https://new.example/a'],
    ['https://new.example/{host.2}/{host.1}', 'B.a.Shop.example.:8080', 'https://new.example/a/b'],
    ['https://new.example/{host.2}', 'a.shop.example', 'https://new.example/'],
    ['https://new.example?shop={host.1}#{host.1}', 'a.shop.example', 'https://new.example?shop=a#a'],
    [
      'https://new.example/{host.0}/{host.10}/{host}',
      'a.shop.example',
      'https://new.example/{host.0}/{host.10}/{host}',
    ],
    ['https://{host.1}.new.example/', 'a.shop.example', 'https://{host.1}.new.example/'],
    ['https://new.example:8080{host.1}', 'a.shop.example', 'https://new.example:8080{host.1}'],
  ])('%s contains the labels of %s: %s', (destination, host, location) => {
    expect(locationOf({ destination }, host)).toBe(location);
  });

  it('keeps placeholders of other hosts and of visitors as they are', () => {
    expect(locationOf({ host: 'shop.example' }, 'shop.example')).toBe('https://new.example/{host.1}');
    expect(
      locationOf({ pathForwarding: true, queryForwarding: true }, 'a.shop.example', '/{host.1}', '{host.1}'),
    ).toBe('https://new.example/a/{host.1}?{host.1}');
  });

  it('forwards path and query, and appends parameters, behind the labels', () => {
    const destination = 'https://new.example/{host.1}/?s={host.1}#{host.2}';
    const options = { destination, pathForwarding: true, queryForwarding: true, appendQuery: { via: 'w' } };
    expect(locationOf(options, 'a.b.shop.example', '/p', 'q=1')).toBe(
      'https://new.example/a/p?s=a&q=1&via=w#b',
    );
  });

  it('is filled in destinations of rules too', () => {
    const rules = [
      {
        id: 1,
        conditions: [],
        conditionLogic: 'AND',
        action: { type: 'redirect', url: 'https://rule.example/{host.1}' },
      },
    ] as const;
    expect(locationOf({ rules }, 'a.shop.example')).toBe('https://rule.example/a');
    expect(locationOf({ rules, appendQuery: { via: 'w' } }, 'a.shop.example')).toBe(
      'https://rule.example/a?via=w',
    );
  });

  it.each([
    ['*.shop.example', 'https://over.example/a?shop=a'],
    ['shop.example', 'https://over.example/{host.1}?shop={host.1}'],
  ])('is filled in the URL after the end of %s, and nothing else goes there', (host, expected) => {
    const options = { pathForwarding: true, queryForwarding: true, appendQuery: { via: 'w' } };
    const afterEnd = { url: 'https://over.example/{host.1}?shop={host.1}' };
    const definition = { ...DEFINITION, ...options, host, endsAt: 1, afterEnd };
    const ended = atThisTime(compileRedirect(definition, createRegexGuard()), () => 1);
    if (typeof ended === 'string') throw new Error(ended);
    const route = ended.routeOf(undefined);
    expect(route.statusCode).toBe(302);
    expect(route.location('/p', 'q=1', 'a.shop.example')).toBe(expected);
  });

  it('keeps its scheme, host and port, and adds no header, for any request', () => {
    const origin = fc.constantFrom('https://new.example', 'http://new.example:8080', 'https://[2001:db8::1]');
    const rest = fc.array(
      fc.constantFrom('/', '?', '#', '.', '@', ':', '\\', '//', 'x', '{host.1}', '{host.2}', '%', 'é', '\n'),
    );
    const anyText = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        origin,
        rest,
        anyText,
        anyText,
        anyText,
        fc.boolean(),
        (base, parts, labels, path, query, forwards) => {
          const destination = `${base}/${parts.join('')}`;
          const options = { destination, pathForwarding: forwards, queryForwarding: forwards };
          const location = locationOf(options, `${labels}.shop.example`, `/${path}`, query);
          expect(location).toMatch(/^[!-~]*$/);
          expect(location.startsWith(`${base}/`)).toBe(true);
          expect(new URL(location).origin).toBe(new URL(base).origin);
        },
      ),
    );
  });
});
