import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { PLANS } from '../../plans/default-plans.js';
import { type RulesApi, startRulesApi } from '../../rules/rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

type Body = Readonly<Record<string, unknown>>;

/** Redirects in the order of creation. `{a}` in a text is replaced by the host of the redirect `a`. */
interface Case {
  readonly what: string;
  readonly redirects: Readonly<
    Record<
      string,
      {
        readonly to: string;
        readonly isPending?: boolean;
        readonly isOthers?: boolean;
        readonly rules?: readonly Body[];
      }
    >
  >;
  /** Last write: a rule of a redirect, or its destination. */
  readonly written: { readonly at: string; readonly rule?: Body; readonly toDomain?: string };
}

const OUT = 'https://out.example';
const to = (url: string, more: Body = {}): Body => ({ action: { type: 'redirect', url }, ...more });
const share = (url: string, percentage: number, more: Body = {}): Body => ({
  type: 'percentage',
  action: { type: 'percentage_redirect', url, percentage, ...more },
});
const split = (urls: readonly string[], more: Body = {}): Body => ({
  type: 'ab_experiment',
  action: {
    type: 'ab_test',
    variants: urls.map((url, at) => ({ name: `v${at}`, percentage: 100 / urls.length, url })),
    ...more,
  },
});
const when = (...conditions: readonly Body[]): Body => ({ conditions });
const country = (operator: string, value: unknown): Body => ({ attribute: 'country', operator, value });
const DE = country('equals', 'DE');
const PATH = { attribute: 'url_path', operator: 'starts_with', value: '/x' };
const BACK = { to: 'https://{a}' };
const A_AND_B = { a: { to: OUT }, b: BACK };
const RULE_TO_B = { at: 'a', rule: to('https://{b}/') };
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();

const REFUSED: readonly (Case & { readonly field: string })[] = [
  {
    what: 'everybody goes there and comes back',
    redirects: A_AND_B,
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'paths and queries are forwarded, over another scheme and port',
    redirects: A_AND_B,
    written: {
      at: 'a',
      rule: to('http://{b}:8080/x?y', {
        action: { type: 'redirect', url: 'http://{b}:8080/x', pathForwarding: true },
      }),
    },
    field: 'action.url',
  },
  {
    what: 'there is another redirect between',
    redirects: { a: { to: OUT }, c: BACK, b: { to: 'https://{c}' } },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'the way back is a rule as well',
    redirects: { a: { to: OUT }, b: { to: OUT, rules: [to('https://{a}')] } },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'it is certain for those whom the rule matches',
    redirects: A_AND_B,
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
    field: 'action.url',
  },
  {
    what: 'the rule there is for the same visitors, and their own destination is elsewhere',
    redirects: { a: { to: OUT }, b: { to: OUT, rules: [to('https://{a}', when(DE))] } },
    written: { at: 'a', rule: to('https://{b}', when({ attribute: 'city', operator: 'exists' }, DE)) },
    field: 'action.url',
  },
  {
    what: 'the rule there that leads out is for others',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT, when(country('in', ['FR', 'IT'])))] } },
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
    field: 'action.url',
  },
  {
    what: 'the rule there that leads out excludes these visitors',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT, when(country('not_in', ['DE', 'AT'])))] } },
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
    field: 'action.url',
  },
  {
    what: 'rules there are switched off, drafts, over, or to come',
    redirects: {
      a: { to: OUT },
      b: {
        ...BACK,
        rules: [
          to(OUT, { status: 'inactive' }),
          to(OUT, { status: 'draft' }),
          to(OUT, { endDate: YESTERDAY }),
          to(OUT, { startDate: TOMORROW }),
        ],
      },
    },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'an earlier rule did not match the visitor, and will not',
    redirects: { a: { to: OUT, rules: [to(OUT, when(country('equals', 'FR')))] }, b: BACK },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'all ways of the redirect there lead back',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to('https://{a}/y', when(PATH))] } },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'the redirect there is of somebody else',
    redirects: { a: { to: OUT }, b: { ...BACK, isOthers: true } },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'the redirect of the rule is pending: it will be served',
    redirects: { a: { to: OUT, isPending: true }, b: BACK },
    written: RULE_TO_B,
    field: 'action.url',
  },
  {
    what: 'it begins with the first moment of the rule',
    redirects: {
      a: { to: OUT },
      b: { ...BACK, rules: [to(OUT, { endDate: new Date(Date.now() + 3_600_000).toISOString() })] },
    },
    written: { at: 'a', rule: to('https://{b}', { startDate: TOMORROW }) },
    field: 'action.url',
  },
  {
    what: 'a variant leads back, and visitors keep their variant',
    redirects: A_AND_B,
    written: { at: 'a', rule: split([OUT, 'https://{b}']) },
    field: 'action.variants.1.url',
  },
  {
    what: 'all variants lead back, drawn anew each time',
    redirects: A_AND_B,
    written: { at: 'a', rule: split(['https://{b}', 'https://{b}/x'], { sticky: 'none' }) },
    field: 'action.variants.0.url',
  },
  {
    what: 'a share leads back and is remembered',
    redirects: A_AND_B,
    written: { at: 'a', rule: share('https://{b}', 20, { sticky: 'visitor' }) },
    field: 'action.url',
  },
  {
    what: 'the share is everybody',
    redirects: A_AND_B,
    written: { at: 'a', rule: share('https://{b}', 100) },
    field: 'action.url',
  },
  {
    what: 'the destination is written last',
    redirects: { b: { to: OUT }, a: { to: OUT, rules: [to('https://{b}')] } },
    written: { at: 'b', toDomain: 'https://{a}/x' },
    field: 'toDomain',
  },
  {
    what: 'the destination is written last, and the rule there is for some visitors',
    redirects: { b: { to: OUT }, a: { to: OUT, rules: [to('https://{b}', when(DE))] } },
    written: { at: 'b', toDomain: 'https://{a}' },
    field: 'toDomain',
  },
  {
    what: 'the rule closes the loop of a rule elsewhere that is for some visitors',
    redirects: { b: { to: OUT }, a: { to: OUT, rules: [to('https://{b}', when(DE))] } },
    written: { at: 'b', rule: to('https://{a}') },
    field: 'action.url',
  },
];

