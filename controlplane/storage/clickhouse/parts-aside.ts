import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { AnalyticsStore, QueryLimits } from './analytics-store.js';

/** Parts of tables that were put aside because they are damaged, and that no other part replaces. */
export interface PartsAside {
  readonly parts: number;
  /** Number of rows in these parts, if known. */
  readonly rows: number;
}

interface DetachedPart {
  readonly table: string;
  readonly name: string;
  readonly path: string;
}

/** Selects damaged parts. Parts that ClickHouse detaches for other reasons are intact, or contained in another part. */
const DETACHED = `SELECT d.table AS table, d.name AS name, d.path AS path
  FROM system.detached_parts AS d
  LEFT JOIN (SELECT table, partition_id, groupArray((min_block_number, max_block_number)) AS ranges
    FROM system.parts WHERE active AND rows > 0 AND database = currentDatabase() GROUP BY table, partition_id) AS p
  ON p.table = d.table AND p.partition_id = d.partition_id
  WHERE d.database = currentDatabase() AND (d.reason = '' OR startsWith(d.reason, 'broken'))
    AND NOT arrayExists(range -> range.1 <= d.min_block_number AND range.2 >= d.max_block_number, p.ranges)`;

/** Finds the damaged parts of an embedded store that were put aside. */
export async function findPartsAside(store: AnalyticsStore): Promise<PartsAside> {
  const found = await store.query<DetachedPart>(DETACHED);
  const rows = await Promise.all(found.map(rowsOf));
  return { parts: found.length, rows: rows.reduce((sum, count) => sum + count, 0) };
}

async function rowsOf(part: DetachedPart): Promise<number> {
  const text = await readFile(path.join(part.path, 'count.txt'), 'utf8').catch(() => '');
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0;
}

/** Time limit for reading a part. It can have many gigabytes, and a disk may read 100 MB a second. */
const CHECK_LIMITS: QueryLimits = { withinMs: 6 * 3_600_000, isBackground: true };

interface CheckedPart {
  readonly part_path: string;
  readonly is_passed: number;
  readonly message: string;
}

/**
 * Reads every part of every table, and puts damaged ones aside: statements and merges that read them fail.
 *
 * @returns their number
 */
export async function putDamagedPartsAside(store: AnalyticsStore, logger: Logger): Promise<number> {
  const tables = await store.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
  );
  let count = 0;
  for (const { name: table } of tables) {
    const checked = await store.query<CheckedPart>(`CHECK TABLE ${identifier(table)}`, {}, CHECK_LIMITS);
    for (const { part_path: part, message } of checked.filter(({ is_passed }) => is_passed === 0)) {
      await store.command(`ALTER TABLE ${identifier(table)} DETACH PART {part:String}`, { part });
      const [problem] = message.split('\n');
      logger.error({ table, part, problem }, 'a damaged part of the statistics was put aside');
      count += 1;
    }
  }
  return count;
}

function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** Shows to Prometheus the parts that were put aside, for a store that does that. */
export function registerPartsAside(registry: Registry, partsAside: () => PartsAside | undefined): void {
  if (partsAside() === undefined) return;
  const metrics = [
    [
      'parts',
      'Damaged parts of the embedded statistics that were put aside, and that no other part replaces.',
    ],
    [
      'rows',
      'Rows in damaged parts of the embedded statistics that were put aside, as far as they can be told.',
    ],
  ] as const;
  for (const [key, help] of metrics) {
    new Gauge({
      name: `waymark_statistics_${key}_aside`,
      help,
      registers: [registry],
      collect() {
        this.set(partsAside()?.[key] ?? 0);
      },
    });
  }
}
