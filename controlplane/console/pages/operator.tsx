import { Card } from '../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../components/messages';
import { useCertificatesToCheck, useDataplanes } from '../data/operator';
import { CertificateTable } from '../features/operator/certificate-table';
import { DataplaneTable } from '../features/operator/dataplane-table';
import { OperatorFrame } from '../features/operator/operator-frame';
import { ProducerTable } from '../features/operator/producer-table';
import { texts } from '../texts/texts';

const { dataplanes: words, certificates: certificateWords, tabs } = texts.operator;

export default function OperatorPage() {
  return (
    <OperatorFrame part={tabs.dataplanes}>
      <Dataplanes />
      <Certificates />
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

function Certificates() {
  const query = useCertificatesToCheck();
  return (
    <Card title={certificateWords.title} lead={certificateWords.lead} flush>
      <Loaded query={query}>
        {({ certificates, read, isCut }) => (
          <>
            {certificates.length === 0 ? (
              <p class="card-note">{certificateWords.none(read)}</p>
            ) : (
              <CertificateTable certificates={certificates} />
            )}
            {isCut && <p class="card-note">{certificateWords.cut(read)}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}
