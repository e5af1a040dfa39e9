import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { agoText, timeText } from '../../components/times';
import { texts } from '../../texts/texts';
import { ChangedByText } from './changed-by';

const { history: words } = texts;

/** Versions, newest first. The chosen one is compared with another. */
export function VersionList({
  versions,
  current,
  chosen,
  onChoose,
}: {
  readonly versions: readonly Schemas.Version[];
  readonly current: number;
  readonly chosen: number | undefined;
  readonly onChoose: (version: number) => void;
}) {
  return (
    <ol class="versions">
      {versions.map(({ version, at, by, summary }) => (
        <li key={version} class={version === chosen ? 'version version-chosen' : 'version'}>
          <button
            type="button"
            class="version-open"
            aria-pressed={version === chosen}
            aria-label={words.show(version)}
            onClick={() => onChoose(version)}
          >
            {version}
          </button>
          <div class="version-text">
            <p>
              {summary} {version === current && <Badge tone="good">{words.current}</Badge>}
            </p>
            <p class="quiet">
              <time dateTime={at} title={timeText(at)}>
                {agoText(at)}
              </time>
              {' · '}
              <ChangedByText by={by} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
