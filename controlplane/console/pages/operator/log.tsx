import type { Schemas } from '@waymark/client';
import { useAddressFilter } from '../../components/address-filter';
import { ChoiceField, PeriodFilter } from '../../components/filters';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';
import { Table } from '../../components/table';
import { timeText } from '../../components/times';
import { useOperatorLog } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
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
  const { at, action, subject, operator } = words.columns;
  return (
    <>
      <AddressSearch label={words.search} />
      <search class="form-row form-row-narrow" aria-label={words.filters}>
        <ChoiceField
          label={words.action}
          value={filter.action}
          options={words.actions}
          onChange={(chosen) => change({ action: chosen })}
        />
        <PeriodFilter period={filter} onChange={change} />
      </search>
      <PagedList query={useOperatorLog(filter)} empty={<EmptyState {...words.empty} icon="clock" />}>
        {(entries) => (
          <Table
            label={tabs.log}
            rows={entries}
            keyOf={({ id }) => id}
            columns={[
              { text: at, class: 'no-wrap', cell: (entry) => timeText(entry.at) },
              {
                text: action,
                cell: (entry) => (
                  <>
                    {words.actions[entry.action] ?? entry.action}
                    <br />
                    <code class="quiet">{entry.action}</code>
                  </>
                ),
              },
              {
                text: subject,
                class: 'break',
                cell: (entry) => (
                  <>
                    {entry.subject}
                    {detailsOf(entry).map((text) => (
                      <p key={text} class="quiet">
                        {text}
                      </p>
                    ))}
                  </>
                ),
              },
              { text: operator, cell: ({ operatorEmail, operatorId }) => operatorEmail ?? operatorId },
            ]}
          />
        )}
      </PagedList>
    </>
  );
}

/** Returns the members of an entry with their names in the API. */
function detailsOf({ subject, detail }: Schemas.OperatorLogEntry): readonly string[] {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '' && value !== subject)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
