import { describe, expect, it } from 'vitest';
import { heapGrowthOf } from '../../shared/visitor/heap-growth.fixture.js';
import { HitRing } from './hit-ring.js';
import { createHitSlot, type HitSlot } from './hit-slot.js';
import { cutTexts, MAX_ACCEPTED_LENGTH } from './hit-texts.js';

const MIB = 2 ** 20;
const LONG = 16_384;

/** Texts of a visitor, each as long as a server lets it be and like no other. */
function describeLongVisitor(slot: HitSlot, number: number): void {
  const text = (mark: string) => `${mark}${number}`.padEnd(LONG, 'x');
  slot.path = text('/');
  slot.query = text('q=');
  // As the handler composes it: joined from parts that are kept elsewhere as well.
  slot.location = `https://new.example${slot.path}?${slot.query}`;
  slot.userAgent = text('agent');
  slot.referrer = text('https://from.example/');
  slot.acceptLanguage = `${'de;q=0.5,'.repeat(LONG / 9)}x${number}`;
  slot.method = text('M');
  slot.purpose = text('prefetch');
}

describe('the texts of a hit', () => {
  it('are cut to what is stored', () => {
    const slot = createHitSlot();
    describeLongVisitor(slot, 1);
    const sent = { ...slot };
    const length = cutTexts(slot);
    expect(slot).toMatchObject({
      path: sent.path.slice(0, 2_048),
      query: sent.query.slice(0, 2_048),
      location: sent.location.slice(0, 2_048),
      userAgent: sent.userAgent.slice(0, 2_048),
      referrer: sent.referrer.slice(0, 2_048),
      method: sent.method.slice(0, 255),
      purpose: sent.purpose.slice(0, 255),
    });
    expect(length).toBe(5 * 2_048 + 2 * 255 + slot.acceptLanguage.length);
  });

  it('keep whole ranges of a long Accept-Language', () => {
    const slot = createHitSlot();
    describeLongVisitor(slot, 1);
    cutTexts(slot);
    expect(slot.acceptLanguage).toMatch(/^(de;q=0\.5,)+de;q=0\.5$/);
    expect(slot.acceptLanguage.length).toBeGreaterThan(MAX_ACCEPTED_LENGTH - 10);
  });

  it('stay as they are when they are short', () => {
    const slot = createHitSlot();
    Object.assign(slot, { path: '/ä', query: 'a', location: 'https://b.example/', userAgent: 'c' });
    const sent = { ...slot };
    expect(cutTexts(slot)).toBe('/ä'.length + 1 + 'https://b.example/'.length + 1);
    expect(slot).toEqual(sent);
  });

  it('take no more memory in the ring than they count, however long visitors make them', () => {
    const ring = new HitRing(65_536, 4 * MIB);
    let claimed = 0;
    const { bytes } = heapGrowthOf(() => {
      for (let slot = ring.claim(1); slot !== undefined; slot = ring.claim(1)) {
        describeLongVisitor(slot, claimed++);
      }
      return ring;
    });
    expect(claimed).toBeGreaterThan((4 * MIB) / (6 * 2_048));
    expect(bytes).toBeLessThan(5 * MIB);
  });
});
