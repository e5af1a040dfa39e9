import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { TableFrame } from '../../components/table-frame';
import { dateText, timeText } from '../../components/times';
import { texts } from '../../texts/texts';
import { CERTIFICATE_TONES } from '../redirects/certificate-tones';

const { certificates: words, tabs } = texts.operator;
const { columns } = words;

/** Certificates that end soon, fail or are missing. */
export function CertificateTable({
  certificates,
}: {
  readonly certificates: readonly Schemas.CertificateToCheck[];
}) {
  return (
    <TableFrame
      label={tabs.certificates}
      columns={[columns.host, columns.owner, columns.state, columns.end, columns.source, columns.problem]}
    >
      {certificates.map(({ host, userId, email, state, notAfter, source, lastError, nextAttemptAt }) => (
        <tr key={host}>
          <td class="break">
            <strong>{host}</strong>
          </td>
          <td class="break">{email ?? userId ?? '–'}</td>
          <td>
            <Badge tone={CERTIFICATE_TONES[state]}>{texts.redirects.certificate.states[state]}</Badge>
          </td>
          <td class="no-wrap">
            {notAfter === null ? '–' : <time title={timeText(notAfter)}>{dateText(notAfter)}</time>}
            {notAfter !== null && Date.parse(notAfter) < Date.now() && (
              <Badge tone="bad">{words.ended}</Badge>
            )}
          </td>
          <td>{words.sources[source]}</td>
          <td class="break">
            {lastError?.message ?? words.notRenewed[source]}
            {nextAttemptAt !== null && <p class="quiet">{words.next(dateText(nextAttemptAt))}</p>}
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}
