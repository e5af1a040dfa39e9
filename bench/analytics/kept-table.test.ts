import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readKeptTable, writeKeptTable } from './kept-table.js';

const table = { redirectId: 'rd_1', hits: 200, hitsOfRedirect: 100, days: 30, lastDay: '2026-11-22' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-kept-table-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a folder that is empty or missing has no table', async () => {
  expect(await readKeptTable(folder)).toBeUndefined();
  expect(await readKeptTable(path.join(folder, 'missing'))).toBeUndefined();
});

it('a filled table is found again', async () => {
  await writeKeptTable(folder, table);
  expect(await readKeptTable(folder)).toEqual(table);
});

it('a folder with something else in it, as a table that was not filled to the end, is refused', async () => {
  await writeFile(path.join(folder, 'ruleset.snapshot'), '');
  await expect(readKeptTable(folder)).rejects.toThrow(/not filled to the end/);
});
