import type { PathEntry } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Table } from '../../components/table';
import type { ShownEntry } from '../../data/paths';
import { texts } from '../../texts/texts';

const { paths: words } = texts;

/** Lists the entries of a path table. */
export function PathTable({
  entries,
  onEdit,
  onDelete,
}: {
  readonly entries: readonly ShownEntry[];
  readonly onEdit: (entry: ShownEntry) => void;
  readonly onDelete: (entry: ShownEntry) => void;
}) {
  return (
    <Table
      label={words.title}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          text: words.source,
          cell: ({ source, query, enabled, note }) => (
            <>
              <code>{source}</code>
              <Conditions query={query} />
              {!enabled && ' '}
              {!enabled && <Badge>{words.disabledBadge}</Badge>}
              {note && <p class="quiet">{note}</p>}
            </>
          ),
        },
        {
          text: words.destination,
          cell: ({ destination, statusCode }) =>
            destination === null ? (
              <Badge tone="warning">{`${statusCode} ${words.gone}`}</Badge>
            ) : (
              <>
                <code>{destination}</code> <span class="quiet">{statusCode}</span>
              </>
            ),
        },
        { text: words.hits, class: 'number', cell: ({ hitCount }) => hitCount },
      ]}
      actions={(entry) => (
        <>
          <Button small icon="edit" label={words.edit(entry.source)} onClick={() => onEdit(entry)} />
          <Button small icon="trash" label={words.deleteOne(entry.source)} onClick={() => onDelete(entry)} />
        </>
      )}
    />
  );
}

/** Shows the query parameters that an entry requires. */
function Conditions({ query }: { readonly query: PathEntry['query'] }) {
  if (query === null) return null;
  const parts = Object.entries(query).map(([name, value]) =>
    value === true ? name : value === false ? `no ${name}` : `${name}=${value}`,
  );
  return <code class="quiet">{` ?${parts.join('&')}`}</code>;
}
