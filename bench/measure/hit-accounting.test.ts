import { expect, it } from 'vitest';
import { unaccountedHits } from './hit-accounting.js';

const seen = { answered: 100, uncertain: 3, samplingRate: 1 };

it.each([
  { hits: { answered: 100, recorded: 100, delivered: 100, dropped: 0, spooled: 0 }, seen },
  { hits: { answered: 100, recorded: 100, delivered: 60, dropped: 0, spooled: 40 }, seen },
  { hits: { answered: 103, recorded: 103, delivered: 90, dropped: 13, spooled: 0 }, seen },
  {
    hits: { answered: 100, recorded: 0, delivered: 0, dropped: 0, spooled: 0 },
    seen: { ...seen, samplingRate: 0 },
  },
  {
    hits: { answered: 100, recorded: 47, delivered: 47, dropped: 0, spooled: 0 },
    seen: { ...seen, samplingRate: 0.5 },
  },
])('hits that add up pass: $hits', ({ hits, seen }) => {
  expect(unaccountedHits(hits, seen)).toBeUndefined();
});

it.each([
  {
    what: 'an answer not counted',
    hits: { answered: 99, recorded: 99, delivered: 99, dropped: 0, spooled: 0 },
    seen,
  },
  {
    what: 'an answer counted twice',
    hits: { answered: 104, recorded: 104, delivered: 104, dropped: 0, spooled: 0 },
    seen,
  },
  {
    what: 'a hit not recorded',
    hits: { answered: 100, recorded: 99, delivered: 99, dropped: 0, spooled: 0 },
    seen,
  },
  { what: 'a hit lost', hits: { answered: 100, recorded: 100, delivered: 99, dropped: 0, spooled: 0 }, seen },
  {
    what: 'a hit delivered twice',
    hits: { answered: 100, recorded: 100, delivered: 101, dropped: 0, spooled: 0 },
    seen,
  },
  {
    what: 'a hit that was not to be recorded',
    hits: { answered: 100, recorded: 1, delivered: 1, dropped: 0, spooled: 0 },
    seen: { ...seen, samplingRate: 0 },
  },
])('$what is found', ({ hits, seen }) => {
  expect(unaccountedHits(hits, seen)).toEqual(expect.any(String));
});
