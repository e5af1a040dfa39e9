import type { PathEntry } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { TableFrame } from '../../components/table-frame';
import type { ShownEntry } from '../../data/paths';
import { texts } from '../../texts/texts';

const { paths: words } = texts;

/** The entries of a path table. */
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
    <TableFrame
      label={words.title}
      columns={[
        words.source,
        words.destination,
        { text: words.hits, isNumber: true },
        { text: words.actions, isHidden: true },
      ]}
    >
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <code>{entry.source}</code>
            <Conditions query={entry.query} />
            {!entry.enabled && ' '}
            {!entry.enabled && <Badge>{words.disabledBadge}</Badge>}
            {entry.note && <p class="quiet">{entry.note}</p>}
          </td>
          <td>
            {entry.destination === null ? (
              <Badge tone="warning">{`${entry.statusCode} ${words.gone}`}</Badge>
            ) : (
              <>
                <code>{entry.destination}</code> <span class="quiet">{entry.statusCode}</span>
              </>
            )}
          </td>
          <td class="number">{texts.shell.number(entry.hitCount)}</td>
          <td class="actions">
            <Button small icon="edit" label={words.edit(entry.source)} onClick={() => onEdit(entry)} />
            <Button
              small
              icon="trash"
              label={words.deleteOne(entry.source)}
              onClick={() => onDelete(entry)}
            />
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

/** The query parameters that an entry asks for. */
function Conditions({ query }: { readonly query: PathEntry['query'] }) {
  if (query === null) return null;
  const parts = Object.entries(query).map(([name, value]) =>
    value === true ? name : value === false ? `no ${name}` : `${name}=${value}`,
  );
  return <code class="quiet">{` ?${parts.join('&')}`}</code>;
}
