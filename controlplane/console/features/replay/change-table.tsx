import type { Schemas } from '@waymark/client';
import { Card } from '../../components/layout';
import { Table } from '../../components/table';
import { timeText } from '../../components/times';
import { texts } from '../../texts/texts';
import { countryName } from '../statistics/ranked-rows';

const { changes: words, percent } = texts.replay;

/** Lists changes by rule and destination, each with example visits. */
export function ChangeTable({ replay: { changes, rules } }: { readonly replay: Schemas.Replay }) {
  if (changes.length === 0) return null;
  const names = new Map(rules.map(({ ruleId, name }) => [ruleId, name]));
  const { columns } = words;
  return (
    <Card title={words.title} flush>
      <Table
        label={words.title}
        rows={changes}
        keyOf={(change) => JSON.stringify([change.from, change.to, change.isRest])}
        rowClass="replay-change"
        columns={[
          {
            text: columns.from,
            cell: (change) => <Answer answer={change.from} names={names} isRest={change.isRest} />,
          },
          {
            text: columns.to,
            cell: (change) => <Answer answer={change.to} names={names} isRest={change.isRest} />,
          },
          { text: columns.visits, class: 'number', cell: ({ visits }) => visits },
          {
            text: columns.share,
            class: 'number',
            cell: ({ share, interval }) => (
              <>
                {percent(share)}
                {interval && (
                  <>
                    <br />
                    <span class="quiet">{words.interval(...interval)}</span>
                  </>
                )}
              </>
            ),
          },
          { text: columns.examples, cell: ({ examples }) => <Examples examples={examples} /> },
        ]}
      />
    </Card>
  );
}

function Answer({
  answer: { ruleId, variant, destination, statusCode },
  names,
  isRest,
}: {
  readonly answer: Schemas.ReplayedAnswer;
  readonly names: ReadonlyMap<number, string>;
  readonly isRest: boolean;
}) {
  const rule = ruleId === null ? words.noRule : words.rule(names.get(ruleId) ?? String(ruleId));
  return (
    <>
      {rule}
      {variant !== null && `, ${words.variant(variant)}`}
      <br />
      {isRest ? (
        <span class="quiet">{words.rest}</span>
      ) : (
        <>
          <span class="quiet">{statusCode}</span> <code class="break">{destination}</code>
        </>
      )}
    </>
  );
}

function Examples({ examples }: { readonly examples: Schemas.Replay['changes'][number]['examples'] }) {
  return (
    <ul class="plain-list">
      {examples.map(({ path, timestamp, country, deviceType }) => (
        <li key={timestamp + path}>
          <code class="break">{path}</code>{' '}
          <span class="quiet" title={timeText(timestamp)}>
            {[country && countryName(country), deviceType].filter(Boolean).join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
