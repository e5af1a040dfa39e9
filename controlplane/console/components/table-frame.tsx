import type { ComponentChildren } from 'preact';

type Column = string | { readonly text: string; readonly isNumber?: boolean; readonly isHidden?: boolean };

/** A table with its head. On narrow screens it scrolls sideways, also by the keyboard. */
export function TableFrame({
  label,
  columns,
  children,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="table">
        <thead>
          <tr>{columns.map(headOf)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function headOf(column: Column) {
  const { text, isNumber = false, isHidden = false } = typeof column === 'string' ? { text: column } : column;
  return (
    <th key={text} scope="col" class={isNumber ? 'number' : undefined}>
      {isHidden ? <span class="visually-hidden">{text}</span> : text}
    </th>
  );
}
