import type { Schemas } from '@waymark/client';
import { Card } from '../../components/layout';
import { Note } from '../../components/messages';
import { TableFrame } from '../../components/table-frame';
import { texts } from '../../texts/texts';

const { versions: words, percent } = texts.replay;

/** Shows which versions answered the visits, where that may explain a difference. */
export function VersionCard({ replay: { versions, startsAtVersion } }: { readonly replay: Schemas.Replay }) {
  if (versions.length === 0) return null;
  const total = versions.reduce((sum, { visits }) => sum + visits, 0);
  const { version, visits, share } = words.columns;
  return (
    <Card title={words.title} lead={words.lead}>
      {startsAtVersion !== null && <Note>{words.atStart(startsAtVersion)}</Note>}
      {versions.length > 1 && <Note icon="alert">{words.several}</Note>}
      <TableFrame
        label={words.title}
        columns={[version, { text: visits, isNumber: true }, { text: share, isNumber: true }]}
      >
        {versions.map((each) => (
          <tr key={each.version}>
            <td>{each.version === null ? words.unknown : texts.shell.number(each.version)}</td>
            <td class="number">{texts.shell.number(each.visits)}</td>
            <td class="number">{percent(each.visits / total)}</td>
          </tr>
        ))}
      </TableFrame>
    </Card>
  );
}
