import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from './analytics-store.fixture.js';
import type { AnalyticsStore } from './analytics-store.js';
import { startClickhouseServer, type TestServer } from './clickhouse-server.fixture.js';
import { openStoreInBackground } from './open-store-in-background.js';

let folder: string;
let clickhouse: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-server-'));
  clickhouse = await startClickhouseServer(path.join(folder, 'engine'));
});
afterAll(async () => {
  await clickhouse.close();
  await rm(folder, { recursive: true, force: true });
});

const rows = (store: AnalyticsStore) => store.query('SELECT count() AS hits FROM hits');

/** Returns an address without a listener, and a function that starts a server there. */
async function addressOf(
  answer: (server: Server) => void,
): Promise<{ url: string; listen(): Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  answer(server);
  return {
    url: `http://default:@127.0.0.1:${port}/default`,
    async listen() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

async function open(clickhouseUrl: string, firstWaitMs = 20_000): Promise<AnalyticsStore> {
  const config = { clickhouseUrl, dataDir: '/nonexistent' };
  const pace = { firstWaitMs, retryIntervalMs: 10 };
  const store = await openStoreInBackground(config, silentLogger, { pace });
  onTestFinished(() => store.close());
  return store;
}

/** Hands every request on to ClickHouse. */
function forward(server: Server): void {
  server.on('request', async (request, response) => {
    const chunks = await request.toArray();
    const target = new URL(request.url ?? '/', clickhouse.url);
    target.username = '';
    const encoding = request.headers['content-encoding'];
    const answer = await fetch(target, {
      method: request.method ?? 'GET',
      ...(encoding !== undefined && { headers: { 'content-encoding': encoding } }),
      ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
}

describe('a store that is opened in the background', () => {
  it('is ready at once when its server is there', async () => {
    expect(await rows(await open(clickhouse.url))).toEqual([{ hits: 0 }]);
  });

  it('refuses everything as unavailable while its server is away, and is ready when that is back', async () => {
    const { url, listen } = await addressOf(forward);
    const store = await open(url);
    const unavailable = { failure: 'unavailable' };
    await expect(rows(store)).rejects.toMatchObject(unavailable);
    await expect(store.command('SELECT 1')).rejects.toMatchObject(unavailable);
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await listen();
    await expect.poll(() => rows(store).catch(() => undefined)).toEqual([{ hits: 0 }]);
    await store.ping();
  });

  it('does not wait for a server that takes connections and says nothing', async () => {
    const { url, listen } = await addressOf(() => {});
    await listen();
    await expect(rows(await open(url, 50))).rejects.toMatchObject({ failure: 'unavailable' });
  });

  it('is not complained about when a stop ends its opening', async () => {
    let attempts = 0;
    const { url, listen } = await addressOf((server) => server.on('request', () => (attempts += 1)));
    await listen();
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line) => lines.push(line) });
    const stopping = new AbortController();
    const pace = { firstWaitMs: 50, retryIntervalMs: 10 };
    const config = { clickhouseUrl: url, dataDir: '/nonexistent' };
    const store = await openStoreInBackground(config, logger, { pace, signal: stopping.signal });
    await expect.poll(() => attempts).toBe(2);
    stopping.abort();
    // Lets the callbacks of the abort run.
    await setImmediate();
    await store.close();
    expect(lines).toEqual([]);
  });

  it('is refused by a server that has something against it', async () => {
    const { url, listen } = await addressOf((server) =>
      server.on('request', (_request, response) =>
        response
          .writeHead(403, { 'X-ClickHouse-Exception-Code': '516' })
          .end('Code: 516. DB::Exception: default: Authentication failed (AUTHENTICATION_FAILED)'),
      ),
    );
    await listen();
    await expect(open(url)).rejects.toMatchObject({ name: 'ConfigError', cause: { failure: 'failed' } });
  });
});
