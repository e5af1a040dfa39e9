import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { TableFrame } from '../../components/table-frame';
import { texts } from '../../texts/texts';

const { staged: words } = texts.paths;
const TONES: Readonly<Record<Schemas.PathDifference['kind'], Tone>> = {
  added: 'good',
  changed: 'accent',
  removed: 'bad',
};
/** Members that are shown by their names where they differ. */
const FURTHER = ['queryForwarding', 'pathEnding', 'enabled', 'note'] as const;

/** Entries that a staged table adds, changes and removes. */
export function PathDifferences({
  differences,
}: {
  readonly differences: readonly Schemas.PathDifference[];
}) {
  const { kind, source, live, staged } = words.columns;
  return (
    <TableFrame label={words.differences} columns={[kind, source, live, staged]}>
      {differences.map((each) => {
        const entry = each.staged ?? each.live;
        return (
          <tr key={`${entry?.source} ${JSON.stringify(entry?.query)}`}>
            <td>
              <Badge tone={TONES[each.kind]}>{words.kinds[each.kind]}</Badge>
            </td>
            <td class="break">
              <code>{entry?.source}</code>
              {entry?.query && <p class="quiet">{JSON.stringify(entry.query)}</p>}
            </td>
            <td class="break">
              <Entry entry={each.live} other={each.staged} />
            </td>
            <td class="break">
              <Entry entry={each.staged} other={each.live} />
            </td>
          </tr>
        );
      })}
    </TableFrame>
  );
}

function Entry({
  entry,
  other,
}: {
  readonly entry: Schemas.PathEntrySettings | null;
  readonly other: Schemas.PathEntrySettings | null;
}) {
  if (entry === null) return <span class="quiet">{words.nothing}</span>;
  return (
    <>
      {entry.destination !== null && <code>{entry.destination}</code>}{' '}
      <span class="quiet">{entry.statusCode}</span>
      {other !== null &&
        FURTHER.filter((name) => entry[name] !== other[name]).map((name) => (
          <p key={name} class="quiet">
            {`${name}: ${JSON.stringify(entry[name])}`}
          </p>
        ))}
    </>
  );
}
