import { expect, test, vi } from 'vitest';
import { type Product, startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, redirectTo, rulesOf } from './rules.fixture.js';

const HOST = 'live.localhost';
const VISITORS = 4;
const ROUNDS = 40;

/** Locations seen by visitors, in the order of each visitor's requests. */
interface Visits {
  /** Locations of each visitor. */
  readonly seen: readonly (readonly string[])[];
  stop(): Promise<void>;
}

function startVisits(product: Product): Visits {
  let isStopped = false;
  const seen: string[][] = [];
  const visits = Array.from({ length: VISITORS }, async () => {
    const locations: string[] = [];
    seen.push(locations);
    while (!isStopped) {
      const answer = await product.visit(HOST, '/');
      locations.push(answer.headers.location ?? `status ${answer.status}`);
    }
  });
  return {
    seen,
    async stop() {
      isStopped = true;
      await Promise.all(visits);
    },
  };
}

const countOf = (visits: Visits, location: string) =>
  visits.seen.flat().filter((candidate) => candidate === location).length;

/** Returns the round that made `location`. */
const roundOf = (location: string) => Number(/round-(\d+)/.exec(location)?.[1]);

test('every visitor sees a rule before or after an edit, never older again, and all are counted', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir });
    const id = await createRedirect(product, HOST, { samplingRate: 0 });
    const rule = await createRule(product, id, {
      name: 'edited',
      action: redirectTo('https://round-0.example/0'),
    });
    let decidedBefore = 0;
    await vi.waitFor(async () => {
      expect((await product.visit(HOST, '/')).headers.location).toBe('https://round-0.example/0');
      decidedBefore += 1;
    });
    const visits = startVisits(product);

    for (let round = 1; round <= ROUNDS; round++) {
      // Change two members in one request: a mix of rounds would show in the location.
      const { status } = await product.api('PUT', `/rules/${rule.id}`, {
        name: `edited ${round}`,
        conditions: round % 2 === 0 ? [] : [{ attribute: 'url_path', operator: 'equals', value: '/' }],
        action: redirectTo(`https://round-${round}.example/${round}`),
      });
      expect(status).toBe(200);
      await vi.waitFor(
        () => expect(countOf(visits, `https://round-${round}.example/${round}`)).toBeGreaterThan(0),
        {
          interval: 5,
        },
      );
    }
    await visits.stop();

    for (const locations of visits.seen) {
      expect(locations.filter((location) => !/^https:\/\/round-(\d+)\.example\/\1$/.test(location))).toEqual(
        [],
      );
      const rounds = locations.map(roundOf);
      expect(rounds).toEqual(rounds.toSorted((x, y) => x - y));
    }
    const decided = decidedBefore + visits.seen.flat().length;
    await vi.waitFor(async () => expect((await rulesOf(product, id))[0]?.hitCount).toBe(decided), {
      interval: 50,
    });
    expect(await product.end('SIGTERM')).toBe(0);
  }));

test('activating, reordering and deleting under traffic never gives an answer that no ruleset contains', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir });
    const id = await createRedirect(product, HOST);
    const urls = ['https://one.example/', 'https://two.example/', 'https://three.example/'];
    const ids: number[] = [];
    for (const url of urls) {
      ids.push((await createRule(product, id, { name: url, action: redirectTo(url) })).id);
    }
    const visits = startVisits(product);
    /** Who decides once the answer to a change is there, 50 ms later at most. */
    const expectWinner = (url: string) =>
      vi.waitFor(async () => expect((await product.visit(HOST, '/')).headers.location).toBe(url), {
        interval: 2,
      });

    for (let round = 0; round < 10; round++) {
      const order = ids.toSorted((x, y) => ((x * 7 + round * 3) % 5) - ((y * 7 + round * 3) % 5));
      const { status } = await product.api('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: order });
      expect(status).toBe(200);
      await expectWinner(urls[ids.indexOf(order[0] ?? 0)] ?? '');
      await product.api('PUT', `/rules/${order[0]}/status`, { status: 'inactive' });
      await expectWinner(urls[ids.indexOf(order[1] ?? 0)] ?? '');
      await product.api('PUT', `/rules/${order[0]}/status`, { status: 'active' });
      await expectWinner(urls[ids.indexOf(order[0] ?? 0)] ?? '');
    }
    for (const ruleId of ids) expect((await product.api('DELETE', `/rules/${ruleId}`)).status).toBe(200);
    await expectWinner('https://default.example/');
    await visits.stop();

    const allowed = new Set([...urls, 'https://default.example/']);
    expect(visits.seen.flat().filter((location) => !allowed.has(location))).toEqual([]);
    expect(await rulesOf(product, id)).toEqual([]);
    expect(await product.end('SIGTERM')).toBe(0);
  }));
