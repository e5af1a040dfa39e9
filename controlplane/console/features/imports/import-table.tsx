import type { Import } from '@waymark/client';
import { Link } from 'wouter-preact';
import { TableFrame } from '../../components/table-frame';
import { agoText } from '../../components/times';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ImportStateBadge } from './import-state';

const { list: words, kinds, check } = texts.imports;
const { columns } = words;

/** Imports, newest first. */
export function ImportTable({ imports }: { readonly imports: readonly Import[] }) {
  return (
    <TableFrame
      label={words.title}
      columns={[
        columns.import,
        columns.state,
        { text: columns.rows, isNumber: true },
        { text: columns.failed, isNumber: true },
        columns.created,
      ]}
    >
      {imports.map(({ id, kind, format, dryRun, state, rows, createdAt }) => (
        <tr key={id}>
          <td>
            <Link href={routes.import(id)}>
              {kinds[kind]}, {format}
              {dryRun && `, ${check}`}
            </Link>
          </td>
          <td>
            <ImportStateBadge state={state} />
          </td>
          <td class="number">{texts.shell.number(rows.total)}</td>
          <td class="number">{texts.shell.number(rows.failed)}</td>
          <td>{agoText(createdAt)}</td>
        </tr>
      ))}
    </TableFrame>
  );
}
