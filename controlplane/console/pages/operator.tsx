import { Card } from '../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../components/messages';
import { useDataplanes } from '../data/operator';
import { DataplaneTable } from '../features/operator/dataplane-table';
import { OperatorFrame } from '../features/operator/operator-frame';
import { ProducerTable } from '../features/operator/producer-table';
import { texts } from '../texts/texts';

const { dataplanes: words, tabs } = texts.operator;

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
            {dataplanes.length === 0 ? (
              <EmptyState title={words.empty.title} body={words.empty.body} icon="server" />
            ) : (
              <DataplaneTable dataplanes={dataplanes} />
            )}
          </Card>
          <Card title={words.producers} lead={words.producersLead} flush>
            {producers === null ? (
              <ErrorNote error={words.unreadable} />
            ) : producers.length === 0 ? (
              <p class="card-note">{words.noProducers}</p>
            ) : (
              <ProducerTable producers={producers} />
            )}
          </Card>
        </>
      )}
    </Loaded>
  );
}
