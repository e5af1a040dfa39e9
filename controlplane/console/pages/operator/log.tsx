import type { Schemas } from '@waymark/client';
import { ChoiceField, PeriodFilter } from '../../components/filters';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { TableFrame } from '../../components/table-frame';
import { timeText } from '../../components/times';
import { useAddressFilter } from '../../components/use-address-filter';
import { useOperatorLog } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SearchField } from '../../features/redirects/redirect-filters';
import { texts } from '../../texts/texts';

const { log: words, tabs } = texts.operator;

export default function OperatorLogPage() {
  return (
    <OperatorFrame part={tabs.log}>
      <p class="lead">{words.lead}</p>
      <Log />
    </OperatorFrame>
  );
}

function Log() {
  const [filter, change] = useAddressFilter('action', 'search', 'since', 'until');
  return (
    <>
      <div class="filters">
        <SearchField label={words.search} value={filter.search} onChange={(search) => change({ search })} />
      </div>
      <search class="form-row form-row-narrow" aria-label={words.filters}>
        <ChoiceField
          label={words.action}
          value={filter.action}
          options={words.actions}
          onChange={(action) => change({ action })}
        />
        <PeriodFilter period={filter} onChange={change} />
      </search>
      <PagedList
        query={useOperatorLog(filter)}
        empty={<EmptyState title={words.empty.title} body={words.empty.body} icon="clock" />}
      >
        {(entries) => <LogTable entries={entries} />}
      </PagedList>
    </>
  );
}

function LogTable({ entries }: { readonly entries: readonly Schemas.OperatorLogEntry[] }) {
  const { at, action, subject, operator } = words.columns;
  return (
    <TableFrame label={tabs.log} columns={[at, action, subject, operator]}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td class="no-wrap">{timeText(entry.at)}</td>
          <td>
            {words.actions[entry.action] ?? entry.action}
            <br />
            <code class="quiet">{entry.action}</code>
          </td>
          <td class="break">
            {entry.subject}
            {detailsOf(entry).map((text) => (
              <p key={text} class="quiet">
                {text}
              </p>
            ))}
          </td>
          <td>{entry.operatorEmail ?? entry.operatorId}</td>
        </tr>
      ))}
    </TableFrame>
  );
}

/** Members of the entry, by their names in the API. */
function detailsOf({ subject, detail }: Schemas.OperatorLogEntry): readonly string[] {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '' && value !== subject)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
