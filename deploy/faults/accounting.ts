import type { AllowedLoss } from './fault.js';
import { until } from './until.js';
import type { World } from './world.js';

/** Counts of all hits, by the store and by the product. */
export interface Accounts {
  /** Recorded hits as the product reports them: `meta.delivery`, all redirects together. */
  readonly recorded: number;
  /** Different hits in the store. */
  readonly stored: number;
  /** Lost hits as the product reports them: `meta.delivery`. */
  readonly lost: number;
  /** Additional copies in the store. */
  readonly duplicated: number;
  /** Hits that the data planes dropped: `waymark_hits_dropped_total`. */
  readonly dropped: number;
  /** Hits that the data planes report as lost with killed processes: `waymark_hits_lost_total`. */
  readonly killed: number;
  /** Hits that all producers lost, as the control plane reports them: `GET /admin/dataplanes`. */
  readonly lostByProducers: number;
}

interface Stored {
  readonly rows: number;
  readonly hits: number;
}

/** Maximum time until delivered hits are stored, including the time for a killed ingester. */
const SETTLE_TIMEOUT_MS = 150_000;
/**
 * Time without a change after which the numbers are final. Longer than a rebalance after an ingester was killed or
 * cut off from Kafka. After a data plane is killed, hits are always missing, and its spool is searched every 10 s.
 */
const UNCHANGED_FOR_MS = { none: 25_000, dropped: 25_000, killed: 12_000 } as const satisfies Record<
  AllowedLoss,
  number
>;
/** Repetitions arrive after the originals. */
const AFTERMATH_MS = 2_000;

/**
 * Waits until no hit is on its way.
 *
 * @param answered expected number of hits
 * @param allowedLoss whether some of them may be missing
 */
export async function settle(
  { dataplanes, clickhouse }: World,
  answered: number,
  allowedLoss: AllowedLoss,
): Promise<void> {
  const drained = async () => {
    for (const { metric } of dataplanes) {
      for (const name of ['waymark_hits_buffered', 'waymark_hits_spooled', 'waymark_hit_spool_bytes']) {
        if ((await metric(name)) !== 0) return false;
      }
    }
    return true;
  };
  await until(drained, { timeoutMs: SETTLE_TIMEOUT_MS, what: 'the delivery of all hits to Kafka' });
  let last = -1;
  let changedAtMs = performance.now();
  const isStored = async () => {
    const { hits } = await storedIn(clickhouse);
    if (hits !== last) changedAtMs = performance.now();
    last = hits;
    return hits >= answered || performance.now() - changedAtMs > UNCHANGED_FOR_MS[allowedLoss];
  };
  await until(isStored, { timeoutMs: SETTLE_TIMEOUT_MS, intervalMs: 200, what: 'the storing of all hits' });
  const isOver = () => performance.now() - changedAtMs > AFTERMATH_MS;
  await until(async () => (await isStored()) && isOver(), { timeoutMs: SETTLE_TIMEOUT_MS, intervalMs: 200 });
}

interface ProducersAnswer {
  readonly producers: readonly { readonly lost: number }[] | null;
}

interface DeliveryAnswer {
  readonly meta: { readonly delivery: { readonly recorded: number; readonly lost: number } };
}

/** Returns the final figures. */
export async function readAccounts(world: World, redirectIds: readonly string[]): Promise<Accounts> {
  const { rows, hits } = await storedIn(world.clickhouse);
  let recorded = 0;
  let lost = 0;
  for (const id of redirectIds) {
    const path = `/analytics/redirect/${id}/stats/basic`;
    const { status, body } = await world.api.call<DeliveryAnswer>('GET', path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    recorded += body.meta.delivery.recorded;
    lost += body.meta.delivery.lost;
  }
  const [dropped, killed, lostByProducers] = await Promise.all([
    totalOf(world, 'waymark_hits_dropped_total'),
    totalOf(world, 'waymark_hits_lost_total'),
    readLostByProducers(world),
  ]);
  return { recorded, stored: hits, lost, duplicated: rows - hits, dropped, killed, lostByProducers };
}

async function totalOf({ dataplanes }: World, name: string): Promise<number> {
  const totals = await Promise.all(dataplanes.map(({ metric }) => metric(name)));
  return totals.reduce((sum, total) => sum + total, 0);
}

async function readLostByProducers({ api }: World): Promise<number> {
  const path = '/admin/dataplanes';
  const { status, body } = await api.call<ProducersAnswer>('GET', path);
  if (status !== 200 || body.producers === null)
    throw new Error(`${path} answered ${status} without producers`);
  return body.producers.reduce((sum, { lost }) => sum + lost, 0);
}

async function storedIn(clickhouse: World['clickhouse']): Promise<Stored> {
  const sql =
    'SELECT toFloat64(count()) AS rows, toFloat64(uniqExact(producer_id, redirect_id, ordinal)) AS hits FROM hits';
  const [stored] = await clickhouse.query<Stored>(sql);
  return stored ?? { rows: 0, hits: 0 };
}
