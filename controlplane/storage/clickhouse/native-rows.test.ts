import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readBlock } from '../../../shared/native/column-values.js';
import { beginBlock, beginColumn, writeTexts } from '../../../shared/native/native-block.js';
import { NativeFormatError, NativeReader } from '../../../shared/native/native-reader.js';
import { NativeWriter } from '../../../shared/native/native-writer.js';
import { TextDictionary } from '../../../shared/native/text-dictionary.js';
import { createTestStore, type TestStore } from './analytics-store.fixture.js';

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
  await test.store.command(
    'CREATE TABLE texts (row UInt64, text LowCardinality(String), plain String) ENGINE = MergeTree ORDER BY row',
  );
});
afterAll(() => test.remove());
beforeEach(() => test.store.command('TRUNCATE TABLE texts'));

const LOW_CARDINALITY = 'LowCardinality(String)';

/** A block with a row for each text, which comes with a dictionary and without. */
function blockOf(texts: readonly string[]): Uint8Array {
  const writer = new NativeWriter();
  const dictionary = new TextDictionary();
  const indexes = Uint32Array.from(texts, (text) => dictionary.indexOf(text));
  beginBlock(writer, 3, texts.length);
  beginColumn(writer, 'row', 'UInt64');
  writer.uint64s(Float64Array.from(texts, (_, row) => 2 ** 40 + row));
  beginColumn(writer, 'text', LOW_CARDINALITY);
  writeTexts(writer, dictionary, indexes);
  beginColumn(writer, 'plain', 'String');
  for (const text of texts) writer.text(text);
  return writer.written();
}

const insert = (block: Uint8Array) =>
  test.store.insertRows({ table: 'texts', columns: ['row', 'text', 'plain'], rows: { block } });

it.each([
  ['one', ['']],
  ['as many as one byte can tell apart', Array.from({ length: 256 }, (_, n) => `text ${n}`)],
  ['one more', Array.from({ length: 257 }, (_, n) => `text ${n}`)],
  ['70,000, which takes four bytes each', Array.from({ length: 70_000 }, (_, n) => `text ${n}`)],
])('a dictionary of %s is what the engine reads', async (_, texts) => {
  const rows = [...texts, ...texts.toReversed()];
  await insert(blockOf(rows));
  const found = await test.store.query(
    `SELECT count() AS rows, uniqExact(text) AS texts, countIf(text = plain) AS equal, min(row) AS first,
       arrayStringConcat(groupArray(text), '|') AS inOrder
     FROM (SELECT * FROM texts ORDER BY row)`,
  );
  expect(found).toEqual([
    {
      rows: rows.length,
      texts: texts.length,
      equal: rows.length,
      first: 2 ** 40,
      inOrder: rows.join('|'),
    },
  ]);
});

it.each([
  ['quotes and backslashes', '\'a"b\\c'],
  ['line ends and controls', 'a\r\nb\u0000c\u001f\u007f\u2028'],
  ['all planes', 'äß€😀'],
  ['more bytes than one digit tells, though fewer characters', 'ž'.repeat(100)],
  ['127 bytes', 'x'.repeat(127)],
  ['128 bytes', 'x'.repeat(128)],
  ['the most bytes that there can be', '€'.repeat(5_461)],
])('a text of %s arrives as it was', async (_, text) => {
  await insert(blockOf([text, 'next', text]));
  const found = await test.store.query('SELECT text, plain FROM texts ORDER BY row');
  expect(found).toEqual([text, 'next', text].map((each) => ({ text: each, plain: each })));
});

it('what has no UTF-8 form arrives as U+FFFD', async () => {
  await insert(blockOf(['a\ud800b', `${'x'.repeat(100)}\udc00`]));
  const found = await test.store.query('SELECT plain FROM texts ORDER BY row');
  expect(found).toEqual([{ plain: 'a\ufffdb' }, { plain: `${'x'.repeat(100)}\ufffd` }]);
});

it('a text longer than any may be is refused', () => {
  expect(() => new NativeWriter().text('x'.repeat(5_462))).toThrow(RangeError);
});

