import type { AnalyticsStore, QueryParams } from './analytics-store.js';

/** Returns the table that holds the rows of `name` on each shard of a cluster. */
export function localTableName(name: string): string {
  return `${name}_local`;
}

/** Engine definition of a distributed table: `Distributed('cluster', 'database', 'table', …)`. */
const DISTRIBUTED = /^Distributed\('([A-Za-z0-9_.-]+)', '[^']*', '(\w+)'/;

/**
 * A statement that changes stored rows, or data that is stored with them, in two parts. The name of the table goes
 * between them.
 */
export interface RowChange {
  readonly table: string;
  /** Rest of the statement after the table's name: `UPDATE … WHERE …`, `DELETE WHERE …` or `ADD PROJECTION …`. */
  readonly change: string;
  readonly params: QueryParams;
}

/**
 * Changes stored rows (`ALTER TABLE`). The store records the change and applies it in the background. On a cluster
 * every shard gets the statement, because a distributed table holds no rows.
 *
 * @throws AnalyticsStoreError
 */
export async function changeRows(
  store: Pick<AnalyticsStore, 'query' | 'command'>,
  { table, change, params }: RowChange,
): Promise<void> {
  const [found] = await store.query<{ engine: string }>(
    'SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
    { table },
  );
  await store.command(`ALTER TABLE ${rowsOf(table, found?.engine ?? '')} ${change}`, params);
}

/** @param engine of the table, with its arguments */
function rowsOf(table: string, engine: string): string {
  const [, cluster, local] = DISTRIBUTED.exec(engine) ?? [];
  return cluster === undefined || local === undefined ? table : `${local} ON CLUSTER '${cluster}'`;
}
