import type { Schemas } from '@waymark/client';
import { Card } from '../../components/layout';
import { TableFrame } from '../../components/table-frame';
import { timeText } from '../../components/times';
import { texts } from '../../texts/texts';
import { countryName } from '../statistics/ranked-rows';

const { changes: words, percent } = texts.replay;

/** Changes by rule and destination, each with visits as examples. */
export function ChangeTable({ replay: { changes, rules } }: { readonly replay: Schemas.Replay }) {
  if (changes.length === 0) return null;
  const names = new Map(rules.map(({ ruleId, name }) => [ruleId, name]));
  const { from, to, visits, share, examples } = words.columns;
  return (
    <Card title={words.title} flush>
      <TableFrame
        label={words.title}
        columns={[from, to, { text: visits, isNumber: true }, { text: share, isNumber: true }, examples]}
      >
        {changes.map((change) => (
          <tr key={JSON.stringify([change.from, change.to, change.isRest])} class="replay-change">
            <td>
              <Answer answer={change.from} names={names} isRest={change.isRest} />
            </td>
            <td>
              <Answer answer={change.to} names={names} isRest={change.isRest} />
            </td>
            <td class="number">{texts.shell.number(change.visits)}</td>
            <td class="number">
              {percent(change.share)}
              {change.interval && (
                <>
                  <br />
                  <span class="quiet">{words.interval(...change.interval)}</span>
                </>
              )}
            </td>
            <td>
              <Examples examples={change.examples} />
            </td>
          </tr>
        ))}
      </TableFrame>
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
