import { expect, test } from 'vitest';
import { createPlaneTally } from './plane-tally.js';

const found = (location: string) => ({ status: 302, location });
const now = () => performance.now();

test('an answer counts as wrong when it is another than expected, older than before, or no redirect', () => {
  const tally = createPlaneTally(1);
  tally.steady(found('https://s0.example/base/p/1'), 'https://s0.example/base/p/1', now());
  tally.moving(found('https://m0.example/v/4'), 0, now());
  expect(tally.stats()).toMatchObject({ answered: 2, wrong: 0, failed: 0, counters: [4] });
  tally.steady(found('https://s0.example/base/p/2'), 'https://s0.example/base/p/1', now());
  tally.moving(found('https://m0.example/v/3'), 0, now());
  tally.moving(found('https://m1.example/v/9'), 0, now());
  tally.steady({ status: 404, location: '' }, 'https://s0.example/base/p/1', now());
  expect(tally.stats()).toMatchObject({ answered: 5, wrong: 4, failed: 0, counters: [4] });
  expect(tally.stats().examples).toContain('m0 went back from 4 to 3');
});

test('a data plane may serve an older state after a restart', () => {
  const tally = createPlaneTally(1);
  tally.moving(found('https://m0.example/v/4'), 0, now());
  tally.beginLife();
  tally.moving(found('https://m0.example/v/3'), 0, now());
  expect(tally.stats()).toMatchObject({ wrong: 0, counters: [3] });
});

test('a data plane that is down may begin its next life before it is marked as up', () => {
  const tally = createPlaneTally(1);
  tally.moving(found('https://m0.example/v/4'), 0, now());
  tally.mode = 'down';
  tally.moving(found('https://m0.example/v/5'), 0, now());
  tally.unsent();
  tally.moving(found('https://m0.example/v/4'), 0, now());
  expect(tally.stats()).toMatchObject({ wrong: 0, counters: [4] });
  tally.moving(found('https://m0.example/v/3'), 0, now());
  expect(tally.stats()).toMatchObject({ wrong: 1 });
});

test('a data plane that is up does not begin another life when a connection is missing', () => {
  const tally = createPlaneTally(1);
  tally.moving(found('https://m0.example/v/4'), 0, now());
  tally.unsent();
  tally.moving(found('https://m0.example/v/3'), 0, now());
  expect(tally.stats()).toMatchObject({ wrong: 1 });
});

test('failures of a data plane that is down are counted apart, wrong answers are not', () => {
  const tally = createPlaneTally(1);
  tally.steady('ECONNRESET', '', now());
  tally.unsent();
  tally.mode = 'down';
  tally.steady('ECONNRESET', '', now());
  tally.steady({ status: 503, location: '' }, '', now());
  tally.unsent();
  tally.steady({ status: 404, location: '' }, '', now());
  expect(tally.stats()).toMatchObject({
    failed: 2,
    failedWhileDown: 3,
    unanswered: 2,
    wrong: 1,
    answered: 0,
  });
});

test('the answers in the last quarter of a second before it went down are counted', () => {
  const tally = createPlaneTally(1);
  const answer = (times: number) => {
    for (let time = 0; time < times; time += 1) tally.steady(found('x'), 'x', now());
  };
  tally.tick(1_000);
  answer(10);
  tally.tick(1_270);
  answer(3);
  tally.tick(1_330);
  answer(4);
  tally.mode = 'down';
  expect(tally.stats().answeredShortlyBefore).toBe(7);
});
