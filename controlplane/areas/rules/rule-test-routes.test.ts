import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IPHONE, type RuleTestApi, startRuleTestApi } from './rule-test.fixture.js';
import type { UserAttributes } from './rule-test-schema.js';

let area: RuleTestApi;
beforeAll(async () => {
  area = await startRuleTestApi();
});
afterAll(() => area.close());

const GERMANS = { attribute: 'country', operator: 'equals', value: 'DE' };
describe('the answer', () => {
  test('tells of the rule that matches', async () => {
    const { id, rules } = await area.redirectWith([{ name: 'Germans', conditions: [GERMANS] }]);
    const userAttributes = { country: 'DE', ip_address: '8.8.8.8', hour_of_day: 3 };
    const message = 'Rule "Germans" redirects this visitor to https://rule.example/.';
    expect(await area.tryOut(id, userAttributes)).toEqual({
      result: {
        url: 'https://rule.example/',
        statusCode: 301,
        ruleId: rules[0]!.id,
        ruleName: 'Germans',
        actionType: 'redirect',
        triggered: true,
        userAttributes,
        message,
      },
      userAttributes,
      message,
    });
  });

  test('has no result when no rule matches, and says where the visitor goes then', async () => {
    const { id } = await area.redirectWith([{ conditions: [GERMANS] }], { pathForwarding: true });
    expect(await area.tryOut(id, { country: 'FR', url_path: '/a' })).toEqual({
      result: null,
      userAttributes: { country: 'FR', url_path: '/a' },
      message: "No active rule matches. The redirect's own destination applies: https://default.example/a.",
    });
  });

  test('has the status and the appended query of the redirect', async () => {
    const settings = { statusCode: 308, appendQuery: { via: 'old' } } as const;
    const { id } = await area.redirectWith([{}], settings);
    expect((await area.tryOut(id, {})).result).toMatchObject({
      statusCode: 308,
      url: 'https://rule.example/?via=old',
    });
  });

  test('has no result when there are no rules', async () => {
    const { id } = await area.redirectWith([]);
    expect(await area.tryOut(id, {})).toMatchObject({ result: null, userAttributes: {} });
  });

  test('echoes what was given, neither derived nor changed', async () => {
    const { id } = await area.redirectWith([{}]);
    const userAttributes = {
      ip_address: '2001:DB8:0::1',
      user_agent: IPHONE,
      url_path: '/ä',
      query_params: { a: 'x y', b: ['1', '2'] },
      visitorId: 'ann',
      city: '',
    };
    const answer = await area.tryOut(id, userAttributes);
    expect(answer.userAttributes).toEqual(userAttributes);
    expect(answer.result?.userAttributes).toEqual(userAttributes);
  });

  test('is the same for a redirect that is not verified', async () => {
    const { id } = await area.redirectWith([{ name: 'early' }], { fromDomain: 'not-verified.example' });
    expect(await area.tryOut(id, {})).toMatchObject({ result: { ruleName: 'early' } });
  });

  test('warns of a destination that is what was asked for', async () => {
    const redirect = await area.createRedirect(area.user);
    const url = `http://${redirect.host}/here`;
    const conditions = [{ attribute: 'url_path', operator: 'ends_with', value: 'here' }];
    await area.createRule(area.user, redirect.id, { conditions, action: { type: 'redirect', url } });
    expect((await area.tryOut(redirect.id, { url_path: '/here' })).message).toContain('508');
    expect((await area.tryOut(redirect.id, { url_path: '/there' })).message).not.toContain('508');
  });

  test.each<[string, object, object, UserAttributes, string]>([
    ['nothing', {}, {}, { url_path: '/a', query_params: { q: '1' } }, 'https://rule.example/x'],
    ['the path', { pathForwarding: true }, {}, { url_path: '/a/b' }, 'https://rule.example/x/a/b'],
    [
      'the query',
      { queryForwarding: true },
      {},
      { query_params: { q: 'a b', r: ['1', '2'] } },
      'https://rule.example/x?q=a+b&r=1&r=2',
    ],
    [
      'what the action says, whatever the redirect does',
      { pathForwarding: true, queryForwarding: false },
      { pathForwarding: false, queryForwarding: true },
      { url_path: '/a', query_params: { q: '1' } },
      'https://rule.example/x?q=1',
    ],
  ])('has a URL that takes over %s', async (_what, settings, forwarding, attributes, url) => {
    const action = { type: 'redirect', url: 'https://rule.example/x', ...forwarding };
    const { id } = await area.redirectWith([{ action }], settings);
    expect((await area.matchOf(id, attributes)).url).toBe(url);
  });

  test.each<[string, object, object, string]>([
    ['of the test, where a variant has none', { pathForwarding: true }, {}, 'https://rule.example/x/a'],
    ['of the variant first', { pathForwarding: true }, { pathForwarding: false }, 'https://rule.example/x'],
    ['of the redirect, where neither has any', {}, {}, 'https://rule.example/x'],
  ])('has a URL by the switches %s', async (_whose, ofTest, ofVariant, url) => {
    const variants = ['a', 'b'].map((name) => ({
      name,
      percentage: 50,
      url: 'https://rule.example/x',
      ...ofVariant,
    }));
    const { id } = await area.redirectWith([
      { type: 'ab_experiment', action: { type: 'ab_test', variants, ...ofTest } },
    ]);
    expect((await area.matchOf(id, { url_path: '/a' })).url).toBe(url);
  });
});

