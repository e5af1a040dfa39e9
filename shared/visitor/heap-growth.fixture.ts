import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of the heap that are taken for good by what `make` makes, which stays in memory until they are counted. */
export function heapGrowthOf(make: () => unknown): { readonly bytes: number; readonly made: unknown } {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const made = make();
  collectGarbage();
  return { bytes: process.memoryUsage().heapUsed - before, made };
}
