import { describe, expect, it } from 'vitest';
import { isPublished, replyEnd } from './resp-frames.js';

describe('the end of a reply of Redis', () => {
  it.each([
    '+OK\r\n',
    '-ERR no\r\n',
    ':-12\r\n',
    '_\r\n',
    '$-1\r\n',
    '$0\r\n\r\n',
    '$7\r\na\r\nb\r\n1\r\n',
    '*-1\r\n',
    '*0\r\n',
    '*2\r\n*1\r\n:1\r\n$2\r\nab\r\n',
    '%1\r\n+key\r\n$-1\r\n',
    '>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$3\r\n1.2\r\n',
  ])('is found wherever %j is cut', (reply) => {
    const bytes = Buffer.from(`+before\r\n${reply}`);
    const offset = '+before\r\n'.length;
    expect(replyEnd(Buffer.concat([bytes, Buffer.from('+after\r\n')]), offset)).toBe(bytes.length);
    for (let length = offset; length < bytes.length; length += 1) {
      expect(replyEnd(bytes.subarray(0, length), offset)).toBeUndefined();
    }
  });
});

it.each([
  { reply: '*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$3\r\n1.2\r\n', published: true },
  { reply: '>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$3\r\n1.2\r\n', published: true },
  { reply: '*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n', published: false },
  { reply: '$7\r\nmessage\r\n', published: false },
])('$reply counts as published: $published', ({ reply, published }) => {
  expect(isPublished(Buffer.from(reply))).toBe(published);
});