describe('a request is refused', () => {
  const tooLong = 'x'.repeat(8193);
  const inAttributes = (attributes: object) => ({ userAttributes: attributes });

  test.each<[string, object, string, string]>([
    ['without attributes', {}, 'userAttributes', 'required'],
    ['with attributes that are a list', { userAttributes: [] }, 'userAttributes', 'an object'],
    ['with an unknown member', { userAttributes: {}, explian: true }, 'explian', 'explain'],
    ['with an explain that is a word', { userAttributes: {}, explain: 'yes' }, 'explain', 'true or false'],
    ['with an empty visitor id', { userAttributes: {}, visitorId: ' ' }, 'visitorId', '1 to 256 characters'],
    ['with an unknown attribute', inAttributes({ county: 'DE' }), 'userAttributes.county', 'country, region'],
    ['with a country that is a number', inAttributes({ country: 49 }), 'userAttributes.country', 'a string'],
    ['with null', inAttributes({ city: null }), 'userAttributes.city', 'a string'],
    ['with hour 24', inAttributes({ hour_of_day: 24 }), 'userAttributes.hour_of_day', 'from 0 to 23'],
    ['with half an hour', inAttributes({ hour_of_day: 0.5 }), 'userAttributes.hour_of_day', 'a whole number'],
    [
      'with an hour as text',
      inAttributes({ hour_of_day: '9' }),
      'userAttributes.hour_of_day',
      'a whole number',
    ],
    ['with day 7', inAttributes({ day_of_week: 7 }), 'userAttributes.day_of_week', 'from 0 to 6'],
    [
      'with a day before Sunday',
      inAttributes({ day_of_week: -1 }),
      'userAttributes.day_of_week',
      'from 0 to 6',
    ],
    [
      'with a path that has a query',
      inAttributes({ url_path: '/a?b' }),
      'userAttributes.url_path',
      'query_params',
    ],
    ['with a path without /', inAttributes({ url_path: 'a' }), 'userAttributes.url_path', 'begins with /'],
    [
      'with an address that is none',
      inAttributes({ ip_address: '1.2.3' }),
      'userAttributes.ip_address',
      'IPv4',
    ],
    [
      'with a number as query value',
      inAttributes({ query_params: { a: 1 } }),
      'userAttributes.query_params.a',
      'a string',
    ],
    [
      'with a number among values',
      inAttributes({ query_params: { a: ['', 1] } }),
      'userAttributes.query_params.a.1',
      'a string',
    ],
    [
      'with a list of parameters',
      inAttributes({ query_params: ['a'] }),
      'userAttributes.query_params',
      'an object',
    ],
    [
      'with a user agent without end',
      inAttributes({ user_agent: tooLong }),
      'userAttributes.user_agent',
      'at most 8192',
    ],
    [
      'with a query value without end',
      inAttributes({ query_params: { a: tooLong } }),
      'userAttributes.query_params.a',
      'at most 8192',
    ],
    [
      'with more parameters than anybody has',
      inAttributes({
        query_params: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`p${n}`, ''])),
      }),
      'userAttributes.query_params',
      'at most 1000',
    ],
    [
      'with more values than anybody has',
      inAttributes({ query_params: { a: Array<string>(1001).fill('') } }),
      'userAttributes.query_params.a',
      'at most 1000',
    ],
  ])('%s', async (_what, body, field, accepted) => {
    const { id } = await area.redirectWith([]);
    expect(await area.ask(id, body)).toMatchObject({
      status: 422,
      json: { error: { code: 'VALIDATION_ERROR', field, message: expect.stringContaining(accepted) } },
    });
  });

  test('from a token that may not read redirects, and no other', async () => {
    const { id } = await area.redirectWith([]);
    const body = { userAttributes: {} };
    const reader = await area.api.createToken(area.user.id, { scopes: ['redirects:read'] });
    const analyst = await area.api.createToken(area.user.id, {
      scopes: ['analytics:read', 'redirects:write'],
    });
    expect((await area.ask(id, body, reader)).status).toBe(200);
    expect(await area.ask(id, body, analyst)).toMatchObject({
      status: 403,
      json: { error: { code: 'INSUFFICIENT_SCOPE' } },
    });
  });

  test('for a redirect of somebody else or of nobody', async () => {
    const { id } = await area.redirectWith([]);
    const other = await area.api.createUser();
    const body = { userAttributes: {} };
    expect(await area.ask(id, body, other.token)).toMatchObject({
      status: 403,
      json: { error: { code: 'FORBIDDEN' } },
    });
    expect(await area.ask('nobodys', body)).toMatchObject({
      status: 404,
      json: { error: { code: 'NOT_FOUND' } },
    });
  });
});

test('a test changes nothing', async () => {
  const { id, host } = await area.redirectWith([{}]);
  const state = async () => [await area.list(area.user, id), await area.served(host)];
  const before = await state();
  await area.tryOut(id, {}, { explain: true });
  expect(await state()).toEqual(before);
});
