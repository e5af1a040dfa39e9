import { useSearchParams } from 'wouter-preact';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { useVersions } from '../../data/history';
import { ComparisonCard } from '../../features/history/comparison-card';
import { VersionList } from '../../features/history/version-list';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { texts } from '../../texts/texts';

const { history: words } = texts;

export default function HistoryPage({ redirect: { id, version: current } }: RedirectPageProps) {
  const [params, setParams] = useSearchParams();
  const list = useVersions(id);
  const choose = (version: number, against = version - 1) =>
    setParams({ version: String(version), against: String(against) }, { replace: true });
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
