import { useAddressFilter } from '../../components/address-filter';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { auditExportAddress, useAudit } from '../../data/history';
import { AccountFrame } from '../../features/account/account-frame';
import { AuditFilters } from '../../features/history/audit-filters';
import { AuditTable } from '../../features/history/audit-table';
import { texts } from '../../texts/texts';

const { audit: words } = texts;

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
      <PagedList
        query={list}
        empty={<EmptyState title={words.empty.title} body={words.empty.body} icon="clock" />}
      >
        {(entries) => <AuditTable entries={entries} onResource={(resource) => change({ resource })} />}
      </PagedList>
    </AccountFrame>
  );
}
