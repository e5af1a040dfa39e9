import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withinTime } from '../harness/time-limit.js';
import type { Bench } from '../scenarios/scenario.js';
import type { IngestAnswer, IngestOrder, IngestSetup, StoreOrder } from './ingest-process.js';

const FILE = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const LIMIT_MS = 300_000;
const STOP_GRACE_MS = 2_000;

/** The process that moves hits into the store. */
export interface Ingester {
  readonly pid: number;
  /** Resolves once as many hits are stored. @throws when they are more, or cannot be stored */
  store(order: Omit<StoreOrder, 'type'>): Promise<Extract<IngestAnswer, { type: 'stored' }>>;
  /** Resolves once the engine has merged what it was given. */
  merge(): Promise<void>;
  end(): Promise<void>;
}

/** Starts it on the core of measured servers. */
export async function startIngester({ processes, cores }: Bench, setup: IngestSetup): Promise<Ingester> {
  const launched = await processes.launch(process.execPath, [FILE, JSON.stringify(setup)], {
    cores: cores.server,
    channel: true,
  });
  const ended = launched.ended.then((code): never => {
    throw new Error(`ingest ended with ${code}: ${launched.complaints()}`);
  });
  ended.catch(() => {}); // told to whoever waits for an answer
  async function nextAnswer(): Promise<IngestAnswer> {
    const message = once(launched.child, 'message').then(([said]: IngestAnswer[]) => said);
    const said = await withinTime(Promise.race([message, ended]), LIMIT_MS, 'ingest');
    if (said === undefined || said.type === 'failed') throw new Error(`ingest: ${said?.reason}`);
    return said;
  }
  async function give(order: IngestOrder): Promise<IngestAnswer> {
    const answer = nextAnswer();
    launched.child.send(order);
    return answer;
  }
  await nextAnswer();
  return {
    pid: launched.pid,
    async store(order) {
      const said = await give({ type: 'store', ...order });
      if (said.type !== 'stored' || said.storedHits !== order.storedHits) {
        throw new Error(`ingest stored ${JSON.stringify(said)} where ${order.storedHits} hits were sent`);
      }
      return said;
    },
    async merge() {
      await give({ type: 'merge' });
    },
    end: () => processes.end(launched, STOP_GRACE_MS),
  };
}
