import { configDefaults, defineConfig } from 'vitest/config';
import { processEnvironment } from './shared/config/process-environment.js';

// What only a real server can show; `npm run test:services` brings one.
const serviceTests = processEnvironment().DATABASE_URL === undefined ? ['**/*.services.test.ts'] : [];

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...serviceTests],
    include: ['{shared,dataplane,controlplane,deploy,bench}/**/*.test.ts'],
    // Two cores are the smallest machine this must pass on; chDB and PGlite each want most of one.
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
