import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createHintFilter, type HintTreatment } from './hint-filter.js';

const message = (text: string) => `*3\r\n$7\r\nmessage\r\n$5\r\nhints\r\n$${text.length}\r\n${text}\r\n`;

async function through(treatment: HintTreatment, stream: string, pieceBytes: number) {
  const counts = { passed: 0, dropped: 0, doubled: 0, reordered: 0 };
  const filter = createHintFilter(() => treatment, counts);
  let text = '';
  filter.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  const bytes = Buffer.from(stream);
  for (let at = 0; at < bytes.length; at += pieceBytes) filter.write(bytes.subarray(at, at + pieceBytes));
  filter.end();
  await once(filter, 'end');
  return { text, counts };
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(message) as [string, string, string, string];
const stream = `+OK\r\n${a}${b}:1\r\n${c}${d}$2\r\nhi\r\n`;

test.each([
  { treatment: 'passed', comes: stream, counts: { passed: 4 } },
  { treatment: 'dropped', comes: '+OK\r\n:1\r\n$2\r\nhi\r\n', counts: { dropped: 4 } },
  {
    treatment: 'garbled',
    comes: `+OK\r\n${b}${b}:1\r\n${d}${c}$2\r\nhi\r\n`,
    counts: { dropped: 1, doubled: 1, reordered: 1 },
  },
] as const)(
  'messages are $treatment while replies come as they are',
  async ({ treatment, comes, counts }) => {
    for (const pieceBytes of [1, 10, 1_000]) {
      const result = await through(treatment, stream, pieceBytes);
      expect(result.text).toBe(comes);
      expect(result.counts).toMatchObject(counts);
    }
  },
);
