import { type Migration, statementsOf } from '../postgres/migrations.js';
import { localTableName } from './table-rows.js';

const CREATE_TABLE =
  /^CREATE TABLE IF NOT EXISTS (\w+)\s*(\([\s\S]*\))\s*ENGINE = (\w*MergeTree)\b([\s\S]*)$/;
const ADD_COLUMN = /^ALTER TABLE (\w+)\s+(ADD COLUMN IF NOT EXISTS [\s\S]*)$/;
const PROJECTIONS =
  /^ALTER TABLE (\w+)\s+((?:ADD PROJECTION IF NOT EXISTS|MATERIALIZE PROJECTION|DROP PROJECTION IF EXISTS) [\s\S]*)$/;
const CREATE_VIEW = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+)\s+TO (\w+)\b([\s\S]*)$/;

/** Keeps all rows of a redirect on one shard. That shard alone answers queries about it. */
const SHARDING_KEY = 'sipHash64(redirect_id)';
const REPLICA = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;

interface Table {
  readonly name: string;
  readonly columns: string;
  readonly engine: string;
  readonly rest: string;
}

/** A column that a later migration adds, or a change of projections. */
interface Addition {
  readonly table: string;
  readonly addition: string;
  /** Whether it belongs to the rows. A distributed table has none. */
  readonly isOfRows: boolean;
}

interface View {
  readonly name: string;
  readonly target: string;
  readonly rest: string;
}

/**
 * Returns the statements that create the tables of `migrations` on a cluster. Each table becomes two: a replicated
 * `<name>_local` with the rows of one shard, and a distributed table `<name>` over all shards. Both get the columns of
 * later migrations. Views read and write the rows of their own shard.
 *
 * Views and the tables that processes use keep their names. The migrations that every start applies then find all
 * tables and columns in place.
 *
 * @param cluster name of the cluster in the servers' `remote_servers`
 * @throws for an invalid cluster name, and for a statement that it cannot convert
 */
export function clusterDdl(migrations: readonly Migration[], cluster: string): string[] {
  if (!/^[A-Za-z0-9_.-]+$/.test(cluster)) throw new Error(`"${cluster}" is no name of a cluster`);
  const tables: Table[] = [];
  const views: View[] = [];
  const additions: Addition[] = [];
  for (const migration of migrations) {
    for (const statement of statementsOf(migration.sql)) {
      const parsed = parseStatement(statement, migration.name);
      if ('engine' in parsed) tables.push(parsed);
      else if ('addition' in parsed) additions.push(parsed);
      else views.push(parsed);
    }
  }
  const names = tables.map(({ name }) => name);
  // Distributed tables come after their local tables, so an insert through them finds every column and every view.
  // Existing ones then get the columns of later migrations.
  return [
    ...tables.map((table) => localTable(table, cluster)),
    ...additions.map(({ table, addition }) => added(localTableName(table), addition, cluster)),
    ...views.map((view) => localView(view, names, cluster)),
    ...tables.map(({ name }) => distributedTable(name, cluster)),
    ...additions
      .filter(({ isOfRows }) => !isOfRows)
      .map(({ table, addition }) => added(table, addition, cluster)),
  ];
}

/** Returns the table and the rest of a statement that adds, makes or drops projections; undefined for another statement. */
export function changeOfProjections(
  statement: string,
): { readonly table: string; readonly addition: string } | undefined {
  const [, table, addition] = PROJECTIONS.exec(withoutComments(statement)) ?? [];
  return table === undefined || addition === undefined ? undefined : { table, addition };
}

const withoutComments = (statement: string) => statement.replace(/--.*$/gm, '').trim();

function parseStatement(statement: string, migration: string): Table | Addition | View {
  const sql = withoutComments(statement);
  const [, name, columns, engine, rest] = CREATE_TABLE.exec(sql) ?? [];
  if (name !== undefined && columns !== undefined && engine !== undefined && rest !== undefined) {
    if (!/^\s*redirect_id\s/m.test(columns)) {
      throw new Error(`${migration}: ${name} has no redirect_id to be spread over shards by`);
    }
    return { name, columns, engine, rest };
  }
  const [, table, addition] = ADD_COLUMN.exec(sql) ?? [];
  if (table !== undefined && addition !== undefined) return { table, addition, isOfRows: false };
  const projection = changeOfProjections(statement);
  if (projection !== undefined) return { ...projection, isOfRows: true };
  const [, view, target, query] = CREATE_VIEW.exec(sql) ?? [];
  if (view !== undefined && target !== undefined && query !== undefined) {
    return { name: view, target, rest: query };
  }
  throw new Error(`${migration}: no form on a cluster is known for: ${sql.slice(0, 80)}`);
}

function localTable({ name, columns, engine, rest }: Table, cluster: string): string {
  const [, ownArguments, clauses = rest] = /^\(([^()]*)\)([\s\S]*)$/.exec(rest) ?? [];
  const engineArguments = ownArguments?.trim() ? `${REPLICA}, ${ownArguments}` : REPLICA;
  const settings = clauses.replace('non_replicated_deduplication_window', 'replicated_deduplication_window');
  return `CREATE TABLE IF NOT EXISTS ${localTableName(name)} ON CLUSTER '${cluster}' ${columns}
ENGINE = Replicated${engine}(${engineArguments})${settings}`;
}

function added(table: string, addition: string, cluster: string): string {
  return `ALTER TABLE ${table} ON CLUSTER '${cluster}' ${addition}`;
}

function localView({ name, target, rest }: View, tables: readonly string[], cluster: string): string {
  const query = rest.replace(/\b(FROM|JOIN)(\s+)(\w+)\b/g, (whole, word, space, source) =>
    tables.includes(source) ? `${word}${space}${localTableName(source)}` : whole,
  );
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} ON CLUSTER '${cluster}' TO ${localTableName(target)}${query}`;
}

function distributedTable(name: string, cluster: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name} ON CLUSTER '${cluster}' AS ${localTableName(name)}
ENGINE = Distributed('${cluster}', currentDatabase(), '${localTableName(name)}', ${SHARDING_KEY})`;
}
