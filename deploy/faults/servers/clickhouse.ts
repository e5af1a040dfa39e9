import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ServerFolder } from './server-folder.js';
import { createServerProcess, type ServerProcess } from './server-process.js';
import { createTcpGate, type TcpGate } from './tcp-gate.js';

export interface ClickhouseServer {
  readonly server: ServerProcess;
  /** The gate through which the product connects. */
  readonly gate: TcpGate;
  readonly url: string;
  /**
   * Sends a statement that bypasses the gate.
   *
   * @throws when the server refuses it
   */
  query<Row>(sql: string): Promise<Row[]>;
}

const ENDPOINT = fileURLToPath(new URL('./clickhouse-endpoint.fixture.js', import.meta.url));
const QUERY_TIMEOUT_MS = 30_000;

/** ClickHouse's HTTP interface in front of the embedded engine, in a separate process. It is not started yet. */
export async function createClickhouse(folder: ServerFolder): Promise<ClickhouseServer> {
  const portFile = folder.path('clickhouse.port');
  let port = 0;
  const gate = await createTcpGate({ targetPort: () => port });
  return {
    gate,
    url: `http://default:@127.0.0.1:${gate.port}/default`,
    async query<Row>(sql: string) {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: `${sql} FORMAT JSONEachRow`,
        signal: AbortSignal.timeout(QUERY_TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`ClickHouse refused a query: ${text.slice(0, 300)}`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row);
    },
    server: createServerProcess({
      name: 'ClickHouse',
      command: process.execPath,
      args: [ENDPOINT, folder.path('clickhouse'), portFile],
      environment: folder.environment,
      cwd: folder.root,
      logFile: folder.path('clickhouse.log'),
      isUp: async () => {
        port = Number(await readFile(portFile, 'utf8'));
        return port > 0;
      },
    }),
  };
}
