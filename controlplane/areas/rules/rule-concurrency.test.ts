import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { RuleRecord } from './rule-schema.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

const ROUNDS = 15;

let area: RulesApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });

async function createRules(redirectId: string, count: number): Promise<RuleRecord[]> {
  const rules: RuleRecord[] = [];
  for (let made = 0; made < count; made += 1) rules.push(await area.createRule(user, redirectId));
  return rules;
}

test('editors of different members of a rule lose nothing to each other', async () => {
  const { id } = await area.createRedirect(user);
  const [rule] = await createRules(id, 1);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const edits = [
      { name: `name ${round}` },
      { description: `description ${round}` },
      { conditions: [{ attribute: 'city', operator: 'equals', value: `city ${round}` }] },
      { action: { type: 'redirect', url: `https://new.example/${round}` } },
      { metadata: { round } },
      { endDate: new Date(Date.UTC(2030, 0, round)).toISOString() },
    ];
    const answers = await Promise.all(edits.map((edit) => call('PUT', `/rules/${rule!.id}`, edit)));
    expect(answers.map(({ status }) => status)).toEqual(edits.map(() => 200));
    const { json } = await call('GET', `/rules/${rule!.id}`);
    expect(json.rule).toMatchObject(Object.assign({}, ...edits));
  }
});

test('orders, moves, copies and deletions at once leave 1…n, each number once', async () => {
  const { id } = await area.createRedirect(user);
  await createRules(id, 8);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await area.list(user, id);
    const ids = before.map((rule) => rule.id);
    const answers = await Promise.all([
      call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [...ids].reverse() }),
      call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [...ids.slice(3), ...ids.slice(0, 3)] }),
      call('PUT', `/rules/${ids[0]}`, { priority: 4 }),
      call('PUT', `/rules/${ids[1]}`, { priority: 1 }),
      call('DELETE', `/rules/${ids[2]}`),
      call('DELETE', `/rules/${ids[2]}`),
      call('POST', `/rules/${ids[3]}/duplicate`),
      area.create(user, id, { priority: 2 }),
    ]);
    // An order of rules is refused if a concurrent request has changed the rules.
    const statuses = answers.map(({ status }) => status);
    expect([200, 422]).toContain(statuses[0]);
    expect([200, 422]).toContain(statuses[1]);
    expect(statuses.slice(2, 4)).toEqual([200, 200]);
    expect(statuses.slice(4, 6).sort()).toEqual([200, 404]);
    expect(statuses.slice(6)).toEqual([201, 201]);

    const after = await area.list(user, id);
    expect(after.map(({ priority }) => priority)).toEqual(after.map((_, index) => index + 1));
    expect(after).toHaveLength(before.length + 1);
    await call('DELETE', `/rules/${after.at(-1)!.id}`);
  }
});

test('rules made at once stop at the limit of the plan', async () => {
  const owner = await area.api.createUser({ plan: 'free' });
  const { id } = await area.createRedirect(owner);
  const answers = await Promise.all(Array.from({ length: 14 }, () => area.create(owner, id)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(4);
  expect((await area.list(owner, id)).map(({ priority }) => priority)).toEqual(
    Array.from({ length: 10 }, (_, index) => index + 1),
  );
});
