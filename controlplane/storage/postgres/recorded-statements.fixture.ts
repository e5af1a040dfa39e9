import type { Database, Queryable } from './database.js';

export interface RecordedStatements {
  /** The database, with every statement recorded. */
  readonly database: Database;
  /** Distinct statements since the last call, with the parameters of one execution. */
  take(): Map<string, readonly unknown[]>;
}

export function recordStatements(database: Database): RecordedStatements {
  let statements = new Map<string, readonly unknown[]>();
  const record = (source: Queryable): Queryable => ({
    query(sql, params) {
      statements.set(sql, params ?? []);
      return source.query(sql, params);
    },
  });
  return {
    database: {
      ...database,
      ...record(database),
      transaction: (work, options) => database.transaction((tx) => work(record(tx)), options),
    },
    take() {
      const taken = statements;
      statements = new Map();
      return taken;
    },
  };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the large tables that PostgreSQL would read as a whole for a statement. */
export async function scannedTables(
  source: Queryable,
  sql: string,
  params: readonly unknown[],
  largeTables: readonly string[],
): Promise<string[]> {
  if (!/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(sql)) return [];
  const [row] = await source.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) ${sql}`,
    params,
  );
  const scanned: string[] = [];
  const visit = (node: PlanNode): void => {
    const table = node['Relation Name'];
    if (node['Node Type'] === 'Seq Scan' && table !== undefined && largeTables.includes(table))
      scanned.push(table);
    for (const child of node.Plans ?? []) visit(child);
  };
  for (const { Plan } of row?.['QUERY PLAN'] ?? []) visit(Plan);
  return scanned;
}
