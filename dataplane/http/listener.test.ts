import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anyAddress } from '../../shared/config/any-address.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { createTestListener, openVisitorPort, visitorTarget } from './visitor-port.fixture.js';

const REDIRECTS = [redirectOf('a.example')];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    socket.once('connect', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

describe('listening', () => {
  it('fails with the address and the variable when another listener has the port', async () => {
    const port = await freePort();
    const first = createTestListener(() => {});
    onTestFinished(() => first.drain(0));
    await first.listen(visitorTarget(port));
    await expect(createTestListener(() => {}).listen(visitorTarget(port))).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: the port is in use. Set REDIRECT_PORT to another one.`,
    );
  });

  it('fails likewise when some other program has it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(createTestListener(() => {}).listen(visitorTarget(port))).rejects.toThrow(
      'the port is in use',
    );
  });

  it('shares its port with another listener when both are told so, and then both answer', async () => {
    const target = { ...visitorTarget(await freePort()), isShared: true };
    const answered = { first: 0, second: 0 };
    for (const name of ['first', 'second'] as const) {
      const listener = createTestListener((res) => {
        answered[name] += 1;
        res.end(name);
      });
      onTestFinished(() => listener.drain(0));
      await listener.listen(target);
    }
    // The kernel deals connections out by a hash of their ports: 64 for one of two alone is a chance of 2^-63.
    for (let visits = 0; visits < 64; visits += 1) await exchange(target.port, request('/', 'a.example'));
    expect(answered.first).toBeGreaterThan(0);
    expect(answered.second).toBeGreaterThan(0);
  });

  it('fails with the variable of the host when that is not of this machine', async () => {
    await expect(createTestListener(() => {}).listen(visitorTarget(0, '192.0.2.1'))).rejects.toThrow(
      'Cannot listen on 192.0.2.1:0: the address is none of this machine. Set REDIRECT_HOST to another one.',
    );
  });

  it.runIf(anyAddress() === '::')(
    'takes IPv4 and IPv6 on ::, and names IPv4 visitors by their IPv4 address',
    async () => {
      const { port, recorder } = await openVisitorPort(REDIRECTS, { host: '::' });
      for (const host of ['127.0.0.1', '::1']) {
        expect((await exchange(port, request('/', 'a.example'), host)).statusCode).toBe(301);
      }
      expect(recorder.hits.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    },
  );

  it.runIf(anyAddress() === '::')('believes a trusted IPv4 proxy that connects to ::', async () => {
    const { port, recorder } = await openVisitorPort(REDIRECTS, {
      host: '::',
      trustedProxies: ['127.0.0.0/8'],
    });
    await exchange(port, request('/', 'a.example', { headers: ['X-Forwarded-For: 192.0.2.7'] }));
    expect(recorder.hits.map(({ address }) => address)).toEqual(['192.0.2.7']);
  });

  it('fails when a program has the port on IPv4 and this one wants all addresses', async () => {
    const other = createServer().listen(0, '0.0.0.0');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const listener = createTestListener(() => {});
    await expect(listener.listen(visitorTarget(port, anyAddress()))).rejects.toThrow('the port is in use');
  });
});

describe('draining', () => {
  it('refuses new connections and gives those open their answer, the last one', async () => {
    const { port, listener } = await openVisitorPort(REDIRECTS);
    const kept = await openConnection(port);
    kept.send(request('/', 'a.example'));
    expect((await kept.answer()).headers).not.toHaveProperty('connection');

    const drained = listener.drain(20_000);
    expect(await isRefused(port)).toBe(true);
    kept.send(request('/', 'a.example'));
    const last = await kept.answer();
    expect(last.statusCode).toBe(301);
    expect(last.headers).toMatchObject({ connection: 'close' });
    await kept.closed();
    await drained;
  });

  it('tells clients to close after a HEAD of an unknown host as well', async () => {
    const { port, listener } = await openVisitorPort(REDIRECTS);
    const kept = await openConnection(port);
    kept.send(request('/', 'a.example'));
    await kept.answer();
    const drained = listener.drain(50);
    kept.send(request('/', 'unknown.example', { method: 'HEAD' }));
    expect((await kept.answer(true)).headers).toMatchObject({ connection: 'close' });
    await drained;
  });

  it('closes idle connections after the grace', async () => {
    const { port, listener } = await openVisitorPort(REDIRECTS);
    const idle = await openConnection(port);
    idle.send(request('/', 'a.example'));
    await idle.answer();
    expect(listener.connections()).toBe(1);
    await listener.drain(20);
    expect(await idle.closed()).toBe('');
    expect(listener.connections()).toBe(0);
  });

  it('gives the port back at once, so that a restart can have it', async () => {
    const port = await freePort();
    const first = createTestListener((res) => void res.end('first'));
    await first.listen(visitorTarget(port));
    const open = await openConnection(port);
    open.send(request('/', 'a.example'));
    await open.answer();
    // The side that closes first keeps the connection in TIME_WAIT.
    await first.drain(0);
    await open.closed();
    const next = createTestListener((res) => void res.end('next'));
    onTestFinished(() => next.drain(0));
    expect(await next.listen(visitorTarget(port))).toEqual({ host: '127.0.0.1', port });
    expect((await exchange(port, request('/', 'a.example'))).body).toBe('next');
  });

  it('is over at once when it never began', async () => {
    await createTestListener(() => {}).drain(600_000);
  });
});
