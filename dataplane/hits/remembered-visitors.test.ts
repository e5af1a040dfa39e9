import { beforeAll, describe, expect, it } from 'vitest';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { heapGrowthOf } from '../../shared/visitor/heap-growth.fixture.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { createBotDetection } from './bot-reason.js';
import { createHitEncoder, type HitEncoder } from './hit-encoder.js';
import { createHitSlot, type HitSlot } from './hit-slot.js';
import { createParsingBudget } from './parsing-budget.js';

const MIB = 2 ** 20;
const BATCH_BYTES = MIB;
const VISITORS = 12_000;

function newEncoder(): HitEncoder {
  return createHitEncoder({
    producerId: 'producer00000001',
    identify: createVisitorIdentification(Buffer.from('a secret of an installation')),
    detectBot: createBotDetection(),
    detectDevice: createDeviceDetection(),
    places: { placeOf: () => ({ country: undefined, region: undefined, city: undefined }) },
    referrerDomainOf: createReferrerDomain(),
    // Devices are not what this is about.
    parsing: createParsingBudget({ share: 0, burstMs: 0, maxChargeMs: 1 }),
  });
}

/** Encodes hits of so many visitors, each from an address of its own, in batches as the product does. */
function encodeVisitors(encoder: HitEncoder, describeVisitor: (slot: HitSlot, text: TextOf) => void): void {
  for (let number = 0; number < VISITORS; number += 1) {
    const slot = createHitSlot();
    slot.tally = 1;
    slot.address = `2001:db8::${(number >> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
    describeVisitor(slot, (length) => `${number}-`.padEnd(length, 'x'));
    encoder.add(slot);
    if (encoder.textBytes() < BATCH_BYTES) continue;
    for (const _ of encoder.finish(1));
  }
}

type TextOf = (length: number) => string;

describe('what the encoder remembers of visitors', () => {
  beforeAll(() => encodeVisitors(newEncoder(), () => {}));

  it.each<[what: string, (slot: HitSlot, text: TextOf) => void]>([
    ['user agents', (slot, text) => Object.assign(slot, { userAgent: text(2_048) })],
    ['user agents of middle length', (slot, text) => Object.assign(slot, { userAgent: text(1_000) })],
    ['referrers', (slot, text) => Object.assign(slot, { referrer: `https://a.example/${text(2_000)}` })],
    ['languages', (slot, text) => Object.assign(slot, { acceptLanguage: `${text(900)},de` })],
    ['queries', (slot, text) => Object.assign(slot, { query: `utm_source=${text(2_000)}` })],
  ])('stays small however long their %s are', (_what, describeVisitor) => {
    const encoder = newEncoder();
    const { bytes } = heapGrowthOf(() => {
      encodeVisitors(encoder, describeVisitor);
      return encoder;
    });
    expect(bytes).toBeLessThan(12 * MIB);
  });
});
