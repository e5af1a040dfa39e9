import { describe, expect, it } from 'vitest';
import { newId } from './new-id.js';

describe('an identifier', () => {
  const ids = Array.from({ length: 5_000 }, newId);

  it('has 16 characters that can stand anywhere', () => {
    for (const id of ids) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/);
  });

  it('does not come up twice, and uses every character in every place', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (let place = 0; place < 16; place += 1) expect(new Set(ids.map((id) => id[place])).size).toBe(32);
  });
});
