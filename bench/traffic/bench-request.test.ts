import { expect, it } from 'vitest';
import { benchRedirects, benchRequests, forwardedLocation } from './bench-request.js';

it('every host is asked for exactly once', () => {
  const asked = benchRequests(500).map(({ host }) => host);
  expect(asked).toHaveLength(500);
  expect(new Set(asked)).toEqual(new Set(benchRedirects(500).map(({ host }) => host)));
});

it('the order is scattered, and the same each time', () => {
  const asked = benchRequests(500).map(({ host }) => host);
  const inOrder = benchRedirects(500).map(({ host }) => host);
  const inPlace = asked.filter((host, index) => host === inOrder[index]);
  expect(inPlace.length).toBeLessThan(10);
  expect(benchRequests(500).map(({ host }) => host)).toEqual(asked);
});

it('the right location is the destination with path and query', () => {
  const request = { host: 'a.example', target: '/p?q=1', destination: 'https://b.example/base' };
  expect(forwardedLocation(request)).toBe('https://b.example/base/p?q=1');
});
