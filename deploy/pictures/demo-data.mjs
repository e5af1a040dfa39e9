// Demo data for pictures of the console: redirects in several states, rules, paths, and visits.

const REDIRECTS = [
  [
    'summer-sale.localhost',
    'https://shop.example.com/summer',
    { tags: ['campaign', '2026'], pathForwarding: true },
  ],
  [
    'old-shop.localhost',
    'https://shop.example.com',
    { tags: ['migration'], pathForwarding: true, queryForwarding: true },
  ],
  ['docs-v1.localhost', 'https://docs.example.com/v2', { tags: ['migration', 'docs'], pathForwarding: true }],
  ['jobs.localhost', 'https://careers.example.com', { statusCode: 302, tags: ['people'] }],
  ['press.localhost', 'https://www.example.com/press', { enabled: false }],
  [
    'winter-sale.localhost',
    'https://shop.example.com/winter',
    { startsAt: '2027-12-01', tags: ['campaign'] },
  ],
  ['partner-portal.example.com', 'https://partners.example.com/login', { tags: ['partners'] }],
  ['go.example.net', 'https://www.example.com', {}],
];

const PATHS = [
  { source: '/shoes', destination: '/footwear' },
  { source: '/blog/*', destination: 'https://blog.example.com/archive/*' },
  { source: '/user/:id', destination: 'https://accounts.example.com/:id', statusCode: 302 },
  { source: '/flash-player', destination: null, statusCode: 410, note: 'Removed in 2024' },
  { source: '/contact.html', destination: '/contact', enabled: false },
];

const IMPORT = `fromDomain,toDomain,tags
spring-sale.localhost,https://shop.example.com/spring,campaign
old-blog.localhost,https://blog.example.com,migration|blog
status.localhost,ftp://status.example.com,
events.localhost,https://www.example.com/events,people
summer-sale.localhost,https://shop.example.com/summer,campaign
`;

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:129.0) Gecko/20100101 Firefox/129.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Mobile Safari/537.36',
];
const ADDRESSES = ['84.19.1.1', '8.8.8.8', '62.4.1.9', '133.11.2.3', '200.17.4.5', '41.90.3.2', '49.36.1.8'];
const REFERRERS = ['https://www.google.com/', 'https://news.ycombinator.com/', '', '', 'https://t.co/x'];
const TARGETS = [
  '/',
  '/shoes',
  '/blog/hello',
  '/user/7',
  '/shoes?utm_source=newsletter&utm_campaign=summer',
  '/missing',
];
/** Visitors of the A/B test, and the percentage of each variant that buys. */
const EXPERIMENT_VISITORS = 2_600;
const BUYERS = { '/summer': 6, '/summer-video': 10 };
const PHONE = BROWSERS[1];
const VISITS_AT_ONCE = 16;
const VISITS = [1_280, 940, 410, 96];

/** Fills the product. Resolves to the pages to look at. */
export async function addDemoData(product) {
  await subscribe(product);
  const created = [];
  for (const [fromDomain, toDomain, more] of REDIRECTS) {
    created.push(await call(product, 'POST', '/redirects', { fromDomain, toDomain, ...more }));
    if (fromDomain.endsWith('.localhost'))
      await call(product, 'POST', '/verify-domain', { domain: fromDomain });
  }
  const [sale, shop] = created;
  for (const entry of PATHS) await call(product, 'POST', `/redirects/${shop.id}/paths`, entry);
  const rules = await addRules(product, sale.id);
  const [, experiment] = rules;
  await addExamples(product, sale.id);
  await call(product, 'POST', '/auth/tokens', {
    name: 'Deploy script',
    scopes: ['redirects:read', 'redirects:write'],
    expiresInDays: 90,
  });
  await call(product, 'POST', '/webhook-endpoints', {
    url: 'https://hooks.example.com/waymark',
    events: ['domain.verified', 'payment.failed'],
  });
  await call(product, 'POST', '/admin/takedowns', {
    destinationHost: 'phishing.example',
    reason: 'Reported by a registrar.',
  });
  const { id: importId } = await upload(product, 'dryRun=true');
  await visitAll(product);
  await runExperiment(product);
  await untilCounted(product, sale.id, VISITS[0] + EXPERIMENT_VISITORS);
  const replayId = await replayDraft(product, sale.id, rules);
  return { pages: pagesOf(created, { importId, experiment, replayId }) };
}

