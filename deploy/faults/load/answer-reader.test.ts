import { expect, it } from 'vitest';
import { type Answer, createAnswerReader } from './answer-reader.js';

const STREAM = [
  'HTTP/1.1 302 Found\r\nLocation: https://a.example/?q=1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nLocation: no',
  'HTTP/1.1 301 Moved Permanently\r\nlocation: https://b.example\r\nContent-Length: 0\r\n\r\n',
].join('');

it.each([1, 7, 30, 1000])('answers are told apart when they come in pieces of %i bytes', (size) => {
  const answers: Answer[] = [];
  const read = createAnswerReader((answer) => answers.push(answer));
  for (let at = 0; at < STREAM.length; at += size) read(STREAM.slice(at, at + size));
  expect(answers).toEqual([
    { status: 302, location: 'https://a.example/?q=1' },
    { status: 404, location: '' },
    { status: 301, location: 'https://b.example' },
  ]);
});
