import type { Import, Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Select } from '../../components/select';
import { TableFrame } from '../../components/table-frame';
import { isRunning, useImportRows } from '../../data/imports';
import { texts } from '../../texts/texts';

const { rows: words } = texts.imports;
const { columns } = words;
const TONES: Readonly<Record<Schemas.ImportedRow['status'], Tone>> = {
  created: 'good',
  updated: 'accent',
  deleted: 'warning',
  unchanged: 'neutral',
  failed: 'bad',
  skipped: 'neutral',
};

/** Result of each row, with the API's message: why it is not applied, or where it differs from the original. @param status '': all rows */
export function RowTable({
  one,
  status,
  onFilter,
}: {
  readonly one: Import;
  readonly status: string;
  readonly onFilter: (status: string) => void;
}) {
  const list = useImportRows(one.id, status, isRunning(one));
  return (
    <Card
      title={words.title}
      flush
      actions={
        <Select
          class="input choice-input"
          aria-label={words.filter}
          value={status}
          options={{ '': words.all, ...(one.dryRun ? words.checked : words.statuses) }}
          onChoose={onFilter}
        />
      }
    >
      <Loaded query={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <p class="loading">{words.none}</p>;
          return (
            <TableFrame
              label={words.title}
              columns={[
                { text: columns.row, isNumber: true },
                columns.status,
                columns.source,
                columns.message,
              ]}
            >
              {rows.map((row) => (
                <Row key={row.row} row={row} isCheck={one.dryRun} />
              ))}
            </TableFrame>
          );
        }}
      </Loaded>
      {list.hasNextPage && (
        <div class="pages">
          <MoreButton query={list} />
        </div>
      )}
    </Card>
  );
}

function Row({
  row: { row, status, source, message, field },
  isCheck,
}: {
  readonly row: Schemas.ImportedRow;
  readonly isCheck: boolean;
}) {
  return (
    <tr>
      <td class="number">{texts.shell.number(row)}</td>
      <td>
        <Badge tone={TONES[status]}>{(isCheck ? words.checked : words.statuses)[status]}</Badge>
      </td>
      <td class="row-source">
        <code>{source}</code>
      </td>
      <td class="row-message">
        {field !== undefined && <code class="quiet">{field}</code>} {message}
      </td>
    </tr>
  );
}
