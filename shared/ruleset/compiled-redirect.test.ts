import { describe, expect, it } from 'vitest';
import { createRegexGuard } from '../rules/regex-guard.js';
import type { RuleAction, RuleDefinition } from '../rules/rule-definition.js';
import { createTestVisitor } from '../rules/visitor.fixture.js';
import { compilePlainRedirect, compileRedirect, isPlainRedirect } from './compiled-redirect.js';
import { readLocationCorpus } from './location-corpus.fixture.js';
import type { RedirectDefinition } from './redirect-definition.js';

function definitionTo(destination: string, more: Partial<RedirectDefinition> = {}): RedirectDefinition {
  return {
    id: 'r1',
    host: 'old.example',
    destination,
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 1,
    ...more,
  };
}

function redirectTo(destination: string, more: Partial<RedirectDefinition> = {}) {
  return compileRedirect(definitionTo(destination, more), createRegexGuard());
}

/** A rule that matches everybody. */
function ruleOf(action: RuleAction): RuleDefinition {
  return { id: 1, conditionLogic: 'AND', conditions: [], action };
}

const PERCENTAGE = ruleOf({
  type: 'percentage_redirect',
  percentage: 50,
  url: 'https://half.example',
  sticky: 'none',
});

describe('the answer', () => {
  it.each([
    { redirectType: 'permanent', status: '301 Moved Permanently', cacheControl: 'public, max-age=300' },
    {
      redirectType: 'permanent',
      cacheSeconds: 31_536_000,
      status: '301 Moved Permanently',
      cacheControl: 'public, max-age=31536000',
    },
    { redirectType: 'permanent', cacheSeconds: 0, status: '301 Moved Permanently', cacheControl: 'no-store' },
    { redirectType: 'temporary', status: '302 Found', cacheControl: 'no-store' },
    { redirectType: 'temporary', cacheSeconds: 60, status: '302 Found', cacheControl: 'no-store' },
  ] as const)('of a redirect $redirectType for $cacheSeconds s is "$status", $cacheControl', (given) => {
    const { status, cacheControl, ...more } = given;
    expect(redirectTo('https://new.example', more).routeOf(undefined)).toMatchObject({
      statusCode: Number.parseInt(status, 10),
      head: `${status}\r\nCache-Control: ${cacheControl}\r\nLocation: `,
    });
  });

  it.each([301, 302, 307, 308] as const)('by a rule with the status %s says so', (statusCode) => {
    const rules = [ruleOf({ type: 'redirect', url: 'https://rule.example', statusCode })];
    const redirect = redirectTo('https://new.example', { rules, cacheSeconds: 60 });
    const route = redirect.routeOf(redirect.matcher?.decide(createTestVisitor()));
    expect(route.statusCode).toBe(statusCode);
    expect(route.head).toMatch(
      new RegExp(`^${statusCode} [A-Z].*\r\nCache-Control: no-store\r\nLocation: $`),
    );
  });

  const url = 'https://rule.example';
  const variants = (first: object, second: object) => [
    { name: 'a', percentage: 50, url, ...first },
    { name: 'b', percentage: 50, url, ...second },
  ];
  it.each<{ action: RuleAction; draw: number; permanent: number; temporary: number }>([
    { action: { type: 'redirect', url }, draw: 0, permanent: 301, temporary: 302 },
    { action: { type: 'redirect', url, statusCode: 308 }, draw: 0, permanent: 308, temporary: 308 },
    {
      action: { type: 'percentage_redirect', url, percentage: 50 },
      draw: 0.2,
      permanent: 302,
      temporary: 302,
    },
    {
      action: { type: 'percentage_redirect', url, percentage: 50, statusCode: 307 },
      draw: 0.2,
      permanent: 307,
      temporary: 307,
    },
    {
      action: { type: 'percentage_redirect', url, percentage: 50, statusCode: 307 },
      draw: 0.7,
      permanent: 301,
      temporary: 302,
    },
    { action: { type: 'ab_test', variants: variants({}, {}) }, draw: 0.2, permanent: 302, temporary: 302 },
    {
      action: { type: 'ab_test', variants: variants({ statusCode: 308 }, {}), statusCode: 307 },
      draw: 0.2,
      permanent: 308,
      temporary: 308,
    },
    {
      action: { type: 'ab_test', variants: variants({ statusCode: 308 }, {}), statusCode: 307 },
      draw: 0.7,
      permanent: 307,
      temporary: 307,
    },
  ])('of $action to the draw $draw is $permanent, or $temporary', ({ action, draw, ...expected }) => {
    for (const redirectType of ['permanent', 'temporary'] as const) {
      const redirect = redirectTo('https://new.example', { redirectType, rules: [ruleOf(action)] });
      const route = redirect.routeOf(redirect.matcher?.decide(createTestVisitor({ draw: () => draw })));
      expect(route.statusCode).toBe(expected[redirectType]);
    }
  });

  it('carries id, host and sampling rate of its definition', () => {
    const redirect = redirectTo('https://new.example', { id: 'r7', host: 'a.example', samplingRate: 0.25 });
    expect(redirect).toMatchObject({ id: 'r7', host: 'a.example', samplingRate: 0.25 });
  });

  it.each([
    [{}, 'full'],
    [{ queryRecording: 'names' }, 'names'],
    [{ queryRecording: 'none' }, 'none'],
  ] as const)('of a definition with %j records queries as %s', (given, queryRecording) => {
    expect(redirectTo('https://new.example', given)).toMatchObject({ queryRecording });
  });

  it.each(['permanent', 'temporary'] as const)(
    'of a %s redirect with rules may not be stored',
    (redirectType) => {
      const rules = [PERCENTAGE];
      const { head } = redirectTo('https://new.example', { redirectType, rules, cacheSeconds: 60 }).routeOf(
        undefined,
      );
      expect(head).toMatch(/\r\nCache-Control: no-store\r\nLocation: $/);
    },
  );
});

