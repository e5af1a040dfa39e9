import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import type { RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import { createTestVisitor } from '../../shared/rules/visitor.fixture.js';
import { compileRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { openConnection, type RawConnection, request } from './raw-client.fixture.js';
import { openVisitorPort, VERSION } from './visitor-port.fixture.js';

const HOSTS = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
const OUTSIDE = 'outside.example';
const BROWSERS_FOLLOW = 20;

const CONDITIONS: readonly RuleCondition[] = [
  { attribute: 'language', operator: 'equals', value: 'de' },
  { attribute: 'language', operator: 'not_equals', value: 'de' },
  { attribute: 'url_path', operator: 'starts_with', value: '/x' },
  { attribute: 'url_path', operator: 'ends_with', value: 'y' },
  { attribute: 'query_param', param: 'q', operator: 'exists' },
];
const PATHS = ['', '/', '/x', '/y', '/x/y?q=1', '/x?q=2#f', '/x/../y'];

const urlOf = (host: string, path: string) => `http://${host}${path}`;

const someRule = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    conditions: fc.subarray([...CONDITIONS], { maxLength: 2 }),
    conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
    kind: fc.constantFrom('redirect', 'redirect', 'share', 'split'),
    hosts: fc.tuple(fc.constantFrom(...HOSTS, ...HOSTS, OUTSIDE), fc.constantFrom(...HOSTS, OUTSIDE)),
    path: fc.constantFrom(...PATHS),
    pathForwarding: fc.constantFrom(undefined, true, false),
  })
  .map(({ kind, hosts: [host, other], path, pathForwarding, ...rule }): RuleDefinition => {
    const forwarding = pathForwarding === undefined ? {} : { pathForwarding };
    const target = { url: urlOf(host, path), ...forwarding };
    if (kind === 'redirect') return { ...rule, action: { type: 'redirect', ...target } };
    if (kind === 'share') {
      return {
        ...rule,
        action: { type: 'percentage_redirect', percentage: 60, sticky: 'visitor', ...target },
      };
    }
    const variants = [
      { name: 'one', percentage: 50, ...target },
      { name: 'two', percentage: 50, ...target, url: urlOf(other, path) },
    ];
    return { ...rule, action: { type: 'ab_test', sticky: 'visitor', variants } };
  });

/** As the API lets them be: redirects' own destinations close no loop, rules may lead anywhere. */
const someRedirects = fc.tuple(
  ...HOSTS.map((host, at) =>
    fc
      .record({
        next: fc.constantFrom(...HOSTS.slice(at + 1), OUTSIDE),
        path: fc.constantFrom(...PATHS),
        pathForwarding: fc.boolean(),
        queryForwarding: fc.boolean(),
        rules: fc.uniqueArray(someRule, { selector: ({ id }) => id, maxLength: 3 }),
      })
      .map(({ next, path, rules, ...forwarding }) =>
        redirectOf(host, {
          destination: urlOf(next, path),
          ...forwarding,
          ...(rules.length > 0 && { rules }),
        }),
      ),
  ),
);

const someStart = fc.record({
  host: fc.constantFrom(...HOSTS),
  target: fc.constantFrom('/', '/x', '/y', '/x/y?q=1'),
  language: fc.constantFrom('de', 'en'),
});

const SOURCES = testVisitorSources();
const VISITOR_ID = SOURCES.identify('127.0.0.1', '');

/** Where each redirect leads by itself, without any look ahead; undefined outside the service. */
function createNaiveSteps(redirects: readonly RedirectDefinition[], language: string) {
  const compiled = new Map(redirects.map((of) => [of.host, compileRedirect(of, createRegexGuard())]));
  return (url: URL): string | undefined => {
    const redirect = compiled.get(url.hostname);
    if (redirect === undefined) return undefined;
    const query = { q: url.searchParams.getAll('q') };
    const visitor = createTestVisitor({ language, urlPath: url.pathname, query, visitorId: VISITOR_ID });
    const route = redirect.routeOf(redirect.matcher?.decide(visitor));
    return route.location(url.pathname, url.search.slice(1));
  };
}

/** Whether a visitor would leave the service within as many redirects as browsers follow. */
function arrives(start: URL, step: (url: URL) => string | undefined): boolean {
  let url = start;
  for (let redirects = 0; redirects <= BROWSERS_FOLLOW; redirects += 1) {
    const next = step(url);
    if (next === undefined) return true;
    url = new URL(next);
  }
  return false;
}

async function locationOf(connection: RawConnection, url: URL, language: string) {
  const headers = [`Accept-Language: ${language}`];
  connection.send(request(url.pathname + url.search, url.host, { headers }));
  const { statusCode, headers: answered } = await connection.answer();
  return statusCode === 508 || statusCode === 404 ? undefined : answered.location;
}

it('no visitor who follows redirects comes to a URL twice, and none who would arrive is stopped', async () => {
  const { port, table } = await openVisitorPort([], { visitorSources: SOURCES });
  const connection = await openConnection(port);
  let stopped = 0;
  let arrived = 0;
  await fc.assert(
    fc.asyncProperty(
      someRedirects,
      fc.array(someStart, { minLength: 2, maxLength: 6 }),
      async (redirects, starts) => {
        table.replaceAll({ version: VERSION, redirects });
        for (const { host, target, language } of starts) {
          const start = new URL(urlOf(host, target));
          const step = createNaiveSteps(redirects, language);
          const willArrive = arrives(start, step);
          const passed = new Set<string>();
          let url: URL = start;
          for (;;) {
            const location = await locationOf(connection, url, language);
            if (location === undefined) break;
            const { href } = url;
            const key = href.replace(/#.*$/, '').replace(/\?$/, '');
            expect(passed.has(key)).toBe(false);
            passed.add(key);
            expect(location).toBe(step(url));
            url = new URL(location);
          }
          if (willArrive) {
            arrived += 1;
            expect(url.hostname).toBe(OUTSIDE);
          } else {
            stopped += 1;
            expect(passed.size).toBeLessThanOrEqual(BROWSERS_FOLLOW);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(arrived).toBeGreaterThan(50);
  expect(stopped).toBeGreaterThan(20);
});
