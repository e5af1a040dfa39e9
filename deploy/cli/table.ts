import { printable, type Style, type Terminal } from './terminal.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  readonly align?: 'right';
  readonly style?: (row: Row) => Style | undefined;
  /** Whether the column is shortened when the terminal is narrow. */
  readonly shrinks?: boolean;
}

const GAP = '  ';
const MIN_SHRUNK = 12;

/** Prints rows as a table that fits the terminal. */
export function printTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
): void {
  const cells = rows.map((row) => columns.map(({ value }) => textOf(value(row))));
  const widths = widthsOf(terminal, columns, cells);
  const line = (texts: readonly string[], style: (index: number) => Style | undefined) =>
    texts
      .map((text, index) => {
        const shown = fitted(text, widths[index] ?? 0, columns[index]?.align);
        const name = style(index);
        return name === undefined ? shown : terminal.style(name, shown);
      })
      .join(GAP)
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  terminal.print(line(titles, () => 'dim'));
  cells.forEach((texts, index) => {
    terminal.print(line(texts, (column) => columns[column]?.style?.(rows[index] as Row)));
  });
}

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : printable(String(value));
}

function widthsOf<Row>(
  terminal: Terminal,
  columns: ReadonlyArray<Column<Row>>,
  cells: readonly (readonly string[])[],
): number[] {
  const widths = columns.map(({ title }, index) =>
    cells.reduce((width, texts) => Math.max(width, texts[index]?.length ?? 0), title.length),
  );
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - terminal.columns;
  while (excess > 0) {
    const widest = columns
      .map((column, index) => (column.shrinks === true ? index : -1))
      .filter((index) => (widths[index] ?? 0) > MIN_SHRUNK)
      .sort((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess--;
  }
  return widths;
}

function fitted(text: string, width: number, align: 'right' | undefined): string {
  const shown = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
  return align === 'right' ? shown.padStart(width) : shown.padEnd(width);
}
