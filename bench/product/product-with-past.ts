import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Bench } from '../scenarios/scenario.js';
import { addRedirect, type Product, startProduct } from './product.js';

export interface Past {
  readonly host: string;
  readonly destination: string;
  /** Fills the embedded store while the product is not running. */
  addPast(dataDir: string, redirectId: string): Promise<void>;
}

/** A product with one redirect that has a past. */
export async function startProductWithPast(
  { workFolder, processes, cores }: Pick<Bench, 'workFolder' | 'processes' | 'cores'>,
  { host, destination, addPast }: Past,
): Promise<{ product: Product; redirectId: string }> {
  const dataDir = await mkdtemp(path.join(workFolder, 'product-'));
  const options = { processes, cores, dataDir };
  const first = await startProduct(options);
  const { id } = await addRedirect(first, { fromDomain: host, toDomain: destination });
  await first.stop();
  await addPast(dataDir, id);
  return { product: await startProduct(options), redirectId: id };
}
