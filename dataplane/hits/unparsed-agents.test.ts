import { describe, expect, it, vi } from 'vitest';
import { compressed, hitRowsIn } from '../../shared/hits/hit-block.fixture.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createBotDetection } from './bot-reason.js';
import { createHitEncoder } from './hit-encoder.js';
import { createTestSink, newRecorder } from './hit-recorder.fixture.js';
import { createHitSlot } from './hit-slot.js';
import { createParsingBudget } from './parsing-budget.js';

/** Takes the parser several times as long as the user agent of a browser. */
const slowAgent = (number: number) => `Linux; Android 10; ${number} `.padEnd(500, `; Android ${number} `);
const browserAgent = (version: number) =>
  `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;

/** An encoder with a budget of `burstMs`, where each user agent that is parsed takes 1 ms. */
function setUp(burstMs: number) {
  let nowMs = 0;
  let parsed = 0;
  const detection = createDeviceDetection();
  const detectDevice = Object.assign(
    (userAgent: string) => {
      nowMs += 1;
      parsed += 1;
      return detection(userAgent);
    },
    { known: (userAgent: string) => detection.known?.(userAgent) },
  );
  const parsing = createParsingBudget({ share: 0.1, burstMs, maxChargeMs: 1, nowMs: () => nowMs });
  const encoder = createHitEncoder({
    producerId: 'producer00000001',
    identify: createVisitorIdentification(Buffer.from('a secret of an installation')),
    detectBot: createBotDetection(),
    detectDevice,
    places: { placeOf: () => ({ country: undefined, region: undefined, city: undefined }) },
    referrerDomainOf: createReferrerDomain(),
    parsing,
  });
  const encode = (agents: readonly string[]) => {
    for (const userAgent of agents) encoder.add({ ...createHitSlot(), userAgent, address: '192.0.2.1' });
    const steps = encoder.finish(1);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return hitRowsIn(compressed(value)).map(({ os_name, user_agent }) => [user_agent, os_name]);
    }
  };
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { encode, wait, parsing, parsedAgents: () => parsed };
}

describe('user agents of a flood', () => {
  const flood = Array.from({ length: 2_000 }, (_, number) => slowAgent(number));

  it('take no more than the budget, are recorded as they are, and counted', () => {
    const { encode, parsing, parsedAgents } = setUp(50);
    const rows = encode(flood);
    expect(rows.map(([agent]) => agent)).toEqual(flood);
    expect(rows.filter(([, system]) => system !== '')).toHaveLength(parsedAgents());
    expect(parsedAgents()).toBeGreaterThanOrEqual(50);
    expect(parsedAgents()).toBeLessThan(60);
    expect(parsing.refused()).toBe(2_000 - parsedAgents());
  });

  it('do not hide the devices of user agents that were seen before', () => {
    const { encode } = setUp(50);
    const known = [browserAgent(124), browserAgent(125)];
    expect(encode(known).map(([, system]) => system)).toEqual(['Linux', 'Linux']);
    encode(flood);
    expect(encode(known).map(([, system]) => system)).toEqual(['Linux', 'Linux']);
  });

  it('do not hide them either when the encoder has forgotten all user agents', () => {
    const { encode } = setUp(50);
    const known = [browserAgent(124)];
    encode(known);
    for (let round = 0; round < 10; round += 1) encode(flood.map((agent) => agent + round));
    encode(Array.from({ length: 3_000 }, (_, number) => `${number}`.padEnd(2_048, 'x')));
    encode(flood);
    expect(encode(known)).toEqual([[browserAgent(124), 'Linux']]);
  });

  it('are parsed in a later batch, when there is time again', () => {
    const { encode, wait } = setUp(50);
    encode(flood);
    expect(encode([slowAgent(1_999)]).map(([, system]) => system)).toEqual(['']);
    wait(1_000);
    expect(encode([slowAgent(1_999)]).map(([, system]) => system)).toEqual(['Android']);
  });
});

it('are to be seen in the statistics of a recorder', async () => {
  const recorder = newRecorder({ sink: createTestSink(), dataDir: await temporaryFolder() });
  const tally = recorder.tallyOf('r1');
  for (let number = 0; number < 20_000; number += 1) {
    const slot = recorder.claim(tally, 'r1', 1);
    if (slot !== undefined) slot.userAgent = slowAgent(number);
  }
  recorder.start();
  await vi.waitFor(() => expect(recorder.stats().unparsedAgents).toBeGreaterThan(0));
  expect(recorder.stats().dropped).toBe(0);
});
