import { expect, it } from 'vitest';
import { benchRules, editionAfter, locationsOf, ruledRequests, ruleUrl } from './ruled-traffic.js';

it('rules have ids of their own in the whole installation', () => {
  const ids = [0, 1, 2].flatMap((host) => benchRules(host, { rulesPerHost: 10 }).map(({ id }) => id));
  expect(new Set(ids).size).toBe(30);
});

it('rules test country, device, browser and query, and one kind decides by a percentage', () => {
  const rules = benchRules(0, { rulesPerHost: 10 });
  const attributes = rules.flatMap(({ conditions }) => conditions.map(({ attribute }) => attribute));
  expect(new Set(attributes)).toEqual(new Set(['country', 'device_type', 'browser_name', 'query_param']));
  expect(rules.filter(({ action }) => action.type === 'percentage_redirect')).toHaveLength(2);
});

it.each(['alike', 'unlike'] as const)(
  'every rule of a host is the right one for some visitor, and none for some, when hosts are %s',
  (likeness) => {
    const requests = ruledRequests(1, { rulesPerHost: 10, likeness }, 600);
    const right = new Set(requests.map(({ ruled }) => ruled?.[0] ?? 'none'));
    expect(right).toEqual(new Set(['none', ...Array.from({ length: 10 }, (_, rule) => ruleUrl(0, rule))]));
  },
);

it.each([
  { visitors: 'known', addresses: 10 },
  { visitors: 'new', addresses: 600 },
] as const)('requests of $visitors visitors have $addresses addresses', ({ visitors, addresses }) => {
  const requests = ruledRequests(10, { rulesPerHost: 10, visitors }, 600);
  const sent = requests.map(({ headers }) => headers?.['X-Forwarded-For']);
  expect(new Set(sent).size).toBe(addresses);
});

it.each([
  { likeness: 'alike', conditions: 1 },
  { likeness: 'unlike', conditions: 3 },
] as const)(
  'the rules of three $likeness hosts have $conditions kinds of conditions',
  ({ likeness, conditions }) => {
    const ofHosts = [0, 1, 2].map((host) => benchRules(host, { rulesPerHost: 10, likeness }));
    expect(new Set(ofHosts.map((rules) => JSON.stringify(rules.map((rule) => rule.conditions)))).size).toBe(
      conditions,
    );
  },
);

it('changes take the hosts in turn, from one edition to the other and back', () => {
  const after = (changes: number) => [0, 1].map((host) => editionAfter(changes, host, 2));
  expect([0, 1, 2, 3, 4].map(after)).toEqual([
    ['first', 'first'],
    ['second', 'first'],
    ['second', 'second'],
    ['first', 'second'],
    ['first', 'first'],
  ]);
});

it('while rules change, both editions are right where a rule decides', () => {
  const [request] = ruledRequests(1, { rulesPerHost: 1 }, 1);
  const right = locationsOf(request!, ['first', 'second']);
  expect(right).toEqual([
    `${ruleUrl(0, 0)}${request?.target}`,
    `${ruleUrl(0, 0, 'second')}${request?.target}`,
  ]);
});
