import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import type { RankedRow } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { lists: words } = texts.statistics;
const SHORT = 7;

/** A list ordered by visits, with a bar behind each row. */
export function RankedCard({
  title,
  rows,
  isChosen,
  onChoose,
}: {
  readonly title: string;
  readonly rows: readonly RankedRow[];
  readonly onChoose: (row: RankedRow) => void;
  /** Returns whether the page is filtered by a row. */
  readonly isChosen: (row: RankedRow) => boolean;
}) {
  const [isLong, setLong] = useState(false);
  const top = rows[0]?.hits ?? 1;
  const shown = isLong ? rows : rows.slice(0, SHORT);
  return (
    <Card title={title}>
      {rows.length === 0 && <p class="quiet">{words.nothing}</p>}
      <ol class="ranked">
        {shown.map((row) => (
          <li key={row.key}>
            <span class="ranked-bar" style={{ width: `${(100 * row.hits) / top}%` }} />
            <button
              type="button"
              class="ranked-name"
              title={words.showHits(row.name)}
              aria-pressed={isChosen(row)}
              onClick={() => onChoose(row)}
            >
              {row.name}
            </button>
            <span class="ranked-count">
              {texts.shell.number(row.hits)} <span class="quiet">{Math.round(row.percentage)} %</span>
            </span>
          </li>
        ))}
      </ol>
      {rows.length > SHORT && (
        <Button small look="quiet" onClick={() => setLong(!isLong)}>
          {isLong ? words.fewer : words.more(rows.length)}
        </Button>
      )}
    </Card>
  );
}
