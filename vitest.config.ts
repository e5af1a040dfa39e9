import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { processEnvironment } from './shared/config/process-environment.js';

const { DATABASE_URL, REDIS_URL, KAFKA_BROKERS } = processEnvironment();
const isServed = [DATABASE_URL, REDIS_URL, KAFKA_BROKERS].every((server) => server !== undefined);
// `npm run test:services` starts the servers that `*.services.test.ts` need. With servers, the control plane's other tests
// use PostgreSQL. Those of ClickHouse and the statistics use no database, so they would only run twice.
const unserved = isServed
  ? ['controlplane/{areas/analytics,storage/clickhouse}/**/!(*.services).test.ts']
  : ['**/*.services.test.ts'];

/**
 * A folder in memory for temporary files, where there is one with room. Tests create and remove thousands of files of
 * databases, which costs a file system on a disk a tenth of the processor time of a run.
 */
function temporaryFolder(): { TMPDIR?: string } {
  const memory = '/dev/shm';
  const hasRoom = () => {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 6 * 1024 ** 3;
  };
  // The data plane loads its HTTP server from a temporary file.
  const allowsExecution = () => {
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm \S+ (\S+)/m)?.[1];
    return mount !== undefined && !mount.split(',').includes('noexec');
  };
  return existsSync(memory) && hasRoom() && allowsExecution() ? { TMPDIR: memory } : {};
}

/** Tests that start processes of the product, or wait for other servers. They wait more than they compute. */
const PRODUCT = [
  'deploy/{e2e,roles,standalone}/**/*.test.ts',
  'deploy/observability.test.ts',
  'controlplane/{areas/certificates,ingest}/*.services.test.ts',
  'controlplane/storage/postgres/postgres-server.services.test.ts',
  'dataplane/hits/*.services.test.ts',
];
/**
 * Tests that take over 10 s: trials of killed, hung and replaced processes, of damaged files and full disks, which start the
 * product many times; the console and pages in a browser; hostile requests that are cut anywhere; visitors of random rules and
 * statistics of random traffic against an oracle.
 */
const LONG = [
  'controlplane/areas/analytics/{oracle/oracle,roll-ups,roll-ups-of-questions,several-route}.test.ts',
  'deploy/backup/backup.test.ts',
  'deploy/e2e/console/*.test.ts',
  'deploy/e2e/{command-line,hostile-segments,rules,sandbox-pages}.test.ts',
  'deploy/e2e/{garbage,garbage-storm,privacy,rules-adversarial,rules-live,ruleset-over-http}.test.ts',
  'deploy/e2e/{crash,crash-restart,lost-database,supervision,take-over}.test.ts',
  'deploy/e2e/{backup,clickhouse-away,damaged-files,import-killed,restored-database,stalled-exports,start-without-room}.test.ts',
  'deploy/e2e/{hung-servers.services,unfinished-heads,unread-answers}.test.ts',
  'deploy/standalone/{data-dir-rights,main}.test.ts',
  'deploy/proxies/sparse-visits.test.ts',
  'deploy/workers/running-worker.test.ts',
  'shared/rules/equivalence.property.test.ts',
];

/** Tests of the state that a process has before other modules are loaded. */
const ALONE = ['{shared/process,dataplane}/quick-strings.test.ts'];

const common = {
  setupFiles: ['vitest.setup.ts'],
  pool: 'forks',
  env: temporaryFolder(),
  // These limits end tests that hang. An overloaded machine takes ten times as long as a quiet one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
} satisfies ViteUserConfig['test'];
const patient = { ...common, testTimeout: 600_000, hookTimeout: 600_000 };
const excluded = [...configDefaults.exclude, ...unserved];

export default defineConfig({
  test: {
    globalSetup: ['shared/process/shared-folder.fixture.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'code',
          setupFiles: [...common.setupFiles, 'shared/process/quick-strings-setup.fixture.ts'],
          include: ['{shared,dataplane,controlplane,deploy,bench}/**/*.test.ts'],
          exclude: [...excluded, ...PRODUCT, ...LONG, ...ALONE],
          // Files share one process and its modules. A new process per file costs more than most tests.
          isolate: false,
          // Two cores are the smallest machine this must pass on; chDB and PGlite each want most of one.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'alone',
          include: ALONE,
          exclude: excluded,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patient,
          name: 'product',
          include: PRODUCT,
          exclude: [...excluded, ...LONG],
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patient,
          name: 'long',
          include: LONG,
          exclude: excluded,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