const OWN_HOST: readonly (Case & { readonly field: string })[] = [
  { what: 'everybody', rule: to('https://{a}/home'), field: 'action.url' },
  {
    what: 'everybody, with the path forwarded',
    rule: { action: { type: 'redirect', url: 'http://{a}:8080/x', pathForwarding: true } },
    field: 'action.url',
  },
  { what: 'those of a country', rule: to('https://{a}/de', when(DE)), field: 'action.url' },
  { what: 'all visitors of a share', rule: share('https://{a}/x', 100), field: 'action.url' },
  { what: 'a remembered share', rule: share('https://{a}/x', 5, { sticky: 'visitor' }), field: 'action.url' },
  {
    what: 'those of a variant',
    rule: split([OUT, 'https://{a}/b'], { sticky: 'cookie' }),
    field: 'action.variants.1.url',
  },
].map(({ what, rule, field }) => ({
  what: `the rule leads ${what} to the redirect's own host`,
  redirects: { a: { to: OUT } },
  written: { at: 'a', rule },
  field,
}));

const ACCEPTED: readonly Case[] = [
  {
    what: 'the redirect there leads elsewhere',
    redirects: { a: { to: OUT }, b: { to: OUT } },
    written: RULE_TO_B,
  },
  {
    what: 'the host there has no redirect',
    redirects: { a: { to: OUT } },
    written: { at: 'a', rule: to(OUT) },
  },
  {
    what: "the destination is the redirect's own host, and the rule goes by the path",
    redirects: { a: { to: OUT } },
    written: { at: 'a', rule: to('https://{a}/home', when(PATH)) },
  },
  {
    what: "the destination is the redirect's own host, and an earlier rule may catch those who come back",
    redirects: { a: { to: OUT, rules: [to(OUT, when(PATH))] } },
    written: { at: 'a', rule: to('https://{a}/x', when(DE)) },
  },
  {
    what: "the destination is the redirect's own host, for a share that is drawn anew",
    redirects: { a: { to: OUT } },
    written: { at: 'a', rule: share('https://{a}/x', 99) },
  },
  {
    what: "the destination is the redirect's own host, and an earlier rule keeps everybody from the rule",
    redirects: { a: { to: OUT, rules: [to(OUT)] } },
    written: { at: 'a', rule: to('https://{a}/home') },
  },
  {
    what: 'the rule goes by the path',
    redirects: A_AND_B,
    written: { at: 'a', rule: to('https://{b}', when(PATH)) },
  },
  {
    what: 'the rule goes by the query',
    redirects: A_AND_B,
    written: {
      at: 'a',
      rule: to('https://{b}', when({ attribute: 'query_param', param: 'q', operator: 'exists' })),
    },
  },
  {
    what: 'the rule goes by the referrer',
    redirects: A_AND_B,
    written: {
      at: 'a',
      rule: to('https://{b}', when({ attribute: 'referrer_domain', operator: 'equals', value: 'x.example' })),
    },
  },
  {
    what: 'a rule there leads everybody out',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT)] } },
    written: RULE_TO_B,
  },
  {
    what: 'a rule there leads some out',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT, when(DE))] } },
    written: RULE_TO_B,
  },
  {
    what: 'an earlier rule without conditions keeps everybody from the rule',
    redirects: { a: { to: OUT, rules: [to(OUT)] }, b: BACK },
    written: RULE_TO_B,
  },
  {
    what: 'an earlier rule keeps these visitors from the rule',
    redirects: { a: { to: OUT, rules: [to(OUT, when(country('in', ['DE', 'FR'])))] }, b: BACK },
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
  },
  {
    what: 'a rule keeps everybody from the destination',
    redirects: { b: { to: OUT, rules: [to(OUT)] }, a: { to: OUT, rules: [to('https://{b}')] } },
    written: { at: 'b', toDomain: 'https://{a}' },
  },
  {
    what: 'a rule there leads these visitors out',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT, when(country('in', ['AT', 'DE'])))] } },
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
  },
  {
    what: 'a rule there leads out by the path',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [to(OUT, when(PATH))] } },
    written: RULE_TO_B,
  },
  {
    what: 'a share of visitors there leaves',
    redirects: { a: { to: OUT }, b: { ...BACK, rules: [share(OUT, 1)] } },
    written: RULE_TO_B,
  },
  {
    what: 'some of the visitors there stay out of a share',
    redirects: { a: { to: OUT }, b: { to: OUT, rules: [share('https://{a}', 99)] } },
    written: RULE_TO_B,
  },
  {
    what: 'an earlier rule may catch them when they come back',
    redirects: { a: { to: OUT, rules: [to(OUT, when(PATH))] }, b: BACK },
    written: RULE_TO_B,
  },
  {
    what: 'the way back is for other visitors',
    redirects: { a: { to: OUT }, b: { to: OUT, rules: [to('https://{a}', when(country('equals', 'FR')))] } },
    written: { at: 'a', rule: to('https://{b}', when(DE)) },
  },
  {
    what: 'a share leads back that is drawn anew',
    redirects: A_AND_B,
    written: { at: 'a', rule: share('https://{b}', 99) },
  },
  {
    what: 'one variant leads back, drawn anew',
    redirects: A_AND_B,
    written: { at: 'a', rule: split([OUT, 'https://{b}'], { sticky: 'none' }) },
  },
  {
    what: 'the rule is a draft',
    redirects: A_AND_B,
    written: { at: 'a', rule: to('https://{b}', { status: 'draft' }) },
  },
  {
    what: 'the rule is over',
    redirects: A_AND_B,
    written: { at: 'a', rule: to('https://{b}', { endDate: YESTERDAY }) },
  },
  {
    what: 'the redirect there is pending and serves nobody',
    redirects: { a: { to: OUT }, b: { ...BACK, isPending: true } },
    written: RULE_TO_B,
  },
  {
    what: 'the destination is written last, and the rule there goes by the path',
    redirects: { b: { to: OUT }, a: { to: OUT, rules: [to('https://{b}', when(PATH))] } },
    written: { at: 'b', toDomain: 'https://{a}' },
  },
];

