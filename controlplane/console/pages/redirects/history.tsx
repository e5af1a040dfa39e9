import type { Schemas } from '@waymark/client';
import { useAddressParams } from '../../components/address-filter';
import { Badge } from '../../components/badge';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Time } from '../../components/times';
import { useVersions } from '../../data/history';
import { ChangedByText } from '../../features/history/changed-by';
import { ComparisonCard } from '../../features/history/comparison-card';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { texts } from '../../texts/texts';

const { history: words } = texts;

export default function HistoryPage({ redirect: { id, version: current } }: RedirectPageProps) {
  const [params, setParams] = useAddressParams();
  const list = useVersions(id);
  const choose = (version: number, against = version - 1) =>
    setParams({ version: String(version), against: String(against) });
  return (
    <Loaded query={list}>
      {({ pages }) => {
        const versions = pages.flatMap(({ data }) => data);
        const version = numberOf(params.get('version')) ?? versions[0]?.version;
        const against = numberOf(params.get('against')) ?? (version ?? 1) - 1;
        return (
          <>
            <p class="lead">{words.lead}</p>
            <div class="columns columns-history">
              <Card title={words.versions} flush>
                <VersionList versions={versions} current={current} chosen={version} onChoose={choose} />
                {list.hasNextPage && (
                  <div class="pages">
                    <MoreButton query={list} />
                  </div>
                )}
              </Card>
              {version !== undefined && (
                <ComparisonCard
                  key={version}
                  {...{ id, version, against, current, versions }}
                  onCompare={(other) => choose(version, other)}
                />
              )}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Versions, newest first. The chosen one is compared with another. */
function VersionList({
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
              <Time at={at} />
              {' · '}
              <ChangedByText by={by} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
