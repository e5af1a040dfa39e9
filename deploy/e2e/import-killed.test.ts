import { expect, test, vi } from 'vitest';
import { startForTest, withDataDir } from './product.fixture.js';

const ROWS = 4_000;

interface Import {
  readonly id: string;
  readonly state: string;
  readonly rows: Readonly<Record<'total' | 'done' | 'created' | 'failed', number>>;
}

test('an import goes on after SIGKILL: no row is applied twice, and none is lost', () =>
  withDataDir(async (dataDir) => {
    const environment = { DEFAULT_PLAN: 'business' };
    const host = (row: number) => `h${row}.localhost`;
    const lines = Array.from({ length: ROWS }, (_, row) => `${host(row)},https://new.example/${row}`);
    let product = await startForTest({ dataDir, environment });
    const { token } = product;
    const sent = await fetch(`${product.apiAddress}/imports?kind=redirects&format=csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: ['fromDomain,toDomain', ...lines].join('\n'),
    });
    expect(sent.status).toBe(202);
    const { id } = (await sent.json()) as Import;
    const read = async () => (await product.api<Import>('GET', `/imports/${id}`)).body;

    await vi.waitFor(async () => expect((await read()).rows.done).toBeGreaterThan(0), { timeout: 60_000 });
    const { state } = await read();
    await product.end('SIGKILL');
    expect(state).toBe('running');

    product = await startForTest({ dataDir, token, environment });
    await vi.waitFor(async () => expect((await read()).state).toBe('finished'), {
      timeout: 120_000,
      interval: 250,
    });
    // A second application of a row would have failed, because the domain exists.
    expect((await read()).rows).toMatchObject({ total: ROWS, done: ROWS, created: ROWS, failed: 0 });
    const { body } = await product.api<{ total: number }>('GET', '/redirects?count=true&limit=1');
    expect(body.total).toBe(ROWS);
    for (const row of [0, 999, 1_000, ROWS - 1]) {
      await vi.waitFor(async () =>
        expect((await product.visit(host(row), '/')).headers.location).toBe(`https://new.example/${row}`),
      );
    }
    expect(await product.end('SIGTERM')).toBe(0);
  }));
