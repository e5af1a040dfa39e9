import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createTestListener } from '../../dataplane/http/visitor-port.fixture.js';

import { packageRoot } from '../../shared/config/package-root.js';
import { isPortHeldOnlyBy } from './port-owners.js';

const LISTEN = `
  const server = require('node:net').createServer();
  server.listen(Number(process.argv[1]), process.argv[2], () => console.log(server.address().port));
`;

/** Binds the port as workers do, which lets other processes share it. */
const SHARE = `
  import(${JSON.stringify(path.join(packageRoot(), 'dist/dataplane/http/listener.js'))}).then(async (module) => {
    const target = { port: Number(process.argv[1]), host: process.argv[2], hostVariable: 'H', portVariable: 'P' };
    const { freeAddress } = await import(
      ${JSON.stringify(path.join(packageRoot(), 'dist/dataplane/http/listen-address.js'))}
    );
    const address = await freeAddress(target);
    const uws = { keepAliveSeconds: 75, warn: console.error };
    const listener = module.createListener({ onRequest() {}, onForbiddenMethod() {}, uws });
    await listener.listen({ ...target, ...address, isShared: true });
    console.log(address.port);
  });
`;

/** Another process that listens. */
async function startListener(host: string, port = 0, code = LISTEN) {
  const child = spawn(process.execPath, ['-e', code, String(port), host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, port: Number(String(printed)) };
}

async function listenHere(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

async function shareHere(host: string, port: number): Promise<void> {
  const listener = createTestListener(() => {});
  const target = { host, port, hostVariable: 'H', portVariable: 'P', isShared: true };
  onTestFinished(() => listener.drain(0));
  expect((await listener.listen(target)).port).toBe(port);
}

const own = process.pid;

describe.runIf(process.platform === 'linux')('a port', () => {
  test('is held by the process that listens there, and by no other', async () => {
    const { pid, port } = await startListener('127.0.0.1');
    expect(await isPortHeldOnlyBy(port, [pid])).toBe(true);
    expect(await isPortHeldOnlyBy(port, [own, pid])).toBe(true);
    expect(await isPortHeldOnlyBy(port, [own])).toBe(false);
    expect(await isPortHeldOnlyBy(port, [])).toBe(false);
  });

  test('that nobody listens on is held by nobody', async () => {
    const { pid, port } = await startListener('127.0.0.1');
    expect(await isPortHeldOnlyBy(port === 65_535 ? port - 1 : port + 1, [pid])).toBe(false);
  });

  test('is held, whoever listens on the same port of another address', async () => {
    const { pid, port } = await startListener('127.0.0.1');
    await listenHere('127.0.0.2', port);
    expect(await isPortHeldOnlyBy(port, [pid])).toBe(true);
    expect(await isPortHeldOnlyBy(port, [pid, own])).toBe(true);
  });

  test('is not held by one process where a stranger shares it', async () => {
    const { pid, port } = await startListener('127.0.0.1', 0, SHARE);
    expect(await isPortHeldOnlyBy(port, [pid])).toBe(true);
    await shareHere('127.0.0.1', port);
    expect(await isPortHeldOnlyBy(port, [pid])).toBe(false);
    expect(await isPortHeldOnlyBy(port, [pid, own])).toBe(true);
  });

  test('is not held by one process where a stranger has it on all addresses', async () => {
    const { pid, port } = await startListener('127.0.0.1', 0, SHARE);
    await shareHere('0.0.0.0', port);
    expect(await isPortHeldOnlyBy(port, [pid])).toBe(false);
  });
});
