import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../shared/async/in-turns.js';
import { BrokenJson, LongText, parseInSteps } from './large-json.js';

const asItIs = (value: unknown) => value;
const parsed = (text: string) => atOnce(parseInSteps(Buffer.from(text), JSON.parse, asItIs));

/** The same item so often that its array is cut. */
const long = (item: string) =>
  Array.from({ length: Math.ceil(40_000 / (item.length + 1)) }, () => item).join(',');

it.each([
  `{"entries":[${long('{"a":"]},\\"[{"}')}],"options":{"b":[1,2]}}`,
  `{"entries":[${long('"\\\\"')}]}`,
  `{"é":[${long('"é\\u00e9"')}],"é":2}`,
  `{"a":2,"a":[${long('1')}]}`,
  `{"a":[${long('1')}],"a":[${long('2')}]}`,
  ` { "a" : [ ${long(' [ [ 1 ] ] ')} ] } `,
  `[${long('{"a":[1]}')}]`,
  `[[${long('1')}],[${long('2')}]]`,
  `{"a":{"b":[${long('1')}]}}`,
  `{"a":{"b":[${long('1')}],"c":{"b":[${long('{"b":[2]}')}]}},"b":[${long('3')}]}`,
  `{"a":{"b":[${long('1')}]},"a":{"c":[${long('2')}]}}`,
  '{}',
  '"text"',
])('reads %#: the same as at once', (text) => {
  expect(parsed(text)).toEqual(JSON.parse(text));
});

it.each([
  `{"a":[${long('1')},]}`,
  `{"a":[,${long('1')}]}`,
  `{"a":[${long('1')},,${long('1')}]}`,
  `{"a":[${long('1')}}`,
  `{"a":[${long('1')}]]}`,
  `{"a":[${long('1')}]`,
  `{"a":[${long('{]')}]}`,
  `{"a":[${long('1')}],"b":"`,
  `{"a" [${long('1')}]}`,
  `{"a":[${long('1')}]}{"a":[${long('1')}]}`,
  `{"a":[${long('1')} 2]}`,
  `{"a":[${long('1')} 2],"a":1}`,
  `{"a":{"b":[${long('1')} 2]},"a":1}`,
  `{"a":{"b":[${long('1')}}]}`,
  `{"a":{"b":[${long('1')}]`,
  `{"a":[${long('1')} 2],"a":[${long('1')}]}`,
  '}',
])('refuses %#', (text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parsed(text)).toThrow();
});

it('accepts and refuses what JSON does, wherever a character is wrong', () => {
  const item = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.string().map((text) => JSON.stringify(text)),
  );
  const document = fc
    .tuple(
      fc.array(item, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(',', ' ,\n'),
      fc.json({ maxDepth: 1 }),
    )
    .map(([items, comma, other]) => {
      const list = `[${long(items.join(comma))}]`;
      return `{"x":${other},"list":${list},"in":{"list":${list},"z":${other}},"y":[${items[0]}]}`;
    });
  const mistake = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    character: fc.constantFrom('', '"', '\\', '[', ']', '{', '}', ',', ':', '1', ' '),
  });
  fc.assert(
    fc.property(document, fc.option(mistake), (text, wrong) => {
      const at = Math.floor((wrong?.at ?? 0) * text.length);
      const given = wrong === null ? text : text.slice(0, at) + wrong.character + text.slice(at + 1);
      let expected: unknown;
      try {
        expected = JSON.parse(given);
      } catch {
        expect(() => parsed(given)).toThrow();
        return;
      }
      expect(parsed(given)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it.each([
  { text: `{"list":[${long('{"a":"b"}')}]}`, places: ['', 'list.0', 'list.1'] },
  {
    text: `{"paths":{"entries":[${long('{"a":"b"}')}]}}`,
    places: ['', 'paths.entries.0', 'paths.entries.1'],
  },
])('reads items in steps, and names the place of each: $places', ({ text, places }) => {
  const paths: string[] = [];
  const longest = { length: 0 };
  const steps = parseInSteps(
    Buffer.from(text),
    (piece) => {
      longest.length = Math.max(longest.length, piece.length);
      return JSON.parse(piece);
    },
    (value, path) => {
      paths.push(path.join('.'));
      return value;
    },
  );
  let count = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
  expect(count).toBeGreaterThanOrEqual(2);
  expect(longest.length).toBeLessThan(17_000);
  expect(paths.slice(0, 3)).toEqual(places);
  expect(() => atOnce(parseInSteps(Buffer.from('}'), JSON.parse, asItIs))).toThrow(BrokenJson);
});

it('searches a text with many quotes in steps', () => {
  const text = JSON.stringify({ a: '"'.repeat(500_000) });
  const steps = parseInSteps(Buffer.from(text), JSON.parse, asItIs);
  let count = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
  expect(count).toBeGreaterThanOrEqual(Math.floor(text.length / 65_540));
});

it.each([
  { opening: '{"a":"', part: 'b', closing: '"}' },
  { opening: '{"a":1,"list":["', part: '\\"', closing: '"]}' },
])('refuses a text of more than 1 MiB ($opening)', ({ opening, part, closing }) => {
  const parts = 1_048_576 / part.length;
  const document = (count: number) => opening + part.repeat(count) + closing;
  expect(() => parsed(document(parts - 1))).not.toThrow();
  expect(() => parsed(document(parts + 1))).toThrow(new LongText(opening.length - 1));
});
