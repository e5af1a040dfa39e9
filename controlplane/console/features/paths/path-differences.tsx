import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Table } from '../../components/table';
import { texts } from '../../texts/texts';

const { staged: words } = texts.paths;
const TONES: Readonly<Record<Schemas.PathDifference['kind'], Tone>> = {
  added: 'good',
  changed: 'accent',
  removed: 'bad',
};
/** Members that are shown as `name: value` if they differ. */
const FURTHER = ['queryForwarding', 'pathEnding', 'enabled', 'note'] as const;

/** Lists the entries that a staged table adds, changes and removes. */
export function PathDifferences({
  differences,
}: {
  readonly differences: readonly Schemas.PathDifference[];
}) {
  const { columns } = words;
  return (
    <Table
      label={words.differences}
      rows={differences}
      empty={<p class="card-note">{words.same}</p>}
      keyOf={(each) => JSON.stringify([entryOf(each)?.source, entryOf(each)?.query])}
      columns={[
        {
          text: columns.kind,
          cell: ({ kind }) => <Badge tone={TONES[kind]}>{words.kinds[kind]}</Badge>,
        },
        {
          text: columns.source,
          class: 'break',
          cell: (each) => (
            <>
              <code>{entryOf(each)?.source}</code>
              {entryOf(each)?.query && <p class="quiet">{JSON.stringify(entryOf(each)?.query)}</p>}
            </>
          ),
        },
        {
          text: columns.live,
          class: 'break',
          cell: ({ live, staged }) => <Entry entry={live} other={staged} />,
        },
        {
          text: columns.staged,
          class: 'break',
          cell: ({ live, staged }) => <Entry entry={staged} other={live} />,
        },
      ]}
    />
  );
}

const entryOf = ({ staged, live }: Schemas.PathDifference) => staged ?? live;

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
