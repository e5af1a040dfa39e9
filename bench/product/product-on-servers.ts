import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Bench } from '../scenarios/scenario.js';
import { type Product, startProduct } from './product.js';

/** Servers that a product is started with, as named in its result. */
export interface ProductServers {
  readonly database: 'postgresql' | 'embedded';
  readonly rulesets: 'redis' | 'in-process';
}

/**
 * Starts the product on the core for measured servers. Uses PostgreSQL and Redis if the environment names both,
 * otherwise the embedded parts.
 */
export async function startProductOnServers(
  bench: Bench,
  name: string,
): Promise<ProductServers & { readonly product: Product }> {
  const { databaseUrl, redisUrl } = bench.services;
  const dataDir = await mkdtemp(path.join(bench.workFolder, `${name}-`));
  const options = { ...bench, dataDir, runsOn: bench.cores.server };
  if (databaseUrl === undefined || redisUrl === undefined) {
    return { product: await startProduct(options), database: 'embedded', rulesets: 'in-process' };
  }
  const environment = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ALLOW_LOCALHOST_DOMAINS: 'on' };
  return {
    product: await startProduct({ ...options, environment }),
    database: 'postgresql',
    rulesets: 'redis',
  };
}