describe('the route', () => {
  const location = (destination: string, more: Partial<RedirectDefinition>, draw = 0.25) => {
    const redirect = redirectTo(destination, more);
    const outcome = redirect.matcher?.decide(createTestVisitor({ draw: () => draw }));
    return redirect.routeOf(outcome).location('/a', 'k=v');
  };

  it.each([undefined, []])("leads to the redirect's own destination when its rules are %j", (rules) => {
    const redirect = redirectTo('https://new.example', rules === undefined ? {} : { rules });
    expect(redirect.matcher).toBeUndefined();
    expect(redirect.routeOf(undefined).location('/', undefined)).toBe('https://new.example');
  });

  it("leads to the redirect's own destination when no rule matches", () => {
    const never = { ...PERCENTAGE, endMs: -1 };
    expect(location('https://new.example', { rules: [never] })).toBe('https://new.example');
  });

  it('leads to where the rule does, inside a percentage and not outside of it', () => {
    expect(location('https://new.example', { rules: [PERCENTAGE] }, 0.49)).toBe('https://half.example');
    expect(location('https://new.example', { rules: [PERCENTAGE] }, 0.5)).toBe('https://new.example');
  });

  it.each([
    { forwarding: {}, own: {}, expected: 'https://rule.example/base' },
    { forwarding: { pathForwarding: true }, own: {}, expected: 'https://rule.example/base/a' },
    { forwarding: { queryForwarding: true }, own: {}, expected: 'https://rule.example/base?k=v' },
    { forwarding: {}, own: { pathForwarding: true }, expected: 'https://rule.example/base/a' },
    { forwarding: {}, own: { queryForwarding: true }, expected: 'https://rule.example/base?k=v' },
    {
      forwarding: { pathForwarding: true, queryForwarding: true },
      own: { pathForwarding: false },
      expected: 'https://rule.example/base?k=v',
    },
    {
      forwarding: { pathForwarding: true, queryForwarding: true },
      own: { queryForwarding: false },
      expected: 'https://rule.example/base/a',
    },
  ])('forwards as the redirect $forwarding unless the action says $own', ({ forwarding, own, expected }) => {
    const rules = [ruleOf({ type: 'redirect', url: 'https://rule.example/base', ...own })];
    expect(location('https://new.example', { rules, ...forwarding })).toBe(expected);
  });

  it('forwards as each variant says', () => {
    const rules = [
      ruleOf({
        type: 'ab_test',
        variants: [
          { name: 'a', percentage: 50, url: 'https://a.example', pathForwarding: true },
          { name: 'b', percentage: 50, url: 'https://b.example' },
        ],
        sticky: 'none',
      }),
    ];
    expect(location('https://new.example', { rules }, 0.2)).toBe('https://a.example/a');
    expect(location('https://new.example', { rules }, 0.7)).toBe('https://b.example');
  });

  it("puts one slash between a rule's URL and the path, whether or not the URL ends in one", () => {
    const rules = [ruleOf({ type: 'redirect', url: 'https://rule.example/base/', pathForwarding: true })];
    expect(location('https://new.example', { rules })).toBe('https://rule.example/base/a');
  });

  it("tells a loop through a rule from the redirect's own destination", () => {
    const rules = [ruleOf({ type: 'redirect', url: 'https://old.example/a' })];
    const redirect = redirectTo('https://new.example', { rules });
    const route = redirect.routeOf(redirect.matcher?.decide(createTestVisitor()));
    expect(route.isLoop('https://old.example/a', 'old.example', '/a', undefined)).toBe(true);
    expect(redirect.routeOf(undefined).mayLoop).toBe(false);
  });
});

