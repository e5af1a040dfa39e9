import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useAddressParams } from '../../components/address-filter';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { Card } from '../../components/layout';
import { ErrorNote, Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Select } from '../../components/select';
import { Time } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useDifferences, useRollback, useVersions } from '../../data/history';
import { useRules } from '../../data/rules';
import { ChangedByText } from '../../features/history/changed-by';
import { DifferenceTable } from '../../features/history/difference-table';
import { versionOption } from '../../features/history/version-option';
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

/** Lists versions, newest first. The selected version is compared with another one. */
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

interface Compared {
  readonly id: string;
  readonly version: number;
  readonly against: number;
  readonly current: number;
  readonly versions: readonly Schemas.Version[];
  readonly onCompare: (against: number) => void;
}

/** Shows the differences between two versions, and a button to roll back. */
function ComparisonCard({ id, version, against, current, versions, onCompare }: Compared) {
  const differences = useDifferences(id, version, against);
  const rules = useRules(id);
  const names = new Map(rules.data?.map((rule) => [String(rule.id), rule.name]));
  return (
    <Card title={words.version(version)} actions={<Rollback id={id} version={version} current={current} />}>
      <label class="compare">
        <span>{words.compareWith}</span>
        <Select
          value={String(against)}
          options={[
            ...versions.filter((other) => other.version !== version).map(versionOption),
            ['0', words.beginning],
          ]}
          onChoose={(chosen) => onCompare(Number(chosen))}
        />
      </label>
      <Loaded query={differences}>
        {({ pages }) => {
          const changes = pages.flatMap((page) => page.changes);
          if (changes.length === 0) return <p class="quiet">{words.same}</p>;
          return (
            <DifferenceTable
              label={words.changes(version, against)}
              differences={changes}
              ruleNames={names}
            />
          );
        }}
      </Loaded>
      {differences.hasNextPage && (
        <div class="stack">
          <MoreButton query={differences} />
        </div>
      )}
    </Card>
  );
}

/** Rolls back to a version. The message offers to undo this. */
function Rollback({
  id,
  version,
  current,
}: {
  readonly id: string;
  readonly version: number;
  readonly current: number;
}) {
  const [isAsking, setAsking] = useState(false);
  const rollback = useRollback(id);
  const toast = useToast();
  if (version === current) return null;
  const run = (to: number, undo?: () => void) =>
    rollback.mutate(to, {
      onSuccess: () => toast({ text: words.rolledBack(to), ...(undo && { undo }) }),
    });
  return (
    <div class="stack-small">
      <Button isBusy={rollback.isPending} onClick={() => setAsking(true)}>
        {words.rollBack}
      </Button>
      <ErrorNote error={rollback.error} />
      {isAsking && (
        <ConfirmDialog
          title={words.rollBackTitle(version)}
          body={words.rollBackBody}
          action={words.rollBack}
          onClose={() => setAsking(false)}
          onConfirm={() => run(version, () => run(current))}
        />
      )}
    </div>
  );
}
