import type { Schemas } from '@waymark/client';
import { Link } from 'wouter-preact';
import { Table } from '../../components/table';
import { timeText } from '../../components/times';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ChangedByText } from './changed-by';

const { audit: words, history } = texts;

/** Entries of the audit log. Versions of redirects lead to their history. */
export function AuditTable({
  entries,
  onResource,
}: {
  readonly entries: readonly Schemas.AuditEntry[];
  readonly onResource: (id: string) => void;
}) {
  const { at, what, resource, by } = words.columns;
  return (
    <Table
      label={words.title}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { text: at, class: 'no-wrap', cell: (entry) => timeText(entry.at) },
        {
          text: what,
          cell: ({ summary, action }) => (
            <>
              {summary}
              <br />
              <code class="quiet">{action}</code>
            </>
          ),
        },
        { text: resource, cell: (entry) => <Resource entry={entry} onResource={onResource} /> },
        { text: by, cell: (entry) => <ChangedByText by={entry.by} /> },
      ]}
    />
  );
}

function Resource({
  entry: { resource, version },
  onResource,
}: {
  readonly entry: Schemas.AuditEntry;
  readonly onResource: (id: string) => void;
}) {
  const { type, id, name, count } = resource;
  return (
    <>
      {id === null ? (
        (name ?? type)
      ) : (
        <button type="button" class="text-button" onClick={() => onResource(id)}>
          {name ?? `${type} ${id}`}
        </button>
      )}
      {count > 1 && ` ${words.several(count)}`}
      {type === 'redirect' && id !== null && version !== null && (
        <>
          <br />
          <Link href={`${routes.redirectPart(id, 'history')}?version=${version}`} class="quiet">
            {history.version(version)}
          </Link>
        </>
      )}
    </>
  );
}
