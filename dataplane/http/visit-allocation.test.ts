import { expect, it } from 'vitest';
import type { RuleDefinition } from '../../shared/rules/rule-definition.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const BATCH = 50;
const BATCHES_PER_ROUND = 20;
/** V8 optimizes code on another thread, which takes long on a busy machine. */
const MAX_ROUNDS = 100;

const VISIT = request('/path/of/a/page?id=7', 'shop.example', {
  headers: [
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:124.0) Gecko/20100101 Firefox/124.0',
    'Accept-Language: en-GB,en;q=0.9',
  ],
});

/** Ten rules about the visitor that do not match. */
const RULES = Array.from(
  { length: 10 },
  (_, index): RuleDefinition => ({
    id: index + 1,
    conditionLogic: 'AND',
    conditions: [
      { attribute: 'language', operator: 'equals', value: `de-${index}` },
      { attribute: 'browser_name', operator: 'equals', value: 'Chrome' },
    ],
    action: { type: 'redirect', url: `https://rule-${index}.example` },
  }),
);

const heapBytes = () => process.memoryUsage().heapUsed;

// Recording is bounded by `hits/hit-allocation.test.ts`. With rules, V8 inlines more or less of the code from run to run: a
// visit then takes 504 or 688 bytes.
it.each([
  { visit: 'without rules', rules: [], budgetBytes: 450 },
  { visit: 'of a known visitor with ten rules', rules: RULES, budgetBytes: 720 },
])('answering a visit $visit stays within its allocation budget', async ({ rules, budgetBytes }) => {
  let bytes: number[] = [];
  const options = { samplingRate: 0, pathForwarding: true, queryForwarding: true, rules };
  const { port } = await openVisitorPort([redirectOf('shop.example', options)], {
    around: (handler) => (res, req, closing) => {
      const start = heapBytes();
      const before = heapBytes();
      handler(res, req, closing);
      // Reading the size of the heap takes memory, too.
      bytes.push(heapBytes() - before - (before - start));
    },
  });
  const connection = await openConnection(port);
  const medianOfRound = async () => {
    bytes = [];
    for (let batch = 0; batch < BATCHES_PER_ROUND; batch += 1) {
      connection.send(VISIT.repeat(BATCH));
      for (let answer = 0; answer < BATCH; answer += 1) {
        expect((await connection.answer()).headers.location).toBe(
          'https://destination.example/path/of/a/page?id=7',
        );
      }
    }
    return bytes.toSorted((one, other) => one - other)[bytes.length >> 1] ?? Number.NaN;
  };

  let median = await medianOfRound();
  for (let round = 1; median > budgetBytes && round < MAX_ROUNDS; round += 1) median = await medianOfRound();
  expect(median).toBeGreaterThan(0);
  expect(median).toBeLessThanOrEqual(budgetBytes);
});