describe('a plain redirect', () => {
  it.each([
    'https://new.example',
    'http://www.new.example:8080/',
    'https://xn--bcher-kva.example/a//b/?c=%20&d#e?f#g',
    'https://localhost?',
    'https://new.example#',
    'https://old.example.new.example/old.example',
  ])('to %s is the same as any other, made in less time', (destination) => {
    for (const redirectType of ['permanent', 'temporary'] as const) {
      for (const forwards of [true, false]) {
        const more = { redirectType, pathForwarding: forwards, queryForwarding: !forwards, retentionDays: 7 };
        const definition = definitionTo(destination, more);
        expect(isPlainRedirect(definition)).toBe(true);
        expect(compilePlainRedirect(definition)).toEqual(redirectTo(destination, more));
      }
    }
  });

  it('is one wherever it is taken for one', () => {
    const taken = readLocationCorpus().filter(({ destination }) =>
      isPlainRedirect(definitionTo(destination)),
    );
    expect(taken.length).toBeGreaterThan(50);
    for (const { destination, path, query, location, ...forwarding } of taken) {
      const redirect = compilePlainRedirect(definitionTo(destination, forwarding));
      expect(redirect.routeOf(undefined).location(path, query)).toBe(location);
      expect(redirect).toEqual(redirectTo(destination, forwarding));
    }
  });

  it.each([
    'https://old.example/elsewhere',
    'https://old.example:8443',
    'https://new.example.',
    'https://New.example',
    'https://user@new.example',
    'https://127.0.0.1/',
    'https://0x7f',
    'https://[::1]/',
    'https://new.example\\a',
    'https://new.example/a b',
    'https://new.example/"',
    'https://new.example/\n',
    'https://bücher.example',
    'https://new.example/ü',
    'https:///a',
    'ftp://new.example',
    'not a url',
  ])('is not one to %j', (destination) => {
    expect(isPlainRedirect(definitionTo(destination))).toBe(false);
  });

  it('has no rules', () => {
    const rules = [PERCENTAGE];
    expect(isPlainRedirect(definitionTo('https://new.example', { rules }))).toBe(false);
  });
});
