import { pino } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdminListener, type Readiness } from './admin-listener.js';

const READY: Readiness = {
  ready: true,
  version: '1700000000.4',
  ageMs: 12,
  state: 'live',
  hosts: 3,
  lastError: null,
};
const NOT_READY: Readiness = {
  ready: false,
  version: null,
  ageMs: null,
  state: 'cold',
  hosts: 0,
  lastError: null,
};

const target = (port: number) => ({
  host: '127.0.0.1',
  port,
  hostVariable: 'ADMIN_HOST',
  portVariable: 'ADMIN_PORT',
});

async function openAdminPort(readiness: () => Readiness = () => READY) {
  const metrics = new Registry();
  new Gauge({ name: 'test_gauge', help: 'A test.', registers: [metrics] }).set(42);
  const admin = createAdminListener({ readiness, metrics, logger: pino({ level: 'silent' }) });
  const { port } = await admin.listen(target(0));
  onTestFinished(() => admin.close());
  return { port, metrics, base: `http://127.0.0.1:${port}` };
}

describe('the admin port', () => {
  it('says that the process is alive', async () => {
    const { base } = await openAdminPort(() => NOT_READY);
    const answer = await fetch(`${base}/healthz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ok' });
  });

  it.each([
    { report: READY, status: 200 },
    { report: NOT_READY, status: 503 },
  ])('answers readiness with $status and the report', async ({ report, status }) => {
    const { base } = await openAdminPort(() => report);
    const answer = await fetch(`${base}/readyz?verbose`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual(report);
  });

  it('shows metrics in the text format', async () => {
    const { base } = await openAdminPort();
    const answer = await fetch(`${base}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await answer.text()).toContain('\ntest_gauge 42\n');
  });

  it('survives metrics that cannot be collected', async () => {
    const { base, metrics } = await openAdminPort();
    new Gauge({
      name: 'broken',
      help: 'Fails.',
      registers: [metrics],
      collect() {
        throw new Error('made to fail');
      },
    });
    expect((await fetch(`${base}/metrics`)).status).toBe(500);
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
  });

  it('has nothing else and takes no other method', async () => {
    const { base } = await openAdminPort();
    expect((await fetch(`${base}/`)).status).toBe(404);
    expect((await fetch(`${base}/healthz`, { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await fetch(`${base}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('fails to listen with the address and the variable when the port is in use', async () => {
    const { port } = await openAdminPort();
    const second = createAdminListener({
      readiness: () => READY,
      metrics: new Registry(),
      logger: pino({ level: 'silent' }),
    });
    await expect(second.listen(target(port))).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: the port is in use. Set ADMIN_PORT to another one.`,
    );
  });
});

describe('the question of a proxy whether to obtain a certificate', () => {
  async function open(serves: (host: string) => Promise<boolean | undefined>) {
    const admin = createAdminListener({
      readiness: () => READY,
      serves,
      metrics: new Registry(),
      logger: pino({ level: 'silent' }),
    });
    const { port } = await admin.listen(target(0));
    onTestFinished(() => admin.close());
    return (query: string) => fetch(`http://127.0.0.1:${port}/tls/ask${query}`).then(({ status }) => status);
  }

  it.each([
    ['?domain=old.example', 200],
    ['?domain=OLD.example.', 200],
    ['?domain=www.www.old.example', 404],
    ['?domain=', 404],
    ['', 404],
    [`?domain=${'a'.repeat(300)}`, 404],
  ])('is answered from memory: %s', async (query, status) => {
    const ask = await open(async (host) => host === 'old.example');
    expect(await ask(query)).toBe(status);
  });

  it('gets 503 while no process answers visitors', async () => {
    const ask = await open(async () => undefined);
    expect(await ask('?domain=old.example')).toBe(503);
  });
});
