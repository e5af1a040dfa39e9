/** A number to reach. */
export interface Goal {
  readonly text: string;
  /** Source of the figure: the first row of this scenario (and of this server, if named), under this name. */
  readonly scenario: string;
  readonly server?: string;
  readonly field: string;
  readonly limit: number;
  readonly isLeast?: true;
  readonly unit: string;
  readonly method: string;
}

const PLAIN_METHOD = 'CPU time per request, medians of rounds side by side';

const MILLION_METHOD = 'the roles on PostgreSQL and Redis, all on the same cores';

/** Goals with a million redirects and rules: what is measured, its name, and the limit. */
const MILLION_GOALS = (
  [
    ['first start to the first visitor', 'firstVisitorSeconds', 30, 's'],
    ['restart of a data plane to the first visitor', 'dataplaneRestartSeconds', 5, 's'],
    ['restart of a control plane', 'controlplaneRestartSeconds', 5, 's'],
    ['control plane, peak', 'controlplanePeakMiB', 500, 'MiB'],
    ['data plane', 'dataplaneMiB', 450, 'MiB'],
    ['Redis', 'redisMiB', 300, 'MiB'],
    ['creations, 16 callers', 'creates_per_s', 1_000, 'a second'],
    ['updates, 16 callers', 'updates_per_s', 1_000, 'a second'],
  ] as const
).map(
  ([what, field, limit, unit]): Goal => ({
    text: `a million redirects and rules, ${what}`,
    scenario: 'million',
    field,
    limit,
    ...(unit === 'a second' && { isLeast: true }),
    unit,
    method: MILLION_METHOD,
  }),
);

