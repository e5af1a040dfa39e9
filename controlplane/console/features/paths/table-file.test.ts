import { describe, expect, it } from 'vitest';
import { readTable, UnreadableTable } from './table-file';

const words = {
  notJson: (line: number) => `line ${line}`,
  noEntries: 'no entries',
  noSource: 'no source',
  openQuote: 'a quote',
};
const entriesOf = (name: string, text: string) => readTable(name, text, words).entries;

describe('readTable', () => {
  it('reads CSV in the export format: quotes, line ends in cells, numbers, booleans and JSON', () => {
    const text = [
      '\ufeffid,source,query,destination,statusCode,queryForwarding,enabled,note,hitCount',
      '7,/a,"{""id"":""7"",""x"":true}",/b,302,true,false,"said ""no"", twice",12',
      '8,/b,,/c,,inherit,,"two',
      'lines",0',
      '',
    ].join('\r\n');
    expect(entriesOf('paths.csv', text)).toEqual([
      {
        ...{ source: '/a', query: { id: '7', x: true }, destination: '/b', statusCode: 302 },
        ...{ queryForwarding: true, enabled: false, note: 'said "no", twice' },
      },
      { source: '/b', destination: '/c', queryForwarding: 'inherit', note: 'two\r\nlines' },
    ]);
  });

  it('passes invalid values on, so that the API refuses them', () => {
    expect(entriesOf('x.CSV', 'source,statusCode\n/a,none\n,301')).toEqual([
      { source: '/a', statusCode: 'none' },
      { statusCode: 301 },
    ]);
  });

  it('reads NDJSON, and JSON with a list or a table', () => {
    const entry = { source: '/a', destination: '/b' };
    const line = JSON.stringify({ ...entry, id: 3, hitCount: 9 });
    expect(entriesOf('paths.ndjson', `${line}\n\n${line}\n`)).toEqual([entry, entry]);
    expect(entriesOf('paths.json', `[${line}]`)).toEqual([entry]);
    expect(readTable('paths.json', `{"options":{"ignoreCase":true},"entries":[${line}]}`, words)).toEqual({
      options: { ignoreCase: true },
      entries: [entry],
    });
  });

  it.each([
    ['a.json', '{', 'line 1'],
    ['a.ndjson', '{}\n{', 'line 2'],
    ['a.json', '{"paths":[]}', 'no entries'],
    ['a.csv', 'from,to\n/a,/b', 'no source'],
    ['a.csv', 'source,note\n/a,"open', 'a quote'],
  ])('refuses %s with %s', (name, text, message) => {
    expect(() => readTable(name, text, words)).toThrow(new UnreadableTable(message));
  });
});
