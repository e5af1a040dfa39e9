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
    text: '10 rules a host, sampling 1, hits handed over',
    scenario: 'rules-10-sampled',
    field: 'ratioToNginx',
    limit: 1.15,
    unit: "× nginx's plain redirect",
    method: PLAIN_METHOD,
  },
  {
    text: 'the same',
    scenario: 'rules-10-sampled',
    field: 'ratioToUws',
    limit: 1.2,
    unit: '× uWS constant answer',
    method: PLAIN_METHOD,
  },
  {
    text: '1,000 rules on one host',
    scenario: 'rules-1000',
    field: 'ratioToRules10',
    limit: 1.25,
    unit: '× 10 rules',
    method: PLAIN_METHOD,
  },
  {
    text: '1,000,000 hosts',
    scenario: 'hosts-1m',
    field: 'ratioToHosts1k',
    limit: 1.1,
    unit: '× 1,000 hosts',
    method: PLAIN_METHOD,
  },
  {
    text: '1,000,000 plain redirects, resident',
    scenario: 'hosts-1m',
    field: 'rssMiB',
    limit: 350,
    unit: 'MiB',
    method: 'resident memory of the data plane after the rounds',
  },
  {
    text: '1,000,000 plain redirects, cold start from disk',
    scenario: 'hosts-1m',
    field: 'coldStartSeconds',
    limit: 5,
    unit: 's',
    method: 'from the start of the process until it answers',
  },
  {
    text: '10,000 compiled hosts × 10 rules',
    scenario: 'rules-10-sampled',
    field: 'rulesMiB',
    limit: 100,
    unit: 'MiB',
    method: 'in use after a garbage collection, beyond the same hosts without rules',
  },
  {
    text: 'commit in the database to applied in the data plane, p99',
    scenario: 'propagation',
    field: 'p99Ms',
    limit: 20,
    unit: 'ms',
    method: 'from the commit, where PostgreSQL notes it, to the first answer by it',
  },
  {
    text: 'p99 latency while 1,000 rule changes a second arrive',
    scenario: 'updates',
    field: 'ratioToQuiet',
    limit: 1.5,
    unit: '× quiet p99',
    method: 'fixed rate, quiet and disturbed rounds in turn',
  },
  {
    text: 'p99 latency with Kafka down',
    scenario: 'kafka-down',
    field: 'ratioToQuiet',
    limit: 1.1,
    unit: '× quiet p99',
    method: 'fixed rate, before and after the broker was killed; a request that fails fails the run',
  },
  {
    text: 'p99 latency with Redis down',
    scenario: 'redis-down',
    field: 'ratioToQuiet',
    limit: 1.1,
    unit: '× quiet p99',
    method: 'fixed rate, before and after Redis was killed; a request that fails fails the run',
  },
  {
    text: 'ingest, Kafka to ClickHouse',
    scenario: 'ingest',
    field: 'hitsPerSecondPerCore',
    limit: 150_000,
    isLeast: true,
    unit: 'hits a second and core',
    method: 'CPU time of the ingesting process, the embedded engine included',
  },
  {
    text: 'the same into a server of its own',
    scenario: 'ingest',
    server: 'waymark, server of its own',
    field: 'hitsPerSecondPerCore',
    limit: 150_000,
    isLeast: true,
    unit: 'hits a second and core',
    method: 'CPU time of the ingesting process; ClickHouse is another one',
  },
  {
    text: 'analytics, 10 million hits of 100 million, slowest p95',
    scenario: 'analytics-endpoints',
    field: 'p95Ms',
    limit: 150,
    unit: 'ms',
    method: 'answers over HTTP one after another; runs only when it is named',
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
