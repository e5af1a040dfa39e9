import { type KeptTable, readKeptTable, writeKeptTable } from '../analytics/kept-table.js';
import { fillLargeTable } from '../analytics/large-table.js';
import { formatWhole } from '../report/table.js';
import type { Bench } from '../scenarios/scenario.js';
import { type Product, startProduct } from './product.js';
import { startProductWithPast } from './product-with-past.js';

const MAX_HITS_OF_REDIRECT = 10_000_000;
const OTHER_REDIRECTS = 5_000;
const DAYS = 30;

export interface ProductWithTable {
  readonly product: Product;
  readonly table: KeptTable;
}

/**
 * A product with a large table of hits. Uses the table that an earlier run left in `dataDir`. Otherwise it fills a new
 * table, which stays there.
 *
 * @param hits number of hits of a new table
 * @throws if `dataDir` holds anything else, or a table with another number of hits than the command line requests
 */
export async function startProductWithTable(bench: Bench, hits: number): Promise<ProductWithTable> {
  const { dataDir } = bench;
  const kept = dataDir === undefined ? undefined : await readKeptTable(dataDir);
  if (dataDir === undefined || kept === undefined) return startWithNewTable(bench, hits);
  if (bench.hits !== undefined && bench.hits !== kept.hits) {
    throw new Error(
      `${dataDir} has a table of ${kept.hits} hits: leave out --hits, or name another folder with --data`,
    );
  }
  bench.say(`with the ${formatWhole(kept.hits)} hits that are in ${dataDir}`);
  return { product: await startProduct({ ...bench, dataDir }), table: kept };
}

async function startWithNewTable(bench: Bench, hits: number): Promise<ProductWithTable> {
  const hitsOfRedirect = Math.min(MAX_HITS_OF_REDIRECT, Math.ceil(hits / 2));
  const sizes = { hits, hitsOfRedirect, days: DAYS };
  bench.say(`filling in ${formatWhole(hits)} hits`);
  const { product, redirectId } = await startProductWithPast(bench, {
    host: 'large.localhost',
    destination: 'https://destination.example/',
    dataDir: bench.dataDir,
    addPast: (dataDir, id) =>
      fillLargeTable(dataDir, { ...sizes, redirectId: id, otherRedirects: OTHER_REDIRECTS, say: bench.say }),
  });
  const table = { ...sizes, redirectId, lastDay: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length) };
  if (bench.dataDir !== undefined) await writeKeptTable(bench.dataDir, table);
  return { product, table };
}
