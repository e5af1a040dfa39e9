import { describe, expect, it } from 'vitest';
import { createRegexGuard } from '../rules/regex-guard.js';
import { createTestVisitor } from '../rules/visitor.fixture.js';
import { atThisTime, compileRedirect, isPlainRedirect } from './compiled-redirect.js';
import type { RedirectDefinition } from './redirect-definition.js';

const START = Date.UTC(2026, 0, 1);
const END = Date.UTC(2026, 1, 1);
const RULES: RedirectDefinition['rules'] = [
  {
    id: 1,
    conditionLogic: 'AND',
    conditions: [],
    action: { type: 'redirect', url: 'https://rule.example#f' },
  },
];

function definitionOf(options: Partial<RedirectDefinition>): RedirectDefinition {
  return {
    id: 'r1',
    host: 'old.example',
    destination: 'https://new.example',
    redirectType: 'permanent',
    pathForwarding: true,
    queryForwarding: false,
    samplingRate: 1,
    ...options,
  };
}

/** Returns what a visitor gets at a time: the head with the location, or why there is none. */
function answerAt(nowMs: number, options: Partial<RedirectDefinition>): string {
  const redirect = atThisTime(compileRedirect(definitionOf(options), createRegexGuard()), () => nowMs);
  if (typeof redirect === 'string') return redirect;
  const outcome = redirect.matcher?.decide(createTestVisitor());
  const route = redirect.routeOf(outcome);
  return (route.head + route.location('/a', 'x=1')).replaceAll('\r\n', ' | ');
}

const CACHED = '301 Moved Permanently | Cache-Control: public, max-age=300 | Location: https://new.example/a';
const UNCACHED = '301 Moved Permanently | Cache-Control: no-store | Location: https://new.example/a';

describe('a redirect with options', () => {
  it.each<[Partial<RedirectDefinition>, string]>([
    [
      { statusCode: 308 },
      '308 Permanent Redirect | Cache-Control: public, max-age=300 | Location: https://new.example/a',
    ],
    [
      { redirectType: 'temporary', statusCode: 307 },
      '307 Temporary Redirect | Cache-Control: no-store | Location: https://new.example/a',
    ],
    [
      { statusCode: 308, rules: RULES },
      '308 Permanent Redirect | Cache-Control: no-store | Location: https://rule.example/a#f',
    ],
    [
      { responseHeaders: { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' } },
      '301 Moved Permanently | Cache-Control: public, max-age=300 | X-Robots-Tag: noindex | Referrer-Policy: no-referrer | Location: https://new.example/a',
    ],
    [
      { responseHeaders: { 'Cache-Control': 'private, max-age=5' } },
      '301 Moved Permanently | Cache-Control: private, max-age=5 | Location: https://new.example/a',
    ],
    [
      { redirectType: 'temporary', responseHeaders: { 'Cache-Control': 'max-age=5' } },
      '302 Found | Cache-Control: max-age=5 | Location: https://new.example/a',
    ],
    [
      { rules: RULES, responseHeaders: { 'Cache-Control': 'max-age=5', 'X-Robots-Tag': 'none' } },
      '301 Moved Permanently | Cache-Control: no-store | X-Robots-Tag: none | Location: https://rule.example/a#f',
    ],
    [{ endsAt: END, responseHeaders: { 'Cache-Control': 'max-age=99999999' } }, CACHED],
    [{ responseHeaders: { 'Strict-Transport-Security': 'max-age=9' } }, CACHED],
    [{ appendQuery: { ref: 'old' } }, `${CACHED}?ref=old`],
    [{ appendQuery: { x: 'old' } }, CACHED],
    [
      { appendQuery: { ref: 'old' }, rules: RULES },
      '301 Moved Permanently | Cache-Control: no-store | Location: https://rule.example/a?ref=old#f',
    ],
  ])('%j answers %s', (options, answer) => {
    expect(answerAt(START, options)).toBe(answer);
    expect(isPlainRedirect(definitionOf(options))).toBe(false);
  });

  it.each<[string, number, Partial<RedirectDefinition>, string]>([
    ['404 before the start', START - 1, { startsAt: START }, 'not_found'],
    ['as usual from the start on', START, { startsAt: START }, CACHED],
    ['as usual while caches forget in time', END - 300_000, { endsAt: END }, CACHED],
    ['without caches shortly before the end', END - 299_999, { endsAt: END }, UNCACHED],
    ['404 from the end on', END, { endsAt: END }, 'not_found'],
    ['410 after the end', END, { endsAt: END, afterEnd: { statusCode: 410 } }, 'gone'],
    [
      'with the URL after the end, without path, query and headers',
      END,
      {
        startsAt: START,
        endsAt: END,
        afterEnd: { url: 'https://over.example/end' },
        statusCode: 308,
        rules: RULES,
        appendQuery: { a: 'b' },
        responseHeaders: { 'X-Robots-Tag': 'none' },
      },
      '302 Found | Cache-Control: no-store | Location: https://over.example/end',
    ],
    [
      'by its rules before the end',
      END - 1,
      { endsAt: END, rules: RULES },
      '301 Moved Permanently | Cache-Control: no-store | Location: https://rule.example/a#f',
    ],
    ['404 before a start that follows the end', START, { startsAt: END, endsAt: END + 1 }, 'not_found'],
    ['410 when it is gone', START, { gone: true, startsAt: END }, 'gone'],
  ])('answers %s', (_, nowMs, options, answer) => {
    expect(answerAt(nowMs, options)).toBe(answer);
  });

  it('does not read the clock without a time', () => {
    const redirect = compileRedirect(definitionOf({ statusCode: 308 }), createRegexGuard());
    const clock = () => {
      throw new Error('the clock was read');
    };
    expect(atThisTime(redirect, clock)).toBe(redirect);
  });

  it('keeps Strict-Transport-Security for answers over HTTPS', () => {
    const responseHeaders = { 'Strict-Transport-Security': 'max-age=9' };
    const redirect = compileRedirect(definitionOf({ responseHeaders }), createRegexGuard());
    expect(redirect.strictTransportSecurity).toBe('max-age=9');
  });
});
