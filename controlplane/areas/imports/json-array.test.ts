import { describe, expect, it } from 'vitest';
import { itemsOf } from './json-array.js';

/** Sends the text in pieces of `size` characters. */
async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, size: number): Promise<string[]> {
  const items = [];
  for await (const item of itemsOf(piecesOf(text, size), 100)) items.push(item);
  return items;
}

describe.each([1, 3, 1_000])('in pieces of %i characters', (size) => {
  it.each([
    ['[]', []],
    [' \ufeff[ \n ] ', []],
    ['[1]', ['1']],
    ['[{"a":"],}"},"\\"," , [ 2 , 3 ]]', ['{"a":"],}"}', '"\\","', '[ 2 , 3 ]']],
  ])('%s has these items', async (text, items) => {
    expect(await read(text, size)).toEqual(items);
  });

  it.each([
    ['{}', 'It must be one array.'],
    ['[1] [2]', 'It must be one array.'],
    ['[1', 'The array does not end.'],
    ['[1}', 'The array ends with "}".'],
    ['[1,,2]', 'An item is missing beside a comma.'],
    ['[,1]', 'An item is missing beside a comma.'],
    ['[1,]', 'An item is missing beside a comma.'],
    [`["${'a'.repeat(200)}"]`, 'An item is longer than 100 characters.'],
  ])('%s is refused', async (text, reason) => {
    await expect(read(text, size)).rejects.toThrow(`The file is not valid JSON. ${reason}`);
  });
});
