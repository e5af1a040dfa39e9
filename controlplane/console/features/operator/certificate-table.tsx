import { Badge } from '../../components/badge';
import { TableFrame } from '../../components/table-frame';
import { dateText } from '../../components/times';
import type { Certificate } from '../../data/records';
import { texts } from '../../texts/texts';
import { CERTIFICATE_TONES } from '../redirects/certificate-tones';

const { certificates: words } = texts.operator;
const { columns } = words;

/** Certificates that end soon or fail, those first that end first. */
export function CertificateTable({ certificates }: { readonly certificates: readonly Certificate[] }) {
  return (
    <TableFrame
      label={words.title}
      columns={[columns.host, columns.state, columns.end, columns.source, columns.problem]}
    >
      {certificates.map(({ host, state, notAfter, source, lastError, nextAttemptAt }) => (
        <tr key={host}>
          <td>
            <strong>{host}</strong>
          </td>
          <td>
            <Badge tone={CERTIFICATE_TONES[state]}>{texts.redirects.certificate.states[state]}</Badge>
          </td>
          <td>{notAfter === null ? '–' : dateText(notAfter)}</td>
          <td>{words.sources[source]}</td>
          <td class="break">
            {lastError?.message ?? (source === 'uploaded' ? words.notRenewed : '')}
            {nextAttemptAt !== null && <p class="quiet">{words.next(dateText(nextAttemptAt))}</p>}
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}