/** All goals of the product. */
export const GOALS: readonly Goal[] = [
  {
    text: 'plain redirect, 10,000 hosts, sampling 0',
    scenario: 'plain',
    field: 'ratioToNginx',
    limit: 1,
    unit: '× nginx',
    method: PLAIN_METHOD,
  },
  {
    text: 'plain redirect, every hit recorded and delivered',
    scenario: 'plain-sampled',
    field: 'ratioToNginx',
    limit: 1.4,
    unit: '× nginx',
    method: PLAIN_METHOD,
  },
  {
    text: 'HTTPS, new visitor: full handshake and redirect',
    scenario: 'tls-new-visitor',
    field: 'ratioToNginx',
    limit: 0.8,
    unit: '× nginx',
    method: PLAIN_METHOD,
  },
  {
    text: 'HTTPS, request on an open connection',
    scenario: 'tls-new-visitor',
    server: 'waymark, kept-alive',
    field: 'ratioToNginx',
    limit: 1.05,
    unit: '× nginx',
    method: PLAIN_METHOD,
  },
  {
    text: 'HTTPS, 100,000 known names, resident when 1,000 are requested',
    scenario: 'tls-new-visitor',
    server: 'waymark, 1,000 of 100,000 names',
    field: 'rssMiB',
    limit: 150,
    unit: 'MiB',
    method: 'resident memory of a data plane that started from disk',
  },
  ...(
    [
      ['10 rules a host, sampling 1, hits to Kafka', undefined, 1.9],
      ['the same, every visitor a new one', 'waymark, new visitors', 2.8],
      ['the same, unlike rules on each host', 'waymark, unlike rules', 2.5],
    ] as const
  ).map(
    ([text, server, limit]): Goal => ({
      text,
      scenario: 'rules-10-sampled',
      ...(server !== undefined && { server }),
      field: 'ratioToNginx',
      limit,
      unit: "× nginx's plain redirect",
      method: PLAIN_METHOD,
    }),
  ),
  {
    text: '1,000 rules on one host',
    scenario: 'rules-1000',
    field: 'ratioToRules10',
    limit: 1.25,
    unit: '× 10 rules',
    method: PLAIN_METHOD,
  },
  {
    text: 'table of 100,000 paths on one host',
    scenario: 'path-maps',
    field: 'ratioToPlain',
    limit: 1.15,
    unit: '× plain redirects',
    method: PLAIN_METHOD,
  },
  {
    text: '10,000 wildcard hosts',
    scenario: 'wildcards',
    field: 'ratioToExact',
    limit: 1.05,
    unit: '× exact hosts',
    method: PLAIN_METHOD,
  },
  {
    text: '1,000,000 hosts',
    scenario: 'hosts-1m',
    field: 'ratioToHosts1k',
    limit: 1.08,
    unit: '× 1,000 hosts',
    method: PLAIN_METHOD,
  },
  {
    text: '1,000,000 plain redirects, resident',
    scenario: 'hosts-1m',
    field: 'rssMiB',
    limit: 250,
    unit: 'MiB',
    method: 'resident memory of the data plane after the rounds',
  },
  {
    text: '1,000,000 plain redirects, cold start from disk',
    scenario: 'hosts-1m',
    field: 'coldStartSeconds',
    limit: 3,
    unit: 's',
    method: 'from the start of the process until it answers',
  },
  {
    text: '10,000 compiled hosts × 10 rules',
    scenario: 'rules-10-sampled',
    field: 'rulesMiB',
    limit: 60,
    unit: 'MiB',
    method: 'in use after a garbage collection, beyond the same hosts without rules',
  },
  {
    text: 'commit in the database to applied in the data plane, p99',
    scenario: 'propagation',
    field: 'p99Ms',
    limit: 10,
    unit: 'ms',
    method: 'from the commit, where PostgreSQL notes it, to the first answer by it',
  },
  ...MILLION_GOALS,
  {
    text: '`GET /redirects` of 1,000,000 redirects, slowest p95',
    scenario: 'list',
    field: 'slowestP95Ms',
    limit: 50,
    unit: 'ms',
    method: 'answers over HTTP one after another, on PostgreSQL',
  },
  {
    text: '`GET /redirects?limit=50` of 1,000,000 redirects',
    scenario: 'list',
    field: 'requestsPerSecondPerCore',
    limit: 3_000,
    isLeast: true,
    unit: 'requests a second and core',
    method: 'CPU time of the control plane per request; PostgreSQL is another process',
  },
  {
    text: '`POST /redirects/bulk`',
    scenario: 'bulk-import',
    field: 'bulkRowsPerSecond',
    limit: 10_000,
    isLeast: true,
    unit: 'redirects a second',
    method: MILLION_METHOD,
  },
  {
    text: 'import of a file',
    scenario: 'bulk-import',
    field: 'importRowsPerSecond',
    limit: 8_334,
    isLeast: true,
    unit: 'rows a second (a million in two minutes)',
    method: MILLION_METHOD,
  },
  {
    text: 'p99 latency while a file is imported',
    scenario: 'bulk-import',
    field: 'ratioToQuiet',
    limit: 1.5,
    unit: '× quiet p99',
    method: 'fixed rate, before and during the import',
  },
  {
    text: 'last row of an import, served',
    scenario: 'bulk-import',
    field: 'lastRowServedSeconds',
    limit: 5,
    unit: 's',
    method: 'from the end of the import to the first visitor',
  },
  {
    text: 'p99 latency while 1,000 rule changes a second arrive',
    scenario: 'updates',
    field: 'ratioToQuiet',
    limit: 1.25,
    unit: '× quiet p99',
    method: 'fixed rate, quiet and disturbed rounds in turn',
  },
  {
    text: 'p99 latency while dashboards query 5 million embedded hits',
    scenario: 'stall',
    field: 'ratioToQuiet',
    limit: 1.3,
    unit: '× quiet p99',
    method: 'fixed rate, quiet and disturbed rounds in turn',
  },
  {
    text: 'p99 latency with Kafka down',
    scenario: 'kafka-down',
    field: 'ratioToQuiet',
    limit: 1.05,
    unit: '× quiet p99',
    method: 'fixed rate, before and after the broker was killed; a request that fails fails the run',
  },
  {
    text: 'p99 latency with Redis down',
    scenario: 'redis-down',
    field: 'ratioToQuiet',
    limit: 1.05,
    unit: '× quiet p99',
    method: 'fixed rate, before and after Redis was killed; a request that fails fails the run',
  },
  {
    text: 'ingest, Kafka into the embedded engine',
    scenario: 'ingest',
    field: 'hitsPerSecondPerCore',
    limit: 120_000,
    isLeast: true,
    unit: 'hits a second and core',
    method: 'CPU time of the ingesting process, the embedded engine included',
  },
  {
    text: 'ingest, Kafka to a ClickHouse server',
    scenario: 'ingest',
    server: 'waymark, server of its own',
    field: 'hitsPerSecondPerCore',
    limit: 250_000,
    isLeast: true,
    unit: 'hits a second and core',
    method: 'CPU time of the ingesting process; ClickHouse is another one',
  },
  {
    text: 'analytics, 10 million hits of 100 million, slowest p95',
    scenario: 'analytics-endpoints',
    field: 'p95Ms',
    limit: 100,
    unit: 'ms',
    method: 'answers over HTTP one after another; runs only when it is named',
  },
  {
    text: 'replay of a draft, hardly two visits alike',
    scenario: 'replay',
    server: 'waymark, different visits',
    field: 'visitsPerSecondPerCore',
    limit: 200_000,
    isLeast: true,
    unit: 'visits a second and core',
    method: 'CPU time of the process, the engine included',
  },
  {
    text: '`GET /get-redirects/me`, 100 redirects',
    scenario: 'control-plane',
    field: 'requestsPerSecondPerCore',
    limit: 3_000,
    isLeast: true,
    unit: 'requests a second and core',
    method: 'CPU time of the whole product per request',
  },
];
