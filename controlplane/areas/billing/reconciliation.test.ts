import { expect, test } from 'vitest';
import { reconcilePages } from './reconciliation.js';

const IDS = Array.from({ length: 250 }, (_, index) => `id-${String(index).padStart(3, '0')}`);

function listed(ids: readonly string[]) {
  const asked: string[] = [];
  const failed: string[] = [];
  const pages = {
    list: async ({ after, limit }: { after: string; limit: number }) =>
      ids.filter((id) => id > after).slice(0, limit),
    async reconcile(id: string) {
      asked.push(id);
      if (id.endsWith('7')) throw new Error('no answer');
    },
    onFailure: (_error: unknown, id: string) => void failed.push(id),
  };
  return { pages, asked, failed };
}

test.each([0, 1, 99, 100, 101, 250])('asks about each of %i, once and in order', async (count) => {
  const { pages, asked, failed } = listed(IDS.slice(0, count));
  const reconciled = await reconcilePages(pages, undefined);
  expect(asked).toEqual(IDS.slice(0, count));
  expect(failed).toEqual(asked.filter((id) => id.endsWith('7')));
  expect(reconciled).toEqual({ checked: count, failed: failed.length });
});

test('sends no further requests after a stop', async () => {
  const stopping = new AbortController();
  const { pages, asked } = listed(IDS);
  const reconcile = (id: string) => {
    if (id === 'id-120') stopping.abort();
    return pages.reconcile(id);
  };
  expect(await reconcilePages({ ...pages, reconcile }, stopping.signal)).toMatchObject({ checked: 121 });
  expect(asked.at(-1)).toBe('id-120');
});