async function subscribe(product) {
  const { data } = await call(product, 'POST', '/payment/checkout', { planId: 'pro' });
  const body = new URLSearchParams({ outcome: 'succeed' });
  await fetch(data.checkoutUrl, { method: 'POST', body, redirect: 'manual' });
}

async function addRules(product, id) {
  const rules = [
    {
      name: 'Visitors from Germany',
      type: 'force',
      status: 'active',
      conditions: [{ attribute: 'country', operator: 'in', value: ['DE', 'AT', 'CH'] }],
      action: { type: 'redirect', url: 'https://shop.example.com/de/sommer' },
    },
    {
      name: 'New landing page',
      type: 'ab_experiment',
      status: 'active',
      conditions: [{ attribute: 'device_type', operator: 'equals', value: 'mobile' }],
      action: {
        type: 'ab_test',
        variants: [
          { name: 'Control', percentage: 50, url: 'https://shop.example.com/summer' },
          { name: 'Video', percentage: 50, url: 'https://shop.example.com/summer-video' },
        ],
      },
    },
  ];
  const created = [];
  for (const rule of rules) {
    created.push((await call(product, 'POST', `/redirects/${id}/rules`, rule)).rule);
  }
  return created;
}

/** Runs visits, some at a time. */
async function inBatches(count, visitOne) {
  for (let first = 0; first < count; first += VISITS_AT_ONCE) {
    const length = Math.min(VISITS_AT_ONCE, count - first);
    await Promise.all(Array.from({ length }, (_, index) => visitOne(first + index)));
  }
}

async function visitAll({ visit }) {
  for (const [index, visits] of VISITS.entries()) {
    const [host] = REDIRECTS[index];
    await inBatches(visits, (number) => {
      const pick = (list, step) => list[(number * step + index) % list.length];
      return visit(host, pick(TARGETS, 5), {
        'user-agent': pick(BROWSERS, 7),
        'x-forwarded-for': pick(ADDRESSES, 3),
        'accept-language': pick(['de-DE', 'en-US', 'fr', 'ja'], 3),
        ...(pick(REFERRERS, 2) && { referer: pick(REFERRERS, 2) }),
      });
    });
  }
}

/** Visits the A/B test once with new phones. Some of them then open the thank-you page of the shop. */
async function runExperiment({ visit }) {
  const buyers = [];
  await inBatches(EXPERIMENT_VISITORS, async (number) => {
    const headers = { 'user-agent': PHONE, 'x-forwarded-for': `12.${number >> 8}.${number & 255}.1` };
    const { location } = await visit('summer-sale.localhost', '/', headers);
    const percentage = BUYERS[new URL(location).pathname.replace(/\/$/, '')] ?? 0;
    if ((number * 37) % 100 < percentage) buyers.push(headers);
  });
  await inBatches(buyers.length, (number) => visit('old-shop.localhost', '/thanks', buyers[number]));
}

