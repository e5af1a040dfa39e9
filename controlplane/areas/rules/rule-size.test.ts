import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisKeys } from '../../../shared/ruleset/redis-keys.js';
import type { TestUser } from '../../http/api.fixture.js';
import { createRedisRulesetStore } from '../../publishing/redis-ruleset-store.js';
import type { RuleRecord } from './rule-schema.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const full = { status: 422, json: { error: { code: 'VALIDATION_ERROR', field: 'conditions' } } };
const country = { attribute: 'country', operator: 'equals', value: 'DE' };
/** Returns a rule that tests for `count` paths of 250 bytes each. */
const ofPaths = (count: number) => ({
  conditions: [
    {
      attribute: 'url_path',
      operator: 'in',
      value: Array.from({ length: count }, (_, index) => `/${index}`.padEnd(246, 'p')),
    },
  ],
});

const edit = ({ id }: RuleRecord, body: object) =>
  area.api.call('PUT', `/rules/${id}`, { token: user.token, body });
const duplicate = ({ id }: RuleRecord) =>
  area.api.call('POST', `/rules/${id}/duplicate`, { token: user.token });

async function createRules(redirectId: string, count: number, body: object): Promise<RuleRecord[]> {
  const rules: RuleRecord[] = [];
  for (let index = 0; index < count; index += 1) rules.push(await area.createRule(user, redirectId, body));
  return rules;
}

test('the rules of a redirect have 10,000 conditions together at most, also by an edit or a copy', async () => {
  const { id } = await area.createRedirect(user);
  const thousand = { conditions: Array.from({ length: 1_000 }, () => country) };
  const [first] = await createRules(id, 10, thousand);
  const none = await area.createRule(user, id);
  const one = { conditions: [country] };

  expect(await area.create(user, id, one)).toMatchObject(full);
  expect(await edit(none, one)).toMatchObject(full);
  expect(await duplicate(first!)).toMatchObject(full);

  expect(await edit(first!, { name: 'renamed' })).toMatchObject({ status: 200 });
  expect(await edit(first!, one)).toMatchObject({ status: 200 });
  expect(await edit(none, one)).toMatchObject({ status: 200 });
});

describe('a redirect whose rules have all the bytes they may have', () => {
  let redirect: { id: string; host: string };
  let rules: RuleRecord[];

  beforeAll(async () => {
    redirect = await area.createRedirect(user);
    rules = await createRules(redirect.id, 16, ofPaths(1_000));
    rules.push(await area.createRule(user, redirect.id, ofPaths(650)));
  });

  test('gets no rule more, by none of the ways there are, and says how many bytes it may have', async () => {
    const before = await area.list(user, redirect.id);
    const refused = await area.create(user, redirect.id, ofPaths(1_000));
    expect(refused).toMatchObject(full);
    expect(refused.json.error.message).toContain('4194304 bytes together');
    expect(await duplicate(rules[0]!)).toMatchObject(full);
    expect(await area.list(user, redirect.id)).toEqual(before);
  });

  test('can still be changed where that takes no more room', async () => {
    expect(await edit(rules[0]!, { status: 'inactive' })).toMatchObject({ status: 200 });
    expect(await edit(rules[0]!, { status: 'active', priority: 5 })).toMatchObject({ status: 200 });
  });

  test('reaches data planes as a delta', async () => {
    const { host } = redirect;
    const definition = await area.served(host);
    expect(definition?.rules).toHaveLength(17);
    const redis = new Redis({ lazyConnect: true });
    const version = { epoch: 1, seq: 2 };
    const delta = { version, previousSeq: 1, changes: [{ host, redirect: definition! }] };
    expect(createRedisRulesetStore(redis, redisKeys()).fits(delta)).toBe(true);
    redis.disconnect();
  });

  test('has room again once a rule is shorter', async () => {
    expect(await edit(rules[16]!, ofPaths(1_000))).toMatchObject(full);
    expect(await edit(rules[0]!, ofPaths(1))).toMatchObject({ status: 200 });
    expect(await edit(rules[16]!, ofPaths(1_000))).toMatchObject({ status: 200 });
    expect(await duplicate(rules[0]!)).toMatchObject({ status: 201 });
  });
});