let cases = 0;

/** Creates the redirects of a case and does its last write. Returns the error if the write is refused. */
async function outcomeOf({ redirects, written }: Pick<Case, 'redirects' | 'written'>) {
  cases += 1;
  const number = cases;
  const hosts: Record<string, string> = {};
  for (const [name, { isPending }] of Object.entries(redirects)) {
    hosts[name] = `${name}${number}.${isPending === true ? 'example.com' : 'localhost'}`;
  }
  const filled = <Value>(value: Value): Value =>
    JSON.parse(
      JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (_, name: string) => hosts[name] ?? 'none.example'),
    );
  const ids: Record<string, string> = {};
  for (const [name, { to: toDomain, isOthers, rules = [] }] of Object.entries(redirects)) {
    const owner = isOthers === true ? other : user;
    const created = await area.createRedirect(owner, filled({ fromDomain: hosts[name]!, toDomain }));
    ids[name] = created.id;
    for (const rule of rules) await area.createRule(owner, created.id, filled(rule));
  }
  const id = ids[written.at]!;
  if (written.rule !== undefined) return (await area.create(user, id, filled(written.rule))).json.error;
  const current = { ...user, scopes: [], plan: PLANS.business };
  return area.redirects.update(current, id, filled({ toDomain: written.toDomain! })).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('what closes a loop for certain', () => {
  test.each([...REFUSED, ...OWN_HOST])('is refused where $what', async ({ field, ...given }) => {
    expect(await outcomeOf(given)).toMatchObject({ code: 'REDIRECT_LOOP', field });
  });

  test.each(ACCEPTED)('is not found where $what', async (given) => {
    expect(await outcomeOf(given)).toBeUndefined();
  });
});

