import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import type { Database } from '../../controlplane/storage/postgres/database.js';
import { openPostgresServer } from '../../controlplane/storage/postgres/postgres-server.js';
import { createClickhouse } from '../../deploy/faults/servers/clickhouse.js';
import { createPostgres, findPostgres } from '../../deploy/faults/servers/postgres.js';
import { createRedis, type RedisServer } from '../../deploy/faults/servers/redis.js';
import { createServerFolder } from '../../deploy/faults/servers/server-folder.js';
import { findProgram } from '../harness/find-program.js';
import { onAllCores } from '../harness/processor-cores.js';
import {
  createControlplane,
  createDataplane,
  NICENESS_BESIDE_VISITORS,
  type Role,
} from '../product/roles.js';
import type { ResultRow } from '../scenarios/results.js';
import type { Bench, Scenario } from '../scenarios/scenario.js';

/** An address without a server. Nothing is recorded, so there is nothing to deliver. */
const NO_KAFKA = '127.0.0.1:1';
const AUTOGROUP = '/proc/sys/kernel/sched_autogroup_enabled';
const SMALL_DATABASE = 'small';

/** Lines for a report: how the processes of an installation share the machine. */
export function describeSharing(): readonly string[] {
  const lines = [
    '- Servers, roles and load share all cores of the machine. PostgreSQL and Redis have their default settings.',
    `- PostgreSQL and the control plane have nice ${NICENESS_BESIDE_VISITORS}, the weight that units and containers in \`deploy/\` give them beside a data plane.`,
  ];
  if (!isAutogroupOn()) return lines;
  return [
    ...lines,
    '- The kernel ignored it between these processes: `kernel.sched_autogroup_enabled` was 1.',
  ];
}

/** Returns whether nice values apply inside a session only (sched(7)). Each process here has its own session. */
function isAutogroupOn(): boolean {
  return existsSync(AUTOGROUP) && readFileSync(AUTOGROUP, 'utf8').trim() === '1';
}

/** The roles of the product on separate servers, and a small installation to compare with. */
export interface Installation {
  readonly redis: RedisServer;
  readonly databaseUrl: string;
  readonly database: Database;
  readonly controlplanes: readonly [Role, Role];
  readonly dataplanes: readonly [Role, Role];
  /** The small installation has its own database and Redis, on the same servers and cores. */
  readonly small: { readonly controlplane: Role; readonly database: Database };
}

/** Returns the members of a scenario that measures an installation on all cores. */
export function onInstallation<Result extends ResultRow>(
  measure: (bench: Bench, installation: Installation) => Promise<Result>,
  report: (result: Result) => string,
): Pick<Scenario, 'missing' | 'run'> {
  return {
    missing() {
      if (findProgram('redis-server', '--version') === undefined) return 'redis-server is not installed';
      return findPostgres() === undefined ? 'PostgreSQL is not installed' : undefined;
    },
    run: (bench) =>
      onAllCores(bench.cores, () =>
        withInstallation(bench, async (installation) => {
          const result = await measure(bench, installation);
          return { results: [result], report: report(result) };
        }),
      ),
  };
}

/** Does `work` with an installation that is empty and does not run yet. It is gone afterwards. */
async function withInstallation<T>(
  { processes, cores, services, workFolder }: Bench,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const bench = {
    processes,
    cores,
    services,
    workFolder: await mkdtemp(path.join(workFolder, 'installation-')),
  };
  const folder = await createServerFolder(false);
  const postgres = await createPostgres(folder, {
    settings: ['track_commit_timestamp=on'],
    niceness: NICENESS_BESIDE_VISITORS,
  });
  const [redis, redisOfSmall] = [await createRedis(folder), await createRedis(folder)];
  const clickhouse = await createClickhouse(folder);
  const servers = [postgres.server, redis.server, redisOfSmall.server, clickhouse.server];
  const databases: Database[] = [];
  const open = (url: string) => {
    const database = openPostgresServer(url, pino({ level: 'silent' }));
    databases.push(database);
    return database;
  };
  try {
    await Promise.all(servers.map((server) => server.start()));
    const database = open(postgres.url);
    await database.session((connection) => connection.query(`CREATE DATABASE ${SMALL_DATABASE}`));
    const urls = { database: postgres.url, redis: redis.url, clickhouse: clickhouse.url };
    const smallUrl = Object.assign(new URL(postgres.url), { pathname: `/${SMALL_DATABASE}` }).href;
    const smallUrls = { ...urls, database: smallUrl, redis: redisOfSmall.url };
    return await work({
      redis,
      databaseUrl: postgres.url,
      database,
      ...(await createRoles(bench, urls)),
      small: {
        controlplane: await createControlplane(bench, 'controlplane-small', controlplaneUrls(smallUrls)),
        database: open(smallUrl),
      },
    });
  } finally {
    bench.processes.killAll();
    await Promise.all(databases.map((database) => database.close()));
    await Promise.all(servers.map((server) => server.kill()));
    await clickhouse.gate.close();
    folder.remove();
  }
}

interface Urls {
  readonly database: string;
  readonly redis: string;
  readonly clickhouse: string;
}

function controlplaneUrls({ database, redis, clickhouse }: Urls) {
  return { DATABASE_URL: database, REDIS_URL: redis, CLICKHOUSE_URL: clickhouse };
}

async function createRoles(
  bench: Pick<Bench, 'processes' | 'cores' | 'services' | 'workFolder'>,
  urls: Urls,
): Promise<Pick<Installation, 'controlplanes' | 'dataplanes'>> {
  const controlplane = (name: string) => createControlplane(bench, name, controlplaneUrls(urls));
  const first = await controlplane('controlplane-1');
  const dataplane = (name: string) =>
    createDataplane(bench, name, {
      REDIS_URL: urls.redis,
      KAFKA_BROKERS: bench.services.kafkaBrokers?.join(',') ?? NO_KAFKA,
      CONTROL_PLANE_URL: `http://127.0.0.1:${first.port}`,
    });
  return {
    controlplanes: [first, await controlplane('controlplane-2')],
    dataplanes: [await dataplane('dataplane-1'), await dataplane('dataplane-2')],
  };
}
