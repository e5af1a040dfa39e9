import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Bench } from '../scenarios/scenario.js';
import { addRedirect, type Product, startProduct } from './product.js';

export interface Past {
  readonly host: string;
  readonly destination: string;
  /** Folder for the data. Default: a temporary one that is removed with the benchmark. */
  readonly dataDir?: string | undefined;
  /** Fills the embedded store while the product is not running. */
  addPast(dataDir: string, redirectId: string): Promise<void>;
}

/** A product with one redirect that has a past. */
export async function startProductWithPast(
  { workFolder, processes, cores }: Pick<Bench, 'workFolder' | 'processes' | 'cores'>,
  { host, destination, dataDir: keptIn, addPast }: Past,
): Promise<{ product: Product; redirectId: string }> {
  const dataDir = keptIn ?? (await mkdtemp(path.join(workFolder, 'product-')));
  await mkdir(dataDir, { recursive: true });
  const options = { processes, cores, dataDir };
  const first = await startProduct(options);
  const { id } = await addRedirect(first, { fromDomain: host, toDomain: destination });
  await first.stop();
  await addPast(dataDir, id);
  return { product: await startProduct(options), redirectId: id };
}
