import { fileURLToPath } from 'node:url';
import { startOrdered } from '../load/load-process.js';
import type { Bench } from '../scenarios/scenario.js';
import type { IngestOrder, IngestSetup, StoreOrder } from './ingest-process.js';

const FILE = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const LIMIT_MS = 300_000;

/** The process that moves hits into the store. */
export interface Ingester {
  readonly pid: number;
  /** Resolves to the number of batches once as many hits are stored. @throws when they are more, or cannot be stored */
  store(order: StoreOrder): Promise<number>;
  /** Resolves once the engine has merged what it was given. */
  merge(): Promise<void>;
  end(): Promise<void>;
}

/** Starts it on the core of measured servers. */
export async function startIngester({ processes, cores }: Bench, setup: IngestSetup): Promise<Ingester> {
  const args = [FILE, JSON.stringify(setup)];
  const { pid, give, end } = await startOrdered(processes, { name: 'ingest', args, cores: cores.server });
  const order = <Result>(what: IngestOrder) => give<Result>(what, LIMIT_MS);
  return {
    pid,
    async store(what) {
      const { storedHits, batches } = await order<{ storedHits: number; batches: number }>(what);
      if (storedHits === what.storedHits) return batches;
      throw new Error(`ingest stored ${storedHits} hits where ${what.storedHits} were sent`);
    },
    merge: () => order('merge'),
    end,
  };
}
