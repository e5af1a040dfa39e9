import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawOf, seedOfRule, seedOfVariant } from './draw.js';
import { pickByRendezvous } from './pick.js';

interface DrawVectors {
  readonly percentages: readonly {
    readonly visitorId: string;
    readonly ruleId: number;
    readonly draw: number;
  }[];
  readonly abTests: readonly {
    readonly visitorId: string;
    readonly ruleId: number;
    readonly variants: readonly {
      readonly name: string;
      readonly percentage: number;
      readonly draw: number;
    }[];
    readonly variant: string;
  }[];
  readonly tokens: readonly { readonly ruleId: number; readonly variant: string; readonly token: string }[];
}

const vectors: DrawVectors = JSON.parse(
  readFileSync(new URL('./draw-vectors.json', import.meta.url), 'utf8'),
);

describe('the published vectors', () => {
  it.each(vectors.percentages)('visitor "$visitorId" draws $draw for rule $ruleId', (vector) => {
    expect(drawOf(vector.visitorId, seedOfRule(vector.ruleId))).toBe(vector.draw);
  });

  it.each(vectors.abTests)('visitor "$visitorId" gets "$variant" of rule $ruleId', (vector) => {
    const { visitorId, ruleId, variants } = vector;
    const draws = variants.map(({ name }) => drawOf(visitorId, seedOfVariant(ruleId, name)));
    expect(draws).toEqual(variants.map(({ draw }) => draw));
    const shares = variants.map(({ name, percentage }) => ({
      seed: seedOfVariant(ruleId, name),
      weight: percentage,
    }));
    expect(variants[pickByRendezvous(shares, visitorId)]?.name).toBe(vector.variant);
  });

  it('are enough to find out what a reimplementation gets wrong', () => {
    expect(vectors.percentages.length).toBeGreaterThanOrEqual(15);
    expect(vectors.abTests.length).toBeGreaterThanOrEqual(20);
  });
});

it.each(['', 'a', 'Zoë', '\ud800', 'x'.repeat(10_000)])('a draw for %j lies between 0 and 1', (visitorId) => {
  for (const seed of [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]) {
    const draw = drawOf(visitorId, seed);
    expect(draw).toBeGreaterThan(0);
    expect(draw).toBeLessThan(1);
  }
});
