import type { Import } from '@waymark/client';
import { useId } from 'preact/hooks';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { isRunning, useImportChanges } from '../../data/imports';
import { texts } from '../../texts/texts';

const { detail: words } = texts.imports;

/** Progress of an import: rows by result, rate, and time left. */
export function ImportProgress({ one }: { readonly one: Import }) {
  const { state, rows, dryRun, rowsPerSecond, secondsLeft, error } = one;
  const id = useId();
  const { cancel } = useImportChanges();
  const names = dryRun ? words.wouldBe : words.numbers;
  return (
    <Card>
      <ErrorNote error={error?.message} />
      <ErrorNote error={cancel.error} />
      <div class="meter">
        <div class="meter-head">
          <span id={id}>{words.progress}</span>
          <strong>{words.progressOf(rows.done, rows.total)}</strong>
        </div>
        <progress aria-labelledby={id} value={rows.done} max={Math.max(1, rows.total)} />
        <p class="quiet" role="status">
          {state === 'queued' && words.waiting}
          {rowsPerSecond > 0 && words.rate(rowsPerSecond)}
          {state === 'running' && secondsLeft !== null && `, ${words.left(secondsLeft)}`}
        </p>
      </div>
      <dl class="counts">
        {(Object.keys(names) as (keyof typeof names)[]).map((name) => (
          <div key={name}>
            <dt>{names[name]}</dt>
            <dd class={name === 'failed' && rows.failed > 0 ? 'change-down' : undefined}>
              {texts.shell.number(rows[name])}
            </dd>
          </div>
        ))}
      </dl>
      {isRunning(one) && (
        <div class="button-row">
          <Button look="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate(one.id)}>
            {words.cancel}
          </Button>
          {!dryRun && <span class="quiet">{words.cancelHint}</span>}
        </div>
      )}
    </Card>
  );
}
