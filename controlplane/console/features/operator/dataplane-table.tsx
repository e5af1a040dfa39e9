import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { TableFrame } from '../../components/table-frame';
import { agoText } from '../../components/times';
import { texts } from '../../texts/texts';

const { dataplanes: words, tabs } = texts.operator;
const { columns } = words;
const TONES: Readonly<Record<Schemas.Dataplane['state'], Tone>> = {
  cold: 'bad',
  live: 'good',
  resync: 'accent',
  stale: 'warning',
};

/** What each data plane serves, and how far it is behind. */
export function DataplaneTable({ dataplanes }: { readonly dataplanes: readonly Schemas.Dataplane[] }) {
  return (
    <TableFrame
      label={tabs.dataplanes}
      columns={[
        columns.host,
        columns.state,
        columns.version,
        { text: columns.behind, isNumber: true },
        { text: columns.hosts, isNumber: true },
        columns.reported,
      ]}
    >
      {dataplanes.map((dataplane) => (
        <tr key={dataplane.id}>
          <td>
            <strong>{dataplane.host}</strong> <span class="quiet">{dataplane.pid}</span>
            {dataplane.lastError && <p class="field-error">{dataplane.lastError}</p>}
          </td>
          <td>
            <Badge tone={TONES[dataplane.state]}>{words.states[dataplane.state]}</Badge>
          </td>
          <td>{dataplane.version ?? '–'}</td>
          <td class="number">{dataplane.behind ?? '–'}</td>
          <td class="number">{dataplane.hosts === undefined ? '–' : texts.shell.number(dataplane.hosts)}</td>
          <td>{agoText(dataplane.reportedAt)}</td>
        </tr>
      ))}
    </TableFrame>
  );
}
