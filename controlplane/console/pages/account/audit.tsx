import { useAddressFilter } from '../../components/address-filter';
import { ChoiceField, PeriodFilter } from '../../components/filters';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { type AuditFilter, auditExportAddress, useAudit } from '../../data/history';
import { AccountFrame } from '../../features/account/account-frame';
import { AuditTable } from '../../features/history/audit-table';
import { texts } from '../../texts/texts';

const { audit: words } = texts;
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
