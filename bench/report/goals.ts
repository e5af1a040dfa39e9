/** A number to reach. */
export interface Goal {
  readonly text: string;
  /** Source of the figure: the first row of this scenario (and of this server, if named), under this name. */
  readonly scenario: string;
  readonly server?: string;
  readonly field: string;
  readonly limit: number;
  /** Whether more is better. */
  readonly isLeast?: true;
  readonly unit: string;
  readonly method: string;
}

/**
 * Members of a goal that differ within a scenario. For a rate the limit is a minimum, for everything else a maximum.
 */
type GoalRow = readonly [text: string, field: string, limit: number, unit: string, server?: string];

function goalsOf(scenario: string, method: string, rows: readonly GoalRow[]): Goal[] {
  return rows.map(([text, field, limit, unit, server]) => ({
    ...{ text, scenario, field, limit, unit, method },
    ...(server !== undefined && { server }),
    ...(unit.includes('a second') && { isLeast: true }),
  }));
}

const CPU_PER_REQUEST = 'CPU time per request, medians of rounds side by side';
const ROLES_ON_SERVERS = 'the roles on PostgreSQL and Redis, all on the same cores';
const ROUNDS_IN_TURN = 'fixed rate, quiet and disturbed rounds in turn';

/** All goals of the product, in the order of their table. */
export const GOALS: readonly Goal[] = [
  ...goalsOf('plain', CPU_PER_REQUEST, [
    ['plain redirect, 10,000 hosts, sampling 0', 'ratioToNginx', 1, '× nginx'],
  ]),
  ...goalsOf('plain-sampled', CPU_PER_REQUEST, [
    ['plain redirect, every hit recorded and delivered', 'ratioToNginx', 1.4, '× nginx'],
  ]),
  ...goalsOf('tls-new-visitor', CPU_PER_REQUEST, [
    ['HTTPS, new visitor: full handshake and redirect', 'ratioToNginx', 0.8, '× nginx'],
    ['HTTPS, request on an open connection', 'ratioToNginx', 1.05, '× nginx', 'waymark, kept-alive'],
  ]),
  ...goalsOf('tls-new-visitor', 'resident memory of a data plane that started from disk', [
    [
      'HTTPS, 100,000 known names, resident when 1,000 are requested',
      'rssMiB',
      150,
      'MiB',
      'waymark, 1,000 of 100,000 names',
    ],
  ]),
  ...goalsOf('rules-10-sampled', CPU_PER_REQUEST, [
    ['10 rules a host, sampling 1, hits to Kafka', 'ratioToNginx', 1.9, "× nginx's plain redirect"],
    [
      'the same, every visitor a new one',
      'ratioToNginx',
      2.8,
      "× nginx's plain redirect",
      'waymark, new visitors',
    ],
    [
      'the same, unlike rules on each host',
      'ratioToNginx',
      2.5,
      "× nginx's plain redirect",
      'waymark, unlike rules',
    ],
  ]),
  ...goalsOf('rules-1000', CPU_PER_REQUEST, [
    ['1,000 rules on one host', 'ratioToRules10', 1.25, '× 10 rules'],
  ]),
  ...goalsOf('path-maps', CPU_PER_REQUEST, [
    ['table of 100,000 paths on one host', 'ratioToPlain', 1.15, '× plain redirects'],
  ]),
  ...goalsOf('wildcards', CPU_PER_REQUEST, [
    ['10,000 wildcard hosts', 'ratioToExact', 1.05, '× exact hosts'],
  ]),
  ...goalsOf('hosts-1m', CPU_PER_REQUEST, [['1,000,000 hosts', 'ratioToHosts1k', 1.08, '× 1,000 hosts']]),
  ...goalsOf('hosts-1m', 'resident memory of the data plane after the rounds', [
    ['1,000,000 plain redirects, resident', 'rssMiB', 250, 'MiB'],
  ]),
  ...goalsOf('hosts-1m', 'from the start of the process until it answers', [
    ['1,000,000 plain redirects, cold start from disk', 'coldStartSeconds', 3, 's'],
  ]),
  ...goalsOf('rules-10-sampled', 'in use after a garbage collection, beyond the same hosts without rules', [
    ['10,000 compiled hosts × 10 rules', 'rulesMiB', 60, 'MiB'],
  ]),
  ...goalsOf('propagation', 'from the commit, where PostgreSQL notes it, to the first answer by it', [
    ['commit in the database to applied in the data plane, p99', 'p99Ms', 10, 'ms'],
  ]),
  ...goalsOf('million', ROLES_ON_SERVERS, [
    ['a million redirects and rules, first start to the first visitor', 'firstVisitorSeconds', 30, 's'],
    [
      'a million redirects and rules, restart of a data plane to the first visitor',
      'dataplaneRestartSeconds',
      5,
      's',
    ],
    ['a million redirects and rules, restart of a control plane', 'controlplaneRestartSeconds', 5, 's'],
    ['a million redirects and rules, control plane, peak', 'controlplanePeakMiB', 500, 'MiB'],
    ['a million redirects and rules, data plane', 'dataplaneMiB', 450, 'MiB'],
    ['a million redirects and rules, Redis', 'redisMiB', 300, 'MiB'],
    ['a million redirects and rules, creations, 16 callers', 'creates_per_s', 1_000, 'a second'],
    ['a million redirects and rules, updates, 16 callers', 'updates_per_s', 1_000, 'a second'],
  ]),
  ...goalsOf('list', 'answers over HTTP one after another, on PostgreSQL', [
    ['`GET /redirects` of 1,000,000 redirects, slowest p95', 'slowestP95Ms', 50, 'ms'],
  ]),
  ...goalsOf('list', 'CPU time of the control plane per request; PostgreSQL is another process', [
    [
      '`GET /redirects?limit=50` of 1,000,000 redirects',
      'requestsPerSecondPerCore',
      3_000,
      'requests a second and core',
    ],
  ]),
  ...goalsOf('bulk-import', ROLES_ON_SERVERS, [
    ['`POST /redirects/bulk`', 'bulkRowsPerSecond', 10_000, 'redirects a second'],
    ['import of a file', 'importRowsPerSecond', 8_334, 'rows a second (a million in two minutes)'],
  ]),
  ...goalsOf('bulk-import', 'fixed rate, before and during the import', [
    ['p99 latency while a file is imported', 'ratioToQuiet', 1.5, '× quiet p99'],
  ]),
  ...goalsOf('bulk-import', 'from the end of the import to the first visitor', [
    ['last row of an import, served', 'lastRowServedSeconds', 5, 's'],
  ]),
  ...goalsOf('updates', ROUNDS_IN_TURN, [
    ['p99 latency while 1,000 rule changes a second arrive', 'ratioToQuiet', 1.25, '× quiet p99'],
  ]),
  ...goalsOf('stall', ROUNDS_IN_TURN, [
    ['p99 latency while dashboards query 5 million embedded hits', 'ratioToQuiet', 1.3, '× quiet p99'],
  ]),
  ...goalsOf(
    'kafka-down',
    'fixed rate, before and after the broker was killed; a request that fails fails the run',
    [['p99 latency with Kafka down', 'ratioToQuiet', 1.05, '× quiet p99']],
  ),
  ...goalsOf(
    'redis-down',
    'fixed rate, before and after Redis was killed; a request that fails fails the run',
    [['p99 latency with Redis down', 'ratioToQuiet', 1.05, '× quiet p99']],
  ),
  ...goalsOf('ingest', 'CPU time of the ingesting process, the embedded engine included', [
    ['ingest, Kafka into the embedded engine', 'hitsPerSecondPerCore', 120_000, 'hits a second and core'],
  ]),
  ...goalsOf('ingest', 'CPU time of the ingesting process; ClickHouse is another one', [
    [
      'ingest, Kafka to a ClickHouse server',
      'hitsPerSecondPerCore',
      250_000,
      'hits a second and core',
      'waymark, server of its own',
    ],
  ]),
  ...goalsOf('analytics-endpoints', 'answers over HTTP one after another; runs only when it is named', [
    ['analytics, 10 million hits of 100 million, slowest p95', 'p95Ms', 100, 'ms'],
  ]),
  ...goalsOf('replay', 'CPU time of the process, the engine included', [
    [
      'replay of a draft, hardly two visits alike',
      'visitsPerSecondPerCore',
      200_000,
      'visits a second and core',
      'waymark, different visits',
    ],
  ]),
  ...goalsOf('control-plane', 'CPU time of the whole product per request', [
    [
      '`GET /get-redirects/me`, 100 redirects',
      'requestsPerSecondPerCore',
      3_000,
      'requests a second and core',
    ],
  ]),
];
