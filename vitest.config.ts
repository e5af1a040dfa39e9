import { configDefaults, defineConfig } from 'vitest/config';
import { processEnvironment } from './shared/config/process-environment.js';

const { DATABASE_URL, REDIS_URL, KAFKA_BROKERS } = processEnvironment();
const isServed = [DATABASE_URL, REDIS_URL, KAFKA_BROKERS].every((server) => server !== undefined);
// What only real servers can show; `npm run test:services` brings them, and without one of them none of these runs.
const serviceTests = isServed ? [] : ['**/*.services.test.ts'];

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...serviceTests],
    include: ['{shared,dataplane,controlplane,deploy,bench}/**/*.test.ts'],
    setupFiles: ['vitest.setup.ts'],
    globalSetup: ['controlplane/database/embedded-template.fixture.ts'],
    // Two cores are the smallest machine this must pass on; chDB and PGlite each want most of one.
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
