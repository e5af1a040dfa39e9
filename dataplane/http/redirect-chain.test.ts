import { describe, expect, it } from 'vitest';
import type { RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf, shareOf } from '../sync/rule-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, request } from './raw-client.fixture.js';
import { openVisitorPort, VERSION } from './visitor-port.fixture.js';

const forceTo = (url: string, given: Partial<RuleDefinition> = {}) =>
  ruleOf(1, { action: { type: 'redirect', url }, ...given });
const where = (attribute: 'url_path' | 'language', value: string): RuleCondition => ({
  attribute,
  operator: attribute === 'url_path' ? 'starts_with' : 'equals',
  value,
});
/** Leads back to a.example, whatever is asked for. */
const BACK = redirectOf('b.example', { destination: 'http://a.example/x' });
const TO_B = forceTo('http://b.example');
const split = (sticky: 'cookie' | 'visitor' | 'none') =>
  ruleOf(1, {
    action: {
      type: 'ab_test',
      sticky,
      variants: ['one', 'two'].map((name) => ({ name, percentage: 50, url: 'http://b.example' })),
    },
  });

interface Chain {
  readonly what: string;
  readonly redirects: readonly RedirectDefinition[];
  readonly asked?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
}

const ask = async ({ redirects, asked = '/x', host = 'a.example', headers = [] }: Chain) => {
  const visitorSources = testVisitorSources({ random: () => 0.2 });
  const opened = await openVisitorPort(redirects, { visitorSources });
  const answer = await exchange(opened.port, request(asked, host, { headers: [...headers] }));
  return { ...opened, answer };
};

const of = (...rules: readonly RuleDefinition[]) => redirectOf('a.example', { rules });
const forwarding = { pathForwarding: true, queryForwarding: true };

const ENDLESS: readonly Chain[] = [
  { what: 'a rule leads to a redirect that leads back', redirects: [of(TO_B), BACK] },
  { what: 'only the path asked for comes back', redirects: [of(TO_B), BACK], host: 'A.example.:80' },
  {
    what: 'path and query are forwarded',
    redirects: [
      redirectOf('a.example', { rules: [forceTo('http://b.example')], ...forwarding }),
      redirectOf('b.example', { destination: 'http://a.example', ...forwarding }),
    ],
    asked: '/some/where?q=1',
  },
  {
    what: 'a condition on the path holds at both hosts',
    redirects: [
      redirectOf('a.example', {
        rules: [forceTo('http://b.example', { conditions: [where('url_path', '/x')] })],
        pathForwarding: true,
      }),
      redirectOf('b.example', {
        rules: [forceTo('http://a.example', { conditions: [where('url_path', '/x/')] })],
        pathForwarding: true,
      }),
    ],
    asked: '/x/y',
  },
  {
    what: 'paths grow for ever',
    redirects: [
      redirectOf('a.example', { rules: [forceTo('http://b.example/more')], ...forwarding }),
      redirectOf('b.example', { destination: 'http://a.example/and', ...forwarding }),
    ],
  },
  {
    what: "two paths of a redirect's own host lead to each other",
    redirects: [
      of(
        forceTo('http://a.example/y', { conditions: [where('url_path', '/x')] }),
        ruleOf(2, { action: { type: 'redirect', url: 'http://a.example/x' } }),
      ),
    ],
  },
  { what: 'a choice is remembered in a cookie', redirects: [of(split('cookie')), BACK] },
  { what: 'a choice is that of the visitor', redirects: [of(split('visitor')), BACK] },
  {
    what: 'a share is everybody',
    redirects: [of(shareOf(1, 100, { url: 'http://b.example' })), BACK],
  },
  {
    what: 'a choice on the way is that of the visitor',
    redirects: [
      of(TO_B),
      redirectOf('b.example', {
        rules: [
          ruleOf(2, {
            action: {
              type: 'ab_test',
              sticky: 'visitor',
              variants: ['one', 'two'].map((name) => ({ name, percentage: 50, url: 'https://a.example/x' })),
            },
          }),
        ],
      }),
    ],
  },
  {
    what: 'all ports are that of the request',
    redirects: [
      of(forceTo('https://b.example:8080')),
      redirectOf('b.example', { destination: 'http://a.example:8080/x' }),
    ],
    host: 'a.example:8080',
  },
];

