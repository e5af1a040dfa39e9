import { expect, test } from 'vitest';
import { reconcilePages } from './reconcile-pages.js';

const IDS = Array.from({ length: 250 }, (_, index) => `id-${String(index).padStart(3, '0')}`);

function listed(ids: readonly string[]) {
  const asked: string[] = [];
  const pages = {
    list: async ({ after, limit }: { after: string; limit: number }) =>
      ids.filter((id) => id > after).slice(0, limit),
    async tryOne(id: string) {
      asked.push(id);
      return !id.endsWith('7');
    },
  };
  return { pages, asked };
}

test.each([0, 1, 99, 100, 101, 250])('asks about each of %i, once and in order', async (count) => {
  const { pages, asked } = listed(IDS.slice(0, count));
  const reconciled = await reconcilePages(pages, undefined);
  expect(asked).toEqual(IDS.slice(0, count));
  expect(reconciled).toEqual({ checked: count, failed: asked.filter((id) => id.endsWith('7')).length });
});

test('asks no further once it is to stop', async () => {
  const stopping = new AbortController();
  const { pages, asked } = listed(IDS);
  const tryOne = (id: string) => {
    if (id === 'id-120') stopping.abort();
    return pages.tryOne(id);
  };
  expect(await reconcilePages({ ...pages, tryOne }, stopping.signal)).toMatchObject({ checked: 121 });
  expect(asked.at(-1)).toBe('id-120');
});