it('what is written can be read, up to the end', () => {
  const texts = ['', 'a', 'ž', 'a', 'x'.repeat(300)];
  const reader = new NativeReader(blockOf(texts));
  expect([reader.varint(), reader.varint()]).toEqual([3, 5]);
  reader.expectColumn('row', 'UInt64');
  expect(texts.map(() => reader.uint64())).toEqual(texts.map((_, row) => 2 ** 40 + row));
  reader.expectColumn('text', LOW_CARDINALITY);
  const { texts: different, indexes } = reader.texts(texts.length);
  expect(Array.from(indexes, (index) => different[index])).toEqual(texts);
  reader.expectColumn('plain', 'String');
  expect(texts.map(() => reader.text())).toEqual(texts);
  expect(reader.isAtEnd).toBe(true);
});

it('a block cut anywhere is refused, and nothing else is thrown', () => {
  const block = blockOf(['a', 'ž', 'a']);
  for (let length = 0; length < block.length; length += 1) {
    const reader = new NativeReader(block.subarray(0, length));
    const read = () => {
      reader.varint();
      reader.varint();
      reader.expectColumn('row', 'UInt64');
      for (let row = 0; row < 3; row += 1) reader.uint64();
      reader.expectColumn('text', LOW_CARDINALITY);
      reader.texts(3);
      reader.expectColumn('plain', 'String');
      for (let row = 0; row < 3; row += 1) reader.text();
    };
    expect(read, `${length} bytes`).toThrow('the block ends within a value');
  }
});

it('blocks of the engine are read as the values that they were made of', async () => {
  const count = 70_000;
  const blocks = await test.store.queryBlocks(
    `SELECT number * 3 AS wide, toUInt8(number % 7) AS narrow, toUInt16(number % 999) AS status, toUInt32(number) AS place,
       sqrt(number) AS root, sipHash64(number) AS hash, lower(hex(hash)) AS digits,
       if(number % 2 = 0, '', repeat('é', number % 200)) AS plain, toLowCardinality(toString(number % 300)) AS text
     FROM numbers({count:UInt32})`,
    { count },
  );
  const reader = new NativeReader(blocks);
  const wrong: number[] = [];
  let row = 0;
  while (!reader.isAtEnd) {
    const { rows, numbers, texts } = readBlock(reader);
    for (let index = 0; index < rows; index += 1, row += 1) {
      const isRight =
        numbers('wide')?.at(index) === row * 3 &&
        numbers('narrow')?.at(index) === row % 7 &&
        numbers('status')?.at(index) === row % 999 &&
        numbers('place')?.at(index) === row &&
        numbers('root')?.at(index) === Math.sqrt(row) &&
        numbers('hash')?.hexAt(index) === texts('digits')?.at(index).padStart(16, '0') &&
        texts('plain')?.at(index) === (row % 2 === 0 ? '' : 'é'.repeat(row % 200)) &&
        texts('text')?.at(index) === String(row % 300);
      if (!isRight) wrong.push(row);
    }
    expect([numbers('text'), texts('wide'), texts('none')]).toEqual([undefined, undefined, undefined]);
  }
  expect(row).toBe(count);
  expect(wrong).toEqual([]);
});

it('blocks without rows, cut blocks and columns of other types are told apart', async () => {
  const of = (sql: string) => test.store.queryBlocks(sql);
  for (const sql of ["SELECT 'x' AS plain, toLowCardinality('x') AS text, 1 AS n WHERE 0"]) {
    const reader = new NativeReader(await of(sql));
    while (!reader.isAtEnd) expect(readBlock(reader).rows).toBe(0);
  }
  const whole = await of("SELECT 'a text' AS plain FROM numbers(100)");
  expect(readBlock(new NativeReader(whole)).texts('plain')?.at(99)).toBe('a text');
  for (const length of [whole.length - 1, 60, 20]) {
    expect(() => readBlock(new NativeReader(whole.subarray(0, length)))).toThrow(NativeFormatError);
  }
  const other = await of('SELECT toDecimal32(1, 2) AS price');
  expect(() => readBlock(new NativeReader(other))).toThrow('the column price has the type Decimal');
});