const ARRIVING: readonly Chain[] = [
  {
    what: 'another path comes back',
    redirects: [of(forceTo('http://b.example', { conditions: [where('url_path', '/y')] })), BACK],
    asked: '/y',
  },
  {
    what: 'a rule of the next host leads out',
    redirects: [of(TO_B), redirectOf('b.example', { ...BACK, rules: [ruleOf(2)] })],
  },
  {
    what: 'the next host leads out for this visitor',
    redirects: [
      of(TO_B),
      redirectOf('b.example', { ...BACK, rules: [ruleOf(2, { conditions: [where('language', 'de')] })] }),
    ],
    headers: ['Accept-Language: de'],
  },
  { what: 'the choice is drawn anew when they come back', redirects: [of(split('none')), BACK] },
  { what: 'a share is drawn anew', redirects: [of(shareOf(1, 50, { url: 'http://b.example' })), BACK] },
  {
    what: 'a choice on the way is drawn anew',
    redirects: [
      of(TO_B),
      redirectOf('b.example', {
        rules: [shareOf(2, 50, { url: 'http://a.example/x' })],
        destination: 'http://a.example/x',
      }),
    ],
  },
  {
    what: 'a choice on the way may be in a cookie of the next host',
    redirects: [
      of(TO_B),
      redirectOf('b.example', {
        ...BACK,
        rules: [shareOf(2, 50, { url: 'http://a.example/x', sticky: 'cookie' })],
      }),
    ],
  },
  {
    what: 'another port is another server',
    redirects: [of(forceTo('http://b.example:8081')), BACK],
    host: 'a.example:8080',
  },
  {
    what: 'the loop begins after the URL asked for',
    redirects: [
      of(forceTo('http://c.example')),
      redirectOf('c.example', { rules: [TO_B] }),
      redirectOf('b.example', { destination: 'http://c.example/' }),
    ],
  },
  { what: 'the next host is not served', redirects: [of(TO_B)] },
  { what: 'the rule is over', redirects: [of({ ...TO_B, endMs: 0 }), BACK] },
];

describe('a redirect whose rules lead to hosts that are served as well', () => {
  it.each(ENDLESS)('answers 508 when $what', async (chain) => {
    const { answer, counts, recorder } = await ask(chain);
    expect(answer.statusCode).toBe(508);
    expect(answer.body).toBe('Following this redirect would never end.\n');
    expect(answer.headers.location).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(counts).toMatchObject({ loop: 1, redirect: 0 });
    expect(recorder.hits[0]).toMatchObject({ statusCode: 508, ruleId: 1 });
  });

  it.each(ARRIVING)('sends the visitor on when $what', async (chain) => {
    const { answer, counts } = await ask(chain);
    expect(answer.headers.location).toBeDefined();
    expect(counts).toMatchObject({ loop: 0, redirect: 1 });
  });

  it('says so also to a visitor who brought the cookie of the choice', async () => {
    const redirects = [of(shareOf(1, 50, { url: 'http://b.example', sticky: 'cookie' })), BACK];
    const inside = await ask({ what: '', redirects, headers: ['Cookie: wm_1=in'] });
    expect(inside.answer.statusCode).toBe(508);
    const outside = await ask({ what: '', redirects, headers: ['Cookie: wm_1=out'] });
    expect(outside.answer.headers.location).toBe('https://destination.example');
  });

  it.each([20, 21])('answers as browsers would end, with %s redirects', async (count) => {
    const hosts = Array.from({ length: count }, (_, at) => `h${at}.example`);
    const redirects = hosts.map((host, at) =>
      redirectOf(host, {
        destination: at === count - 1 ? 'https://end.example' : `http://h${at + 1}.example/`,
        ...(at === 0 && { rules: [forceTo('http://h1.example/')] }),
      }),
    );
    const { answer } = await ask({ what: '', redirects, asked: '/', host: 'h0.example' });
    expect(answer.statusCode).toBe(count === 20 ? 301 : 508);
  });

  it('counts the request and the rule that decided it, and nothing of what follows', async () => {
    const next = redirectOf('b.example', {
      rules: [ruleOf(2, { action: { type: 'redirect', url: 'http://a.example/x' } })],
    });
    const { recorder } = await ask({ what: '', redirects: [of(TO_B), next] });
    expect(recorder.requestsOf('id-of-a.example')).toBe(1);
    expect(recorder.ruleHitsOf('id-of-a.example', 1, '')).toBe(1);
    expect(recorder.requestsOf('id-of-b.example')).toBe(0);
    expect(recorder.ruleHitsOf('id-of-b.example', 2, '')).toBe(0);
    expect(recorder.hits).toHaveLength(1);
  });

  it('notices when the next host comes, changes and goes', async () => {
    const { port, table } = await openVisitorPort([of(TO_B)]);
    const statusCode = async () => (await exchange(port, request('/x', 'a.example'))).statusCode;
    let { seq } = VERSION;
    const change = (redirect: RedirectDefinition | null) => {
      const previousSeq = seq;
      seq += 1;
      table.apply({ version: { ...VERSION, seq }, previousSeq, changes: [{ host: 'b.example', redirect }] });
    };
    for (let visit = 0; visit < 3; visit += 1) expect(await statusCode()).toBe(301);
    change(BACK);
    for (let visit = 0; visit < 3; visit += 1) expect(await statusCode()).toBe(508);
    change(redirectOf('b.example'));
    expect(await statusCode()).toBe(301);
    change(BACK);
    expect(await statusCode()).toBe(508);
    change(null);
    expect(await statusCode()).toBe(301);
    table.replaceAll({ version: { ...VERSION, seq: 99 }, redirects: [of(TO_B), BACK] });
    expect(await statusCode()).toBe(508);
  });
});

