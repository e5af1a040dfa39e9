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
