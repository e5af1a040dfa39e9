import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { hasProcessFacts, residentMib } from './crash-processes.fixture.js';
import { type Product, startForTest, withDataDir } from './product.fixture.js';

const HOST = 'exported.localhost';
/** An export of them has some 10 MB, more than the buffers of a connection hold. */
const HITS = 24_000;
const CONNECTIONS = 8;
const EXPORTS = 100;
/** 100 simultaneous exports used 1,160 MB more. */
const MAX_GROWTH_MIB = 250;
const QUESTIONS = 40;
const LONG = { timeout: 120_000, interval: 200 };

interface Stats {
  readonly meta: { readonly delivery: { readonly recorded: number; readonly delivered: number } };
}

async function visitOften({ redirectAddress }: Product, times: number): Promise<void> {
  const visits = `GET /${'x'.repeat(200)} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`.repeat(100);
  const visitor = async () => {
    const socket = connect(Number(new URL(redirectAddress).port), '127.0.0.1').setEncoding('latin1');
    let received = '';
    let expected = 0;
    socket.on('data', (text: string) => {
      received += text;
    });
    for (; expected < times / CONNECTIONS; expected += 100) {
      socket.write(visits);
      while (received.split('\r\n\r\n').length <= expected + 100) await once(socket, 'data');
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, visitor));
}

/** Begins an export and reads nothing of it. */
function exportUnread(product: Product, id: string): Promise<IncomingMessage> {
  const url = `${product.apiAddress}/analytics/redirect/${id}/hits/export?includeBots=true`;
  const headers = { authorization: `Bearer ${product.token}` };
  return new Promise((resolve, reject) => {
    http.get(url, { agent: false, headers }, resolve).on('error', reject);
  });
}

test.runIf(hasProcessFacts)(
  'exports whose readers stop neither fill the memory nor hold up other users',
  () =>
    withDataDir(async (dataDir) => {
      const product = await startForTest({ dataDir, environment: { DEFAULT_PLAN: 'business' } });
      const created = await product.api<{ id: string }>('POST', '/add-redirect', {
        fromDomain: HOST,
        toDomain: 'https://destination.example',
      });
      await vi.waitFor(async () => expect((await product.visit(HOST, '/')).status).toBe(301));
      const statistics = `/analytics/redirect/${created.body.id}/stats/basic`;
      await visitOften(product, HITS);
      const delivered = async () =>
        (await product.api<Stats>('GET', statistics)).body.meta.delivery.delivered;
      await vi.waitFor(async () => expect(await delivered()).toBeGreaterThan(HITS), LONG);

      const other = await fetch(`${product.apiAddress}/auth/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'other@example.com', password: 'long enough for all' }),
      });
      const { token } = (await other.json()) as { token: string };
      const call = async (method: string, url: string, body?: unknown) => {
        const answer = await fetch(product.apiAddress + url, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return { status: answer.status, body: (await answer.json()) as { id: string } };
      };
      const own = await call('POST', '/add-redirect', {
        fromDomain: 'own.localhost',
        toDomain: 'https://destination.example',
      });
      /** Median of another user's questions, in milliseconds. */
      const medianMs = async () => {
        const times: number[] = [];
        for (let n = 0; n < QUESTIONS; n += 1) {
          const startedMs = performance.now();
          const { status } = await call(
            'GET',
            `/analytics/redirect/${own.body.id}/stats/basic?path=/${Math.random()}`,
          );
          expect(status).toBe(200);
          times.push(performance.now() - startedMs);
        }
        return times.sort((a, b) => a - b)[QUESTIONS / 2] ?? 0;
      };
      await medianMs();
      const quietMs = await medianMs();
      const pid = product.process.pid ?? 0;
      const quietMib = residentMib(pid);

      const exports = await Promise.all(
        Array.from({ length: EXPORTS }, () => exportUnread(product, created.body.id)),
      );
      const statuses = exports.map(({ statusCode }) => statusCode);
      expect(statuses.filter((status) => status === 200)).toHaveLength(2);
      expect(statuses.filter((status) => status === 429)).toHaveLength(EXPORTS - 2);
      const stalledMs = await medianMs();
      const stalledMib = residentMib(pid);
      expect(stalledMib - quietMib).toBeLessThan(MAX_GROWTH_MIB);
      // Other work of the machine may interfere at any time.
      expect(stalledMs).toBeLessThan(3 * quietMs + 200);
      const before = await delivered();
      await product.visit(HOST, '/');
      await vi.waitFor(async () => expect(await delivered()).toBeGreaterThan(before));
      for (const response of exports) response.destroy();
    }),
);
