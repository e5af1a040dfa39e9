/** A column of a table of `Row`s. */
export interface Column<Row> {
  readonly title: string;
  /** Whether the column holds text, which is aligned left. Numbers are aligned right. */
  readonly isText?: boolean;
  readonly cell: (row: Row) => string;
}

/** A Markdown table whose columns also line up as plain text. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const aligned = columns.map(({ title, isText, cell }) => {
    const cells = [title, ...rows.map(cell)];
    const width = Math.max(...cells.map((text) => text.length));
    const [head = '', ...body] = cells.map((text) => (isText ? text.padEnd(width) : text.padStart(width)));
    return [head, isText ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`, ...body];
  });
  const lineNumbers = Array.from({ length: rows.length + 2 }, (_, line) => line);
  return lineNumbers.map((line) => `| ${aligned.map((cells) => cells[line]).join(' | ')} |`).join('\n');
}

/** A table of named figures, one a line. */
export function formatFigures(figures: readonly (readonly [what: string, value: string])[]): string {
  return formatTable(
    [
      { title: 'figure', isText: true, cell: ([what]) => what },
      { title: 'measured', cell: ([, value]) => value },
    ],
    figures,
  );
}

/** Two decimals. */
export function formatDecimal(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}

/** 12,345 */
export function formatWhole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
