import type { ImportedRow, ImportFormat } from './import-format.js';

/** Passes a text on in pieces of `size` characters. */
export async function* inPieces(text: string, size = 7): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

export async function rowsOf(format: ImportFormat, text: string, size?: number): Promise<ImportedRow[]> {
  const rows: ImportedRow[] = [];
  for await (const row of format.read(inPieces(text, size))) rows.push(row);
  return rows;
}

/** Formats rows briefly: source and destination of a redirect, or the reason why it is not imported. */
export async function shownRows(format: ImportFormat, text: string): Promise<string[]> {
  return (await rowsOf(format, text)).map((row) => {
    if (row.status !== 'read') return `${row.status}: ${row.message}`;
    const { host, path, query, destination, statusCode, pathForwarding, queryForwarding, note, ignoresCase } =
      row.redirect;
    const from = `${host ?? ''}${path ?? ' (host)'}${ignoresCase ? ' (any case)' : ''}${query === null ? '' : ` ${JSON.stringify(query)}`}`;
    const forwards = [pathForwarding === true ? '+path' : '', queryForwarding === true ? '+query' : ''].join(
      '',
    );
    return `${from} -> ${statusCode} ${destination ?? ''}${forwards}${note === '' ? '' : ` (${note})`}`;
  });
}
