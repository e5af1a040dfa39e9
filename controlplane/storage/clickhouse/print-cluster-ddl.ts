import { readMigrations } from '../postgres/migrations.js';
import { clusterDdl } from './cluster-ddl.js';
import { clickhouseMigrationsFolder } from './migrate.js';

/** Prints the statements that create the tables on a ClickHouse cluster; see deploy/clickhouse/cluster.md. */
const [cluster] = process.argv.slice(2);
if (cluster === undefined) {
  process.stderr.write('print-cluster-ddl takes the name of the cluster, as remote_servers names it\n');
  process.exitCode = 2;
} else {
  const statements = clusterDdl(await readMigrations(clickhouseMigrationsFolder()), cluster);
  process.stdout.write(statements.map((statement) => `${statement};\n\n`).join(''));
}
