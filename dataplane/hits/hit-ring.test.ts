import { describe, expect, it } from 'vitest';
import { createHitRing } from './hit-ring.js';

describe('the ring of hits', () => {
  it('gives out no more slots than its capacity, and freed ones again', () => {
    const ring = createHitRing(3);
    expect([ring.claim(1), ring.claim(1), ring.claim(1)].every((slot) => slot !== undefined)).toBe(true);
    expect(ring.claim(1)).toBeUndefined();
    ring.takeOver();
    expect(ring.claim(1)).toBeUndefined();
    ring.release(1);
    expect(ring.claim(1)).toBeDefined();
    expect(ring.claim(1)).toBeUndefined();
    expect(ring.size()).toBe(3);
  });

  it('says how many hits wait, and how many are held', () => {
    const ring = createHitRing(3);
    ring.claim(1);
    ring.claim(1);
    ring.takeOver();
    expect([ring.waiting(), ring.size()]).toEqual([1, 2]);
    ring.takeOver();
    ring.takeOver();
    expect([ring.waiting(), ring.size(), ring.oldest()]).toEqual([0, 2, undefined]);
  });

  it('keeps the order over many rounds', () => {
    const ring = createHitRing(5);
    const seen: number[] = [];
    let written = 0;
    for (let round = 0; round < 20; round += 1) {
      for (let slot = ring.claim(1); slot !== undefined; slot = ring.claim(1)) slot.statusCode = written++;
      const taken = 1 + (round % 5);
      for (let count = 0; count < taken; count += 1) {
        seen.push(ring.oldest()?.statusCode ?? -1);
        ring.takeOver();
      }
      ring.release(taken);
    }
    expect(seen).toEqual(seen.map((_, index) => index));
    expect(seen.length).toBeGreaterThan(50);
  });

  it('shows nothing of an earlier hit in a slot that is used again', () => {
    const ring = createHitRing(1);
    const empty = { ...ring.claim(1)! };
    const slot = ring.oldest()!;
    for (const field of Object.keys(slot)) Object.assign(slot, { [field]: 'earlier' });
    ring.takeOver();
    ring.release(1);
    expect(ring.claim(1)).toEqual(empty);
  });

  it('gives out nothing once it is closed, and keeps what it has', () => {
    const ring = createHitRing(3);
    ring.claim(1);
    ring.close();
    expect(ring.claim(1)).toBeUndefined();
    expect(ring.size()).toBe(1);
  });
});
