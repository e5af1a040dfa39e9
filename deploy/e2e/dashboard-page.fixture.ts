/** State of the page. `failures` are calls whose answer was not the expected one. */
export interface PageState {
  readonly step: string;
  readonly failures: readonly string[];
  readonly created?: {
    readonly id: string;
    readonly token: string;
    readonly verification: { name: string; value: string };
  };
  /** `data` of each statistic by name: each read by its own request, and all of them by one request. */
  readonly statistics?: Readonly<Record<string, object>>;
  readonly several?: Readonly<Record<string, object>>;
  /** Number of bars that are drawn of each statistic, by name. */
  readonly bars?: Readonly<Record<string, number>>;
  /** Headers of an answer that scripts of the page can see. */
  readonly seen?: Readonly<Record<string, string | null>>;
}

/**
 * A typical dashboard of another origin. Each call has credentials and the headers that client libraries add, so the
 * browser sends preflight requests. The page continues when the test has set `proceed` to the next step.
 */
export function dashboardPage(statistics: readonly string[]): string {
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Dashboard</title>
<canvas></canvas><script type="module">
const api = new URL(location.href).searchParams.get('api');
const state = { step: 'started', failures: [] };
window.state = state;
window.proceed = '';
let token;

async function call(method, path, body, headers = {}) {
  const response = await fetch(api + path, {
    method,
    credentials: 'include',
    headers: {
      'X-Requested-With': 'XMLHttpRequest',
      ...(token && { Authorization: 'Bearer ' + token }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  if (!response.ok) state.failures.push(method + ' ' + path + ': ' + response.status + ' ' + JSON.stringify(json));
  return { headers: response.headers, json };
}

const until = async (step) => {
  while (window.proceed !== step) await new Promise((resolve) => setTimeout(resolve, 50));
};

async function run() {
  const account = { email: 'page@example.org', password: 'a long enough password' };
  await call('POST', '/auth/signup', account);
  token = (await call('POST', '/auth/login', account)).json.token;
  await call('GET', '/auth/user');
  await call('GET', '/user/plans');
  await call('GET', '/get-redirects/me');
  const redirect = { fromDomain: 'old.example', toDomain: 'https://new.example', redirectType: 'temporary' };
  const key = crypto.randomUUID();
  const { json: created } = await call('POST', '/add-redirect', redirect, { 'Idempotency-Key': key });
  const again = await call('POST', '/add-redirect', redirect, { 'Idempotency-Key': key });
  if (again.json.id !== created.id) state.failures.push('the same key created another redirect');
  state.seen = Object.fromEntries(
    ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id', 'Idempotent-Replayed']
      .map((name) => [name, again.headers.get(name)]),
  );
  state.created = { id: created.id, token, verification: created.verification };
  await until('verify');
  const { json: verified } = await call('POST', '/verify-domain', { domain: redirect.fromDomain });
  if (verified.isVerified !== true) state.failures.push('not verified: ' + JSON.stringify(verified));

  await call('GET', '/rules/attributes');
  const { json: { rule } } = await call('POST', '/rules/redirect/' + created.id, {
    name: 'Germany', type: 'force', status: 'active', priority: 10,
    conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
    action: { type: 'redirect', url: 'https://de.example' },
  });
  await call('PUT', '/rules/' + rule.id, { name: 'German visitors' }, { 'If-Match': '*' });
  await call('PUT', '/rules/' + rule.id + '/status', { status: 'inactive' });
  const { json: copy } = await call('POST', '/rules/' + rule.id + '/duplicate');
  await call('DELETE', '/rules/' + copy.rule.id);
  await call('GET', '/rules/redirect/' + created.id, undefined, { 'If-None-Match': '"none"' });
  state.step = 'visit';

  await until('read');
  const names = ${JSON.stringify(statistics)};
  const url = '/analytics/redirect/' + created.id;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const asked = 'timezone=Europe/Berlin&includeBots=true&end=' + tomorrow;
  const answers = await Promise.all(
    names.map((name) => call('GET', url + (name === 'dashboard' ? '/' : '/stats/') + name + '?' + asked)),
  );
  state.statistics = Object.fromEntries(names.map((name, index) => [name, answers[index].json.data]));
  state.several = (await call('GET', url + '/stats?include=' + names.join() + '&' + asked)).json.data;
  await call('GET', url + '/hits?limit=5');
  const drawing = document.querySelector('canvas').getContext('2d');
  const draw = (value) => {
    if (value !== null && typeof value === 'object') return Object.values(value).reduce((bars, part) => bars + draw(part), 0);
    if (typeof value !== 'number') return 0;
    drawing.fillRect(0, 0, 1, value);
    return 1;
  };
  state.bars = Object.fromEntries(names.map((name) => [name, draw(state.statistics[name])]));
  state.step = 'done';
}
run().catch((error) => state.failures.push(String(error)));
</script>`;
}
