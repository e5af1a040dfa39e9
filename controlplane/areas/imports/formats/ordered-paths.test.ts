import { expect, it } from 'vitest';
import { nginx } from './nginx/nginx.js';
import { rowsOf } from './row-reading.fixture.js';

const rewrites = (sources: readonly string[]) =>
  sources.map((source) => `rewrite ^${source}$ https://new.example/ permanent;`).join('\n');
const patterns = (count: number) => Array.from({ length: count }, (_, at) => `/p${at}/([^/]+)`);

async function remarksOf(sources: readonly string[]): Promise<(string | undefined)[]> {
  const rows = await rowsOf(nginx, rewrites(sources));
  expect(rows.map(({ status }) => status)).toEqual(sources.map(() => 'read'));
  return rows.map((row) => (row.status === 'read' ? row.remark : undefined));
}

it('a pattern that was compared with all earlier ones has no remark', async () => {
  const remarks = await remarksOf([...patterns(1_000), '/last/([^/]+)']);
  expect(remarks.every((remark) => remark === undefined)).toBe(true);
});

it('a pattern that was not compared with all earlier ones says from which line on', async () => {
  const remarks = await remarksOf([...patterns(1_002), '/exact']);
  expect(remarks.map((remark) => remark !== undefined)).toEqual([
    ...Array.from({ length: 1_001 }, () => false),
    true,
    false,
  ]);
  expect(remarks[1_001]).toContain('with line 1001 and those after it');
});

it('no redirect is compared with patterns of more than 64 arrangements', async () => {
  const arrangements = Array.from({ length: 65 }, (_, at) => {
    const bits = [...(at + 1).toString(2).padStart(7, '0')];
    return `/begin${at}${bits.map((bit) => (bit === '0' ? '/l' : '/([^/]+)')).join('')}`;
  });
  const rows = await rowsOf(nginx, rewrites([...arrangements, '/exact']));
  const last = rows.at(-1);
  expect(last).toMatchObject({
    status: 'read',
    remark: expect.stringContaining('too many redirects or patterns'),
  });
});
