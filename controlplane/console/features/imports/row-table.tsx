import type { Import, Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Select } from '../../components/select';
import { Table } from '../../components/table';
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
  const results = one.dryRun ? words.checked : words.statuses;
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
          options={{ '': words.all, ...results }}
          onChoose={onFilter}
        />
      }
    >
      <Loaded query={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <p class="loading">{words.none}</p>;
          return (
            <Table
              label={words.title}
              rows={rows}
              keyOf={({ row }) => row}
              columns={[
                { text: columns.row, class: 'number', cell: ({ row }) => row },
                {
                  text: columns.status,
                  cell: ({ status: result }) => <Badge tone={TONES[result]}>{results[result]}</Badge>,
                },
                { text: columns.source, class: 'row-source', cell: ({ source }) => <code>{source}</code> },
                {
                  text: columns.message,
                  class: 'row-message',
                  cell: ({ field, message }) => (
                    <>
                      {field !== undefined && <code class="quiet">{field}</code>} {message}
                    </>
                  ),
                },
              ]}
            />
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