/** Waits until the visits of a redirect are in its statistics, which takes longer on a busy machine. */
async function untilCounted(product, id, visits) {
  for (;;) {
    const { analyticsUsage } = await call(product, 'GET', `/redirects/${id}`);
    if (analyticsUsage.recordedHits >= visits) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function addExamples(product, id) {
  const examples = [
    {
      name: 'Swiss visitors get the German shop',
      request: { url: 'http://summer-sale.localhost/', userAttributes: { country: 'CH' } },
      expect: { statusCode: 301, ruleName: 'Visitors from Germany' },
    },
    {
      name: 'Others keep their path',
      request: {
        url: 'http://summer-sale.localhost/shoes',
        userAttributes: { country: 'US', device_type: 'desktop' },
      },
      expect: { location: 'https://shop.example.com/summer/shoes' },
    },
  ];
  await call(product, 'PUT', `/redirects/${id}/examples`, { examples });
}

/** Drafts a rule for Swiss visitors, and judges the visits by it. Resolves to the id of the replay. */
async function replayDraft(product, id, rules) {
  const [germany, experiment] = rules.map(({ id, name, type, status, conditions, action }) => {
    return { id, name, type, status, conditions, action };
  });
  const draft = {
    rules: [
      { ...germany, conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }] },
      {
        name: 'Japanese shop',
        type: 'force',
        status: 'active',
        conditions: [{ attribute: 'country', operator: 'equals', value: 'JP' }],
        action: { type: 'redirect', url: 'https://shop.example.com/ja' },
      },
      experiment,
    ],
  };
  await call(product, 'PUT', `/redirects/${id}/draft`, draft);
  const today = new Date().toISOString().slice(0, 10);
  const period = { draft: true, start: today, end: today };
  let replay = await call(product, 'POST', `/redirects/${id}/replay`, period);
  while (['queued', 'running'].includes(replay.state)) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    replay = await call(product, 'GET', `/replays/${replay.id}`);
  }
  return replay.id;
}

const upload = (product, query) =>
  call(product, 'POST', `/imports?kind=redirects&${query}`, IMPORT, 'text/csv');

async function call({ api, token }, method, url, body, contentType = 'application/json') {
  const response = await fetch(api + url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': contentType }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`);
  return answer;
}

function pagesOf([sale, shop, , , , , pending], { importId, experiment, replayId }) {
  const test = async (page) => {
    await page.fill('input[name=url]', '/shoes');
    await page.fill('input[name=country]', 'DE');
    await page.click('form button[type=submit]');
    await page.waitForSelector('.test-result');
  };
  const entry = async (page) => {
    await page.click('button[aria-label="Edit /shoes"]');
    await page.click('text=Add parameter');
    await page.fill('input[name=query]', 'lang');
  };
  const run = async (page) => {
    await page.click('text=Run examples');
    await page.waitForSelector('.badge');
  };
  const upload = async (page) => {
    await page.click('text=Import file');
    const buffer = Buffer.from(IMPORT);
    await page.setInputFiles('input[type=file]', { name: 'redirects.csv', mimeType: 'text/csv', buffer });
  };
  return [
    { name: 'redirects', address: '/redirects' },
    { name: 'create', address: '/redirects?new=1' },
    { name: 'overview', address: `/redirects/${sale.id}`, prepare: test },
    {
      name: 'pending',
      address: `/redirects/${pending.id}`,
      prepare: (page) => page.waitForSelector('.note'),
    },
    { name: 'rules', address: `/redirects/${sale.id}/rules` },
    { name: 'paths', address: `/redirects/${shop.id}/paths` },
    { name: 'entry', address: `/redirects/${shop.id}/paths`, prepare: entry },
    { name: 'upload', address: '/imports', prepare: upload },
    { name: 'statistics', address: `/redirects/${sale.id}/statistics`, isWhole: true },
    { name: 'imports', address: '/imports' },
    { name: 'checked', address: `/imports/${importId}?status=all` },
    {
      name: 'results',
      address: `/redirects/${sale.id}/rules/${experiment.id}/results?goal=visit:old-shop.localhost/thanks`,
      isWhole: true,
    },
    { name: 'examples', address: `/redirects/${sale.id}/examples`, prepare: run },
    { name: 'draft', address: `/redirects/${sale.id}/draft`, isWhole: true },
    { name: 'replay', address: `/redirects/${sale.id}/replay/${replayId}`, isWhole: true },
    { name: 'deleted', address: '/redirects/deleted' },
    { name: 'history', address: `/redirects/${sale.id}/history` },
    { name: 'audit', address: '/account/audit' },
    { name: 'settings', address: `/redirects/${sale.id}/settings` },
    { name: 'account', address: '/account' },
    { name: 'tokens', address: '/account/tokens' },
    { name: 'webhooks', address: '/account/webhooks' },
    { name: 'security', address: '/account/security' },
    { name: 'operator', address: '/operator' },
    { name: 'users', address: '/operator/users' },
    { name: 'takedowns', address: '/operator/takedowns' },
  ];
}