describe('a redirect that has ended, or is disabled with a fallback of its owner', () => {
  const ended = (host: string, url: string) => redirectOf(host, { endsAt: 1, afterEnd: { url } });

  it.each([
    ['comes back to the URL that was requested', 'http://a.example/x', 508],
    ['comes back to another URL, which answers the next request with 508', 'http://a.example/other', 302],
    ['leads out', 'http://elsewhere.example', 302],
  ])('is cut where its URL %s', async (_, back, status) => {
    const redirects = [
      ended('a.example', 'http://b.example/y'),
      redirectOf('b.example', { destination: back }),
    ];
    const { answer, counts } = await ask({ what: '', redirects });
    expect(answer.statusCode).toBe(status);
    expect(counts).toMatchObject(status === 508 ? { loop: 1, redirect: 0 } : { loop: 0, redirect: 1 });
    if (back.endsWith('other'))
      expect((await ask({ what: '', redirects, asked: '/other' })).answer.statusCode).toBe(508);
  });

  it('is cut beyond a redirect whose rule drew a choice for the request before', async () => {
    const redirects = [
      redirectOf('drawn.example', { rules: [split('none')] }),
      ended('a.example', 'http://c.example'),
      redirectOf('c.example', { destination: 'http://a.example/x' }),
    ];
    const { port, answer } = await ask({ what: '', redirects, host: 'drawn.example' });
    expect(answer.statusCode).toBe(302);
    expect((await exchange(port, request('/x', 'a.example'))).statusCode).toBe(508);
  });
});

describe('a wildcard without rules', () => {
  const wildcard = redirectOf('*.zone.example', { destination: 'http://b.example' });
  const back = redirectOf('b.example', { destination: 'http://x.zone.example/x' });

  it('is cut where its destination comes back, once the exact redirect of the host is gone', async () => {
    const { port, table } = await openVisitorPort([wildcard, back, redirectOf('x.zone.example')]);
    const statusCode = async (host: string) => (await exchange(port, request('/x', host))).statusCode;
    expect(await statusCode('x.zone.example')).toBe(301);
    expect(await statusCode('y.zone.example')).toBe(301);
    const version = { ...VERSION, seq: VERSION.seq + 1 };
    table.apply({
      version,
      previousSeq: VERSION.seq,
      changes: [{ host: 'x.zone.example', redirect: null }],
    });
    expect(await statusCode('x.zone.example')).toBe(508);
    expect(await statusCode('y.zone.example'), 'whose next URL answers 508').toBe(301);
  });

  it.each([
    ['leads to a name below itself, which may be elsewhere', { destination: 'http://www.zone.example' }, 301],
    [
      'leads to longer and longer paths below itself',
      { destination: 'http://www.zone.example/en', pathForwarding: true },
      508,
    ],
    ['leads out', { destination: 'http://elsewhere.example' }, 301],
  ])('answers a visitor when it %s', async (_, given, status) => {
    const redirects = [redirectOf('*.zone.example', given)];
    const { answer } = await ask({ what: '', redirects, host: 'x.zone.example' });
    expect(answer.statusCode).toBe(status);
  });

  it('is cut also after a request for which a rule of another redirect drew a choice', async () => {
    const redirects = [redirectOf('drawn.example', { rules: [split('none')] }), wildcard, back];
    const { port, answer } = await ask({ what: '', redirects, host: 'drawn.example' });
    expect(answer.statusCode).toBe(302);
    expect((await exchange(port, request('/x', 'x.zone.example'))).statusCode).toBe(508);
  });

  it('is cut where the next redirect has ended and comes back', async () => {
    const redirects = [
      wildcard,
      redirectOf('b.example', { endsAt: 1, afterEnd: { url: 'http://x.zone.example/x' } }),
    ];
    const { answer } = await ask({ what: '', redirects, host: 'x.zone.example' });
    expect(answer.statusCode).toBe(508);
  });
});
