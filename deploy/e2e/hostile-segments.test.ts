import { expect, test } from 'vitest';
import {
  cutAt,
  cutEverywhere,
  inParallel,
  type SegmentedExchange,
  sendSegments,
} from '../../dataplane/http/segmented-client.fixture.js';
import { openVisitorPort } from '../../dataplane/http/visitor-port.fixture.js';
import { redirectOf } from '../../dataplane/sync/redirect-definition.fixture.js';
import { readAnswers } from './hostile-client.fixture.js';
import type { Aim } from './hostile-request.fixture.js';
import { HOSTILE_REQUESTS } from './hostile-requests.fixture.js';
import { SMUGGLING_ATTEMPTS } from './hostile-smuggling.fixture.js';

const AIM: Aim = { host: 'hostile.example', target: '/' };
const REDIRECTS = [
  redirectOf(AIM.host, { destination: 'https://to.example', pathForwarding: true, queryForwarding: true }),
];
const OUTER = '301 https://to.example';
const PARALLEL_CONNECTIONS = 400;
/**
 * Maximum length of requests that are cut at every offset. Longer ones are cut at some offsets, and into pieces instead
 * of bytes.
 */
const CUT_EVERYWHERE_BYTES = 700;

const CORPUS = [...HOSTILE_REQUESTS, ...SMUGGLING_ATTEMPTS].map(({ name, bytes }) => {
  const given = bytes(AIM);
  return { name, bytes: typeof given === 'string' ? Buffer.from(given, 'latin1') : given };
});

/** The addon refuses with these statuses, or by closing the connection. The choice may depend on the segments. */
const REFUSALS = new Set([400, 431, 505]);
const CHUNKED = /transfer.encoding/i;

/** Returns the requests that the server accepted: the status and destination of each answer that is not a refusal. */
function acceptedIn(received: string): string[] {
  return readAnswers(received)
    .answers.filter(({ statusCode }) => !REFUSALS.has(statusCode))
    .map(({ statusCode, headers }) => `${statusCode} ${headers.location ?? ''}`);
}

/** Returns the answers that a request gets only when it is sent in segments; undefined if there are none. */
function differenceOf(bytes: Buffer, whole: SegmentedExchange, cut: SegmentedExchange): string | undefined {
  const [expected, actual] = [acceptedIn(whole.received), acceptedIn(cut.received)].map((list) =>
    list.join(),
  );
  if (whole.closed && !cut.closed) return 'the connection stays open';
  if (actual === expected) return undefined;
  // The head of a chunked request is answered before its malformed body arrives. Then the connection ends.
  const isHeadAlone = expected === '' && cut.closed && CHUNKED.test(bytes.toString('latin1'));
  return isHeadAlone && actual === OUTER ? undefined : `"${actual}", not "${expected}"`;
}

function offsetsOf({ length }: Buffer): number[] {
  const all = Array.from({ length: length - 1 }, (_, index) => index + 1);
  if (length <= CUT_EVERYWHERE_BYTES) return all;
  const step = Math.ceil(length / 40);
  return all.filter((offset) => offset < 60 || offset > length - 60 || offset % step === 0);
}

function manyParts(bytes: Buffer): Buffer[] {
  if (bytes.length <= CUT_EVERYWHERE_BYTES) return cutEverywhere(bytes);
  const size = Math.ceil(bytes.length / 100);
  return Array.from({ length: 100 }, (_, at) => bytes.subarray(at * size, at * size + size));
}

test('hostile requests get the same answers when they arrive in two segments, wherever they are cut', async () => {
  const { port } = await openVisitorPort(REDIRECTS);
  const whole = await inParallel(CORPUS, 100, ({ bytes }) => sendSegments(port, [bytes]));
  const cuts = CORPUS.flatMap((request, index) =>
    offsetsOf(request.bytes).map((offset) => ({
      ...request,
      offset,
      whole: whole[index] as SegmentedExchange,
    })),
  );
  const faults = await inParallel(cuts, PARALLEL_CONNECTIONS, async ({ name, bytes, offset, whole }) => {
    const expected = acceptedIn(whole.received).join();
    const isComplete = (received: string) => !whole.closed && acceptedIn(received).join() === expected;
    const difference = differenceOf(
      bytes,
      whole,
      await sendSegments(port, cutAt(bytes, offset), { isComplete }),
    );
    return difference === undefined ? [] : [`${name}, cut at ${offset}: ${difference}`];
  });
  expect(faults.flat()).toEqual([]);
});

test('hostile requests get the same answers byte by byte', async () => {
  const { port } = await openVisitorPort(REDIRECTS);
  const faults = await inParallel(CORPUS, 100, async ({ name, bytes }) => {
    const whole = await sendSegments(port, [bytes]);
    const difference = differenceOf(bytes, whole, await sendSegments(port, manyParts(bytes), { gapMs: 1 }));
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
  expect(faults.flat()).toEqual([]);
});
