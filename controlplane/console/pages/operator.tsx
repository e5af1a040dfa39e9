import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../components/badge';
import { Card } from '../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../components/messages';
import { Table } from '../components/table';
import { agoText } from '../components/times';
import { useDataplanes } from '../data/operator';
import { OperatorFrame } from '../features/operator/operator-frame';
import { texts } from '../texts/texts';

const { dataplanes: words, tabs } = texts.operator;
const TONES: Readonly<Record<Schemas.Dataplane['state'], Tone>> = {
  cold: 'bad',
  live: 'good',
  resync: 'accent',
  stale: 'warning',
};

export default function OperatorPage() {
  return (
    <OperatorFrame part={tabs.dataplanes}>
      <Dataplanes />
    </OperatorFrame>
  );
}

function Dataplanes() {
  const overview = useDataplanes();
  return (
    <Loaded query={overview}>
      {({ dataplanes, head, producers }) => (
        <>
          <Card title={tabs.dataplanes} lead={`${words.head}: ${head}`} flush>
            <DataplaneTable dataplanes={dataplanes} />
          </Card>
          <Card title={words.producers} lead={words.producersLead} flush>
            {producers === null ? (
              <ErrorNote error={words.unreadable} />
            ) : (
              <ProducerTable producers={producers} />
            )}
          </Card>
        </>
      )}
    </Loaded>
  );
}

/** Lists the ruleset of each data plane and its lag. */
function DataplaneTable({ dataplanes }: { readonly dataplanes: readonly Schemas.Dataplane[] }) {
  const { columns } = words;
  return (
    <Table
      label={tabs.dataplanes}
      rows={dataplanes}
      empty={<EmptyState {...words.empty} icon="server" />}
      keyOf={({ id }) => id}
      columns={[
        {
          text: columns.host,
          cell: ({ host, pid, lastError }) => (
            <>
              <strong>{host}</strong> <span class="quiet">{pid}</span>
              {lastError && <p class="field-error">{lastError}</p>}
            </>
          ),
        },
        {
          text: columns.state,
          cell: ({ state }) => <Badge tone={TONES[state]}>{words.states[state]}</Badge>,
        },
        { text: columns.version, cell: ({ version }) => version?.toString() ?? '–' },
        { text: columns.behind, class: 'number', cell: ({ behind }) => behind?.toString() ?? '–' },
        { text: columns.hosts, class: 'number', cell: ({ hosts }) => hosts ?? '–' },
        { text: columns.reported, cell: ({ reportedAt }) => agoText(reportedAt) },
      ]}
    />
  );
}

/** Lists the recorded, delivered, duplicated and lost visits of each data plane. */
function ProducerTable({ producers }: { readonly producers: readonly Schemas.Producer[] }) {
  const columns = words.producerColumns;
  return (
    <Table
      label={words.producers}
      rows={producers}
      empty={<p class="card-note">{words.noProducers}</p>}
      keyOf={({ id }) => id}
      columns={[
        { text: columns.id, cell: ({ id }) => <code>{id}</code> },
        { text: columns.seen, cell: ({ seenAt }) => agoText(seenAt) },
        { text: columns.recorded, class: 'number', cell: ({ recorded }) => recorded },
        { text: columns.stored, class: 'number', cell: ({ stored }) => stored },
        {
          text: columns.lost,
          class: 'number',
          cell: ({ lost }) =>
            lost === 0 ? lost : <span class="field-error">{texts.shell.number(lost)}</span>,
        },
        { text: columns.duplicated, class: 'number', cell: ({ duplicated }) => duplicated },
      ]}
    />
  );
}
