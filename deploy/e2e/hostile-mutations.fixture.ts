/** Changes bytes in one place. */
type Mutation = (bytes: Buffer, random: () => number) => Buffer;

const MAX_MUTATIONS = 4;

/** Bytes that mean something in HTTP, JSON or URLs, and pieces that parsers disagree about. */
const TELLING_PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '"',
  '\\',
  '%',
  '%00',
  '%ff',
  '/',
  '//',
  '?',
  '#',
  '{',
  '}',
  '[',
  ']',
  '\xff',
  '\xc3\x28',
  '-1',
  '0',
  '1e999',
  '99999999999999999999',
  'null',
  '__proto__',
  'HTTP/1.0',
  'HTTP/1.1',
  'Host: x\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  '0\r\n\r\n',
];

const place = (bytes: Buffer, random: () => number): number => Math.floor(random() * (bytes.length + 1));

function splice(bytes: Buffer, from: number, until: number, piece: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(until)]);
}

const MUTATIONS: readonly Mutation[] = [
  function flipByte(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = Math.min(place(bytes, random), bytes.length - 1);
    if (at >= 0) copy[at] = Math.floor(random() * 256);
    return copy;
  },
  function insertPiece(bytes, random) {
    const at = place(bytes, random);
    const piece = TELLING_PIECES[Math.floor(random() * TELLING_PIECES.length)] ?? '';
    return splice(bytes, at, at, Buffer.from(piece, 'latin1'));
  },
  function insertRandomBytes(bytes, random) {
    const at = place(bytes, random);
    const piece = Uint8Array.from({ length: 1 + random() * 40 }, () => random() * 256);
    return splice(bytes, at, at, piece);
  },
  function removeRange(bytes, random) {
    const at = place(bytes, random);
    return splice(bytes, at, at + Math.ceil(random() * 30), Buffer.alloc(0));
  },
  function repeatRange(bytes, random) {
    const at = place(bytes, random);
    const piece = bytes.subarray(at, at + Math.ceil(random() * 60));
    const times = Math.ceil(random() ** 4 * 200);
    return splice(bytes, at, at, Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  function cutOff(bytes, random) {
    return bytes.subarray(0, place(bytes, random));
  },
  function bareLineFeeds(bytes) {
    return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  },
];

/** A valid request with one to four random changes. The same `random` gives the same bytes. */
export function mutate(valid: string, random: () => number): Buffer {
  let bytes = Buffer.from(valid, 'latin1');
  const changes = 1 + Math.floor(random() * MAX_MUTATIONS);
  for (let change = 0; change < changes; change += 1) {
    const mutation = MUTATIONS[Math.floor(random() * MUTATIONS.length)];
    if (mutation !== undefined) bytes = Buffer.from(mutation(bytes, random));
  }
  return bytes;
}
