import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts';

interface Column<Row> {
  readonly text: string;
  /** CSS class of its cells. `number` also aligns the heading. */
  readonly class?: string;
  /** Whether its cells are row headings. */
  readonly isHeading?: boolean;
  /** Returns the content of a row's cell. A number is shown with thousands separators. */
  readonly cell: (row: Row) => ComponentChildren;
}

const ACTIONS = 'actions';

/** A table. On narrow screens it scrolls sideways, also by keyboard. */
export function Table<Row>({
  label,
  rows,
  keyOf,
  rowClass,
  columns,
  actions,
  empty,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  readonly rowClass?: string;
  readonly columns: readonly Column<Row>[];
  /** Buttons of a row, in the last column. The heading of that column is for screen readers only. */
  readonly actions?: (row: Row) => ComponentChildren;
  /** Shown in place of a table without rows. */
  readonly empty?: ComponentChildren;
}) {
  if (rows.length === 0 && empty !== undefined) return empty;
  const shown = actions
    ? [...columns, { text: texts.shell.actions, class: ACTIONS, cell: actions }]
    : columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {shown.map(({ text, class: name }) => (
              <th key={text} scope="col" class={name === 'number' ? name : undefined}>
                {name === ACTIONS ? <span class="visually-hidden">{text}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} class={rowClass}>
              {shown.map((column) => (
                <Cell key={column.text} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const content = column.cell(row);
  const shown = typeof content === 'number' ? texts.shell.number(content) : content;
  return column.isHeading ? <th scope="row">{shown}</th> : <td class={column.class}>{shown}</td>;
}
