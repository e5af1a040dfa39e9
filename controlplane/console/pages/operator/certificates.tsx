import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Table } from '../../components/table';
import { dateText, Time } from '../../components/times';
import { useCertificatesToCheck } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SearchedList } from '../../features/operator/searched-list';
import { CERTIFICATE_TONES } from '../../features/redirects/certificate-card';
import { texts } from '../../texts/texts';

const { certificates: words, tabs } = texts.operator;
const { columns } = words;

/** Lists certificates that expire soon, fail or are missing. */
export default function CertificatesPage() {
  return (
    <OperatorFrame part={tabs.certificates}>
      <SearchedList words={words} useRows={useCertificatesToCheck}>
        {(certificates) => (
          <Table
            label={tabs.certificates}
            rows={certificates}
            keyOf={({ host }) => host}
            columns={[
              { text: columns.host, class: 'break', cell: ({ host }) => <strong>{host}</strong> },
              { text: columns.owner, class: 'break', cell: ({ email, userId }) => email ?? userId ?? '–' },
              {
                text: columns.state,
                cell: ({ state }) => (
                  <Badge tone={CERTIFICATE_TONES[state]}>{texts.redirects.certificate.states[state]}</Badge>
                ),
              },
              { text: columns.end, class: 'no-wrap', cell: endOf },
              { text: columns.source, cell: ({ source }) => words.sources[source] },
              {
                text: columns.problem,
                class: 'break',
                cell: ({ lastError, source, nextAttemptAt }) => (
                  <>
                    {lastError?.message ?? words.notRenewed[source]}
                    {nextAttemptAt !== null && <p class="quiet">{words.next(dateText(nextAttemptAt))}</p>}
                  </>
                ),
              },
            ]}
          />
        )}
      </SearchedList>
    </OperatorFrame>
  );
}

function endOf({ notAfter }: Schemas.CertificateToCheck) {
  if (notAfter === null) return '–';
  return (
    <>
      <Time at={notAfter} format={dateText} />
      {Date.parse(notAfter) < Date.now() && <Badge tone="bad">{words.ended}</Badge>}
    </>
  );
}
