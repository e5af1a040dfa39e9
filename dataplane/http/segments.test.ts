import { describe, expect, it } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { openConnection, request } from './raw-client.fixture.js';
import { cutAt, cutEverywhere, inParallel, sendSegments } from './segmented-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const HOST = 'segments.example';
const REDIRECTS = [
  redirectOf(HOST, { destination: 'https://to.example', pathForwarding: true, queryForwarding: true }),
];
const PARALLEL_CONNECTIONS = 200;

const LOCATION = /^Location: (.*)\r$/gim;

/** The destinations of all answers, in their order. */
function locationsIn(received: string): string[] {
  return Array.from(received.matchAll(LOCATION), ([, location = '']) => location);
}

/** Every offset of a short text; of a long one the first and last 200 and every 61st. */
function offsetsOf({ length }: Buffer): number[] {
  const all = Array.from({ length: length - 1 }, (_, index) => index + 1);
  if (length < 1_000) return all;
  return all.filter((offset) => offset < 200 || offset > length - 200 || offset % 61 === 0);
}

const path = (bytes: number) => `/${'p'.repeat(bytes - 1)}`;
const cookie = (bytes: number) => `Cookie: c=${'x'.repeat(bytes)}`;

describe.each([
  { what: 'a short request', target: '/a?b=c', headers: ['User-Agent: Browser/1', 'Accept: */*'] },
  { what: 'a path of 2,500 bytes', target: path(2_500), headers: [] },
  { what: 'a path of 8,000 bytes', target: path(8_000), headers: [] },
  { what: 'a cookie of 4.2 KB', target: '/', headers: [cookie(4_200)] },
  { what: 'a cookie of 12 KB', target: '/a', headers: [cookie(12_000)] },
  { what: '16 KiB of headers and a path of 8,000 bytes', target: path(8_000), headers: [cookie(16_300)] },
])('$what', ({ target, headers }) => {
  const bytes = Buffer.from(request(target, HOST, { headers }));
  const expected = `https://to.example${target === '/' ? '' : target}`;
  const isComplete = (received: string) => locationsIn(received).length === 1;

  it('is answered alike when it arrives in two segments, wherever it is cut', async () => {
    const { port } = await openVisitorPort(REDIRECTS);
    const answers = await inParallel(offsetsOf(bytes), PARALLEL_CONNECTIONS, async (offset) => {
      const { received } = await sendSegments(port, cutAt(bytes, offset), { isComplete });
      return { offset, locations: locationsIn(received) };
    });
    expect(answers.filter(({ locations }) => locations.join() !== expected)).toEqual([]);
  });

  it('is answered alike when it arrives in many segments', async () => {
    const { port } = await openVisitorPort(REDIRECTS);
    const parts =
      bytes.length < 1_000
        ? cutEverywhere(bytes)
        : Array.from({ length: Math.ceil(bytes.length / 97) }, (_, at) =>
            bytes.subarray(at * 97, at * 97 + 97),
          );
    const { received } = await sendSegments(port, parts, { gapMs: 2, isComplete });
    expect(locationsIn(received)).toEqual([expected]);
  });
});

describe('a pipeline of 300 requests', () => {
  const targets = Array.from({ length: 300 }, (_, order) => `/${order}/${'p'.repeat(order)}`);
  const bytes = Buffer.from(targets.map((target) => request(target, HOST)).join(''));
  const expected = targets.map((target) => `https://to.example${target}`);

  it.each([1_460, 1_000, 333])(
    'is answered in order when it arrives in segments of %d bytes',
    async (size) => {
      const { port } = await openVisitorPort(REDIRECTS);
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, at * size + size),
      );
      const isComplete = (received: string) => locationsIn(received).length === expected.length;
      const { received } = await sendSegments(port, parts, { gapMs: 1, isComplete });
      expect(locationsIn(received)).toEqual(expected);
    },
  );

  it('is answered in order when it is cut in two, at 100 places', async () => {
    const { port } = await openVisitorPort(REDIRECTS);
    const places = Array.from({ length: 100 }, (_, index) => 1 + ((index * 7_919) % (bytes.length - 1)));
    const isComplete = (received: string) => received.includes(expected.at(-1) ?? '');
    const wrong = await inParallel(places, 50, async (offset) => {
      const { received } = await sendSegments(port, cutAt(bytes, offset), { isComplete });
      return locationsIn(received).join() === expected.join() ? [] : [offset];
    });
    expect(wrong.flat()).toEqual([]);
  });
});

it('a body is never read as a request, wherever the segments end', async () => {
  const { port } = await openVisitorPort(REDIRECTS);
  const inner = request('/inner', HOST);
  const outer = request('/outer', HOST, { method: 'POST', headers: [`Content-Length: ${inner.length}`] });
  const bytes = Buffer.from(`${outer}${inner}${request('/next', HOST)}`);
  const expected = ['https://to.example/outer', 'https://to.example/next'];
  const isComplete = (received: string) => locationsIn(received).length === 2;
  const answers = await inParallel(offsetsOf(bytes), PARALLEL_CONNECTIONS, async (offset) => {
    const { received } = await sendSegments(port, cutAt(bytes, offset), { isComplete });
    return { offset, locations: locationsIn(received) };
  });
  expect(answers.filter(({ locations }) => locations.join() !== expected.join())).toEqual([]);
});

it('a head beyond 32 KiB gets 431, in one segment or in two', async () => {
  const { port } = await openVisitorPort(REDIRECTS);
  const bytes = Buffer.from(request('/', HOST, { headers: [cookie(33_000)] }));
  for (const parts of [[bytes], cutAt(bytes, 20_000)]) {
    const { received, closed } = await sendSegments(port, parts);
    expect(received).toMatch(/^HTTP\/1\.1 431 /);
    expect(closed).toBe(true);
  }
});

it('a head that is never finished holds up nobody else', async () => {
  const { port } = await openVisitorPort(REDIRECTS);
  const slow = await openConnection(port);
  slow.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nCookie: `);
  const { received } = await sendSegments(port, [Buffer.from(request('/', HOST))]);
  expect(locationsIn(received)).toEqual(['https://to.example']);
});
