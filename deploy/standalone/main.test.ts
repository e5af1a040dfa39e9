import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { startForTest, startProduct, withDataDir, withEmptyDataDir } from '../e2e/product.fixture.js';

const ENTRY = path.join(packageRoot(), 'dist', 'deploy', 'standalone', 'main.js');

test('a start that is stopped or fails leaves nothing behind, and the first token to the one that succeeds', () =>
  withEmptyDataDir(async (dataDir) => {
    expect(await stopWhileStarting(dataDir), 'exit code').toBe(0);
    expect(await readdir(dataDir)).not.toContain('waymark.lock');

    const port = await usedPort();
    for (const name of ['API_PORT', 'REDIRECT_PORT', 'ADMIN_PORT']) {
      const failure = startProduct({ dataDir, environment: { [name]: port, LOG_LEVEL: 'fatal' } });
      const { message } = (await failure.catch((error: unknown) => error)) as Error;
      expect(message).toMatch(/ ended at start with 1; it printed:\n(?:First start: .*\n)?.*\n$/);
      expect(message).toContain(name);
      expect(message).toContain(port);
      expect(await readdir(dataDir)).not.toContain('waymark.lock');
    }

    const product = await startProduct({ dataDir });
    onTestFinished(async () => void (await product.end('SIGTERM')));
    expect(product.token).toMatch(/^wm_/);
    expect((await product.api('GET', '/get-redirects/me')).status).toBe(200);
  }));

test('a stop ends in order, though servers do not answer and clients never finish', () =>
  withDataDir(async (dataDir) => {
    const silent = await silentServer();
    const product = await startForTest({
      dataDir,
      environment: { KAFKA_BROKERS: silent, REDIS_URL: `redis://${silent}`, LOG_LEVEL: 'fatal' },
    });
    // The counted visit is on its way to Kafka.
    await product.visit('unknown.example', '/');
    const { apiAddress, redirectAddress, adminAddress } = product;
    for (const address of [apiAddress, redirectAddress, adminAddress]) await beginRequest(address);
    expect(await product.end('SIGTERM'), 'exit code').toBe(0);
    expect(await readdir(dataDir)).not.toContain('waymark.lock');
  }));

test.each([
  { wrong: { BOOTSTRAP_EMAIL: 'notanemail' }, said: /^BOOTSTRAP_EMAIL takes an e-mail address.*\n$/ },
  { wrong: { API_PORT: '8080', REDIRECT_PORT: '8080' }, said: /^API_PORT and REDIRECT_PORT .* 8080 .*\n$/ },
])('a start with $wrong is refused in one line before anything is written', ({ wrong, said }) =>
  withEmptyDataDir(async (dataDir) => {
    const failure = await startProduct({ dataDir, environment: wrong }).catch((error: unknown) => error);
    const [how, printed] = (failure as Error).message.split(/; it printed:\n/);
    expect(how).toContain('ended at start with 1');
    expect(printed).toMatch(said);
    expect(await readdir(dataDir)).toEqual([]);
  }),
);

/** Accepts connections and never answers, until the test ends. @returns host and port */
async function silentServer(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {}).resume()));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a part of a request, and leaves it at that. */
async function beginRequest(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('POST /verify-domain HTTP/1.1\r\nHost: x.example\r\nContent-Length: 9\r\n\r\n{');
}

async function stopWhileStarting(dataDir: string): Promise<number | null> {
  const { PATH, HOME } = processEnvironment();
  const child = spawn(process.execPath, [ENTRY], {
    env: { PATH, HOME, DATA_DIR: dataDir, API_PORT: '0', REDIRECT_PORT: '0', ADMIN_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

/** A port that is in use until the test ends. */
async function usedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}
