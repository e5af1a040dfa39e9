import { expect, it } from 'vitest';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError, type StoreFailure } from '../../storage/clickhouse/store-error.js';
import { createAnalyticsRepository } from './analytics-repository.js';

const cause = new Error('Code: 1. DB::Exception: inner workings');

function failing(error: Error): AnalyticsStore {
  const fail = () => Promise.reject(error);
  const statements = { query: fail, queryLines: fail, queryBlocks: fail, insertRows: fail, command: fail };
  return { kind: 'server', ...statements, ping: fail, close: fail };
}

it.each<[StoreFailure, RegExp]>([
  ['unavailable', /retry later/],
  ['too-heavy', /shorter/],
])('a store that is %s is an answer that says what to do', async (failure, message) => {
  const repository = createAnalyticsRepository(failing(new AnalyticsStoreError(failure, cause)));
  const refusal = repository.delivery('rd_1');
  await expect(refusal).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(message),
  });
  await expect(refusal).rejects.not.toMatchObject({ message: expect.stringContaining('inner workings') });
});

it('any other failure of the store stays one of ours', async () => {
  const error = new AnalyticsStoreError('failed', cause);
  await expect(createAnalyticsRepository(failing(error)).delivery('rd_1')).rejects.toBe(error);
});
