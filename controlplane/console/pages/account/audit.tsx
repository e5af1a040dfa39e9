import type { Schemas } from '@waymark/client';
import { Link } from 'wouter-preact';
import { useAddressFilter } from '../../components/address-filter';
import { ChoiceField, PeriodFilter } from '../../components/filters';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { Table } from '../../components/table';
import { timeText } from '../../components/times';
import { type AuditFilter, auditExportAddress, useAudit } from '../../data/history';
import { AccountFrame } from '../../features/account/account-frame';
import { ChangedByText } from '../../features/history/changed-by';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { audit: words, history } = texts;
const { filters } = words;

export default function AuditPage() {
  const [filter, change] = useAddressFilter('resource', 'action', 'since', 'until');
  const list = useAudit(filter);
  return (
    <AccountFrame part={words.title}>
      <p class="lead">{words.lead}</p>
      <AuditFilters filter={filter} onChange={change} />
      <p>
        <span class="quiet">{words.exportAs}</span>{' '}
        {(['csv', 'ndjson'] as const).map((format) => (
          <a key={format} class="export-link" href={auditExportAddress(filter, format)} download>
            {words.formats[format]}
          </a>
        ))}
      </p>
      <PagedList query={list} empty={<EmptyState {...words.empty} icon="clock" />}>
        {(entries) => <AuditTable entries={entries} onResource={(resource) => change({ resource })} />}
      </PagedList>
    </AccountFrame>
  );
}

/** Filters of the log. */
function AuditFilters({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter;
  readonly onChange: (changed: Partial<AuditFilter>) => void;
}) {
  const isOneResource = filter.resource !== '' && !(filter.resource in filters.resources);
  return (
    <search class="form-row form-row-narrow" aria-label={filters.label}>
      <ChoiceField
        label={filters.resource}
        value={filter.resource}
        options={{
          ...filters.resources,
          ...(isOneResource && { [filter.resource]: filters.oneResource(filter.resource) }),
        }}
        onChange={(resource) => onChange({ resource })}
      />
      <ChoiceField
        label={filters.action}
        value={filter.action}
        options={filters.actions}
        onChange={(action) => onChange({ action })}
      />
      <PeriodFilter period={filter} onChange={onChange} />
    </search>
  );
}

/** Lists entries of the audit log. A version of a redirect links to the redirect's history. */
function AuditTable({
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
