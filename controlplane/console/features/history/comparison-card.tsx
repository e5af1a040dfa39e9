import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { Card } from '../../components/layout';
import { ErrorNote, Loaded } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Select } from '../../components/select';
import { useToast } from '../../components/toasts';
import { useDifferences, useRollback } from '../../data/history';
import { useRules } from '../../data/rules';
import { texts } from '../../texts/texts';
import { DifferenceTable } from './difference-table';
import { versionOption } from './version-option';

const { history: words } = texts;

interface Props {
  readonly id: string;
  readonly version: number;
  readonly against: number;
  readonly current: number;
  readonly versions: readonly Schemas.Version[];
  readonly onCompare: (against: number) => void;
}

/** What a version has changed against another one, and the way back to it. */
export function ComparisonCard({ id, version, against, current, versions, onCompare }: Props) {
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
      <MoreButton query={differences} />
    </Card>
  );
}

/** Goes back to a version. The message offers to go forward again. */
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