async function loopingDraft() {
  cases += 1;
  const a = await area.createRedirect(user, { fromDomain: `a${cases}.localhost`, toDomain: OUT });
  const b = await area.createRedirect(user, {
    fromDomain: `b${cases}.localhost`,
    toDomain: `https://${a.host}`,
  });
  const rule = await area.createRule(user, a.id, to(`https://${b.host}`, { status: 'draft' }));
  return { a, b, rule };
}

test('a rule is refused when it is activated, and so is its copy', async () => {
  const { a, b, rule } = await loopingDraft();
  const activate = (id: number) =>
    area.api.call('PUT', `/rules/${id}/status`, { token: user.token, body: { status: 'active' } });
  const answer = await activate(rule.id);
  expect(answer).toMatchObject({
    status: 422,
    json: { error: { code: 'REDIRECT_LOOP', field: 'action.url' } },
  });
  expect(answer.json.error.message).toContain(`${a.host} → ${b.host} → ${a.host}`);
  const copy = await area.api.call('POST', `/rules/${rule.id}/duplicate`, { token: user.token });
  expect((await activate(copy.json.rule.id)).status).toBe(422);
  expect((await area.list(user, a.id)).map(({ status }) => status)).toEqual(['draft', 'draft']);
});

test('a rule that loops already may be renamed and switched off, not pointed at another loop', async () => {
  const { a, b, rule } = await loopingDraft();
  await area.api.database.query("UPDATE rules SET status = 'active' WHERE id = $1", [rule.id]);
  const put = async (body: object) =>
    (await area.api.call('PUT', `/rules/${rule.id}`, { token: user.token, body })).status;
  expect(await put({ ...rule, status: 'active', name: 'renamed' })).toBe(200);
  expect(await put({ action: { type: 'redirect', url: `https://${b.host}/y` } })).toBe(422);
  expect(await put({ action: { type: 'redirect', url: `https://${a.host}/y` } })).toBe(422);
  expect(await put({ action: { type: 'redirect', url: `${OUT}/y` } })).toBe(200);
  expect(await put({ status: 'inactive' })).toBe(200);
});

test('two halves of a loop that are written at the same moment are not both accepted', async () => {
  for (let round = 0; round < 5; round += 1) {
    cases += 1;
    const a = await area.createRedirect(user, { fromDomain: `a${cases}.localhost`, toDomain: OUT });
    const b = await area.createRedirect(user, { fromDomain: `b${cases}.localhost`, toDomain: OUT });
    const answers = await Promise.all([
      area.create(user, a.id, to(`https://${b.host}`)),
      area.create(user, b.id, to(`https://${a.host}`)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  }
});

test('a chain that is too long to be searched is accepted', async () => {
  cases += 1;
  const hosts = Array.from({ length: 70 }, (_, at) => `h${at}-${cases}.localhost`);
  const redirects = [];
  // Add each at the end of the chain: a redirect at the start of a chain of 64 would be refused.
  for (const [at, fromDomain] of [...hosts.entries()].reverse()) {
    const toDomain = at === 0 ? OUT : `https://${hosts[at - 1]}`;
    redirects.push(await area.createRedirect(user, { fromDomain, toDomain }));
  }
  const first = redirects.at(-1)!;
  expect((await area.create(user, first.id, to(`https://${hosts[60]}`))).status).toBe(422);
  expect((await area.create(user, first.id, to(`https://${hosts[69]}`))).status).toBe(201);
});
