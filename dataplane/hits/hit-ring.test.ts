import { describe, expect, it } from 'vitest';
import type { RedirectTally } from './hit-counters.js';
import { HitRing } from './hit-ring.js';

describe('the ring of hits', () => {
  it('gives out no more slots than its capacity, and freed ones again', () => {
    const ring = new HitRing(3);
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
    const ring = new HitRing(3);
    ring.claim(1);
    ring.claim(1);
    ring.takeOver();
    expect([ring.waiting(), ring.size()]).toEqual([1, 2]);
    ring.takeOver();
    ring.takeOver();
    expect([ring.waiting(), ring.size(), ring.oldest()]).toEqual([0, 2, undefined]);
  });

  it('keeps the order over many rounds', () => {
    const ring = new HitRing(5);
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
    const ring = new HitRing(1);
    const empty = { ...ring.claim(1)! };
    const slot = ring.oldest()!;
    for (const field of Object.keys(slot)) Object.assign(slot, { [field]: 'earlier' });
    ring.takeOver();
    ring.release(1);
    expect(ring.claim(1)).toEqual(empty);
  });

  it('gives out nothing once it is closed, and keeps what it has', () => {
    const ring = new HitRing(3);
    ring.claim(1);
    ring.close();
    expect(ring.claim(1)).toBeUndefined();
    expect(ring.size()).toBe(1);
  });
});

/** Claims up to `count` slots with texts of `textLength` characters. Returns how many there were. */
function claimed(ring: HitRing, tally: RedirectTally, count: number, textLength = 0): number {
  for (let taken = 0; taken < count; taken += 1) {
    const slot = ring.claim(tally);
    if (slot === undefined) return taken;
    slot.path = 'x'.repeat(textLength);
  }
  return count;
}

function drain(ring: HitRing, count: number): void {
  for (let taken = 0; taken < count; taken += 1) ring.takeOver();
  ring.release(count);
}

describe('the texts in the ring', () => {
  it('are bounded, and make room again once they are taken over', () => {
    const ring = new HitRing(1_000, 10_000);
    expect(claimed(ring, 1, 1_000, 1_000)).toBe(10);
    expect(ring.fill()).toBe(1);
    drain(ring, 4);
    expect(ring.fill()).toBeCloseTo(0.6);
    expect(claimed(ring, 1, 1_000, 1_000)).toBe(4);
  });

  it('are cut before they are encoded, also those of the newest hit', () => {
    const ring = new HitRing(10);
    claimed(ring, 1, 1, 10_000);
    expect(ring.oldest()?.path).toHaveLength(2_048);
  });
});

describe('a redirect in the ring', () => {
  const [FLOODED, OTHER] = [1, 2];

  it('may fill it alone', () => {
    const ring = new HitRing(900);
    expect(claimed(ring, FLOODED, 1_000)).toBe(900);
    expect(ring.refusedByShare()).toBe(0);
  });

  it('leaves a third to others, whose hits are not refused', () => {
    const ring = new HitRing(900);
    claimed(ring, OTHER, 1);
    expect(claimed(ring, FLOODED, 2_000)).toBe(600);
    expect(ring.refusedByShare()).toBe(1);
    expect(claimed(ring, OTHER, 290)).toBe(290);
    expect(claimed(ring, FLOODED, 1)).toBe(0);
  });

  it('is bounded by the length of its texts in the same way', () => {
    const ring = new HitRing(100_000, 90_000);
    claimed(ring, OTHER, 1, 10);
    expect(claimed(ring, FLOODED, 2_000, 100)).toBeCloseTo(600, -1);
    expect(claimed(ring, OTHER, 250, 100)).toBe(250);
  });

  it('may always hold its equal part, however much others hold', () => {
    const ring = new HitRing(900);
    claimed(ring, FLOODED, 500);
    expect(claimed(ring, OTHER, 1_000)).toBe(400);
  });

  it('may hold more again when the ring has emptied', () => {
    const ring = new HitRing(900);
    for (let round = 0; round < 5; round += 1) {
      claimed(ring, OTHER, 1);
      expect(claimed(ring, FLOODED, 2_000)).toBe(600);
      drain(ring, 601);
    }
    expect([ring.waiting(), ring.size(), ring.fill()]).toEqual([0, 0, 0]);
  });

  it('is not held to its share while the ring is mostly empty', () => {
    const ring = new HitRing(900);
    claimed(ring, OTHER, 1);
    for (let round = 0; round < 100; round += 1) {
      expect(claimed(ring, FLOODED, 400)).toBe(400);
      drain(ring, 400);
    }
  });

  it('does not push out others among many that flood', () => {
    const ring = new HitRing(10_000);
    claimed(ring, OTHER, 1);
    for (let round = 0; round < 5_000; round += 1) {
      for (let flooded = 10; flooded < 20; flooded += 1) ring.claim(flooded);
    }
    expect(claimed(ring, OTHER, 400)).toBe(400);
  });
});
