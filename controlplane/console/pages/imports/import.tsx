import type { Import, Schemas } from '@waymark/client';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { Badge, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { Card, PageHead } from '../../components/layout';
import { ErrorNote, Loaded, Note } from '../../components/messages';
import { MoreButton } from '../../components/paged-list';
import { Select } from '../../components/select';
import { Table } from '../../components/table';
import {
  isRunning,
  rowsAddress,
  useImport,
  useImportChanges,
  useImportRows,
  useKeptFile,
  useTargetsRefresh,
} from '../../data/imports';
import { ImportDialog } from '../../features/imports/import-dialog';
import { ImportStateBadge } from '../../features/imports/import-state';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { detail: words, rows: rowWords } = texts.imports;

/** Shows the result of a dry run, or the progress of an import. */
export default function ImportPage({ id }: { readonly id: string }) {
  return <Loaded query={useImport(id)}>{(one) => <Shown one={one} />}</Loaded>;
}

function Shown({ one }: { readonly one: Import }) {
  const { id, kind, format, dryRun, redirectId, rows, state } = one;
  const [params, setParams] = useSearchParams();
  const asked = params.get('status');
  useRefreshAtEnd(one);
  return (
    <>
      <Link
        href={redirectId === null ? routes.imports : routes.redirectPart(redirectId, 'paths')}
        class="back"
      >
        {redirectId === null ? texts.imports.title : words.toPaths}
      </Link>
      <PageHead
        title={(dryRun ? words.checkOf : words.importOf)(kind, format)}
        actions={<ImportStateBadge state={state} />}
      />
      {dryRun && <Note icon="check">{isRunning(one) ? words.checking : words.checked}</Note>}
      <ImportProgress one={one} />
      <div class="button-row">
        {dryRun && state === 'finished' && <RunChecked one={one} />}
        {rows.failed > 0 && (
          <a class="button button-secondary" href={rowsAddress(id, 'failed')} download>
            {words.failedFile}
          </a>
        )}
      </div>
      <RowTable
        one={one}
        // Show failed rows first.
        status={asked === 'all' ? '' : (asked ?? (rows.failed > 0 && !isRunning(one) ? 'failed' : ''))}
        onFilter={(status) => setParams({ status: status || 'all' }, { replace: true })}
      />
    </>
  );
}

/**
 * Imports the file of a dry run. After a reload the browser no longer has the file, so the user must choose it again.
 */
function RunChecked({ one }: { readonly one: Import }) {
  const { id, rows, redirectId, format, mode } = one;
  const file = useKeptFile(id).data ?? undefined;
  const [, navigate] = useLocation();
  const { upload } = useImportChanges();
  const [isChoosing, setChoosing] = useState(false);
  const changing = mode === 'all_or_nothing' && rows.failed > 0 ? 0 : rows.created + rows.updated;
  if (changing === 0) return <p class="quiet">{words.nothingToImport}</p>;
  if (file === undefined) {
    return (
      <>
        <Button onClick={() => setChoosing(true)}>{words.again}</Button>
        {isChoosing && (
          <ImportDialog {...(redirectId !== null && { redirectId })} onClose={() => setChoosing(false)} />
        )}
      </>
    );
  }
  return (
    <>
      <ErrorNote error={upload.error} />
      <Button
        look="primary"
        isBusy={upload.isPending}
        onClick={() =>
          upload.mutate(
            { file, redirectId: redirectId ?? undefined, format, mode, dryRun: false },
            { onSuccess: (started) => navigate(routes.import(started.id)) },
          )
        }
      >
        {upload.isPending ? texts.imports.dialog.uploading : words.run(changing)}
      </Button>
    </>
  );
}

/** Reloads the lists that the import changes when it ends. */
function useRefreshAtEnd(one: Import): void {
  const refresh = useTargetsRefresh();
  const wasRunning = useRef(false);
  const isMoving = isRunning(one);
  useEffect(() => {
    if (wasRunning.current && !isMoving && !one.dryRun) refresh();
    wasRunning.current = isMoving;
  }, [isMoving]);
}

/** Shows the progress of an import: rows by result, rate, and time left. */
function ImportProgress({ one }: { readonly one: Import }) {
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

const { columns } = rowWords;
const TONES: Readonly<Record<Schemas.ImportedRow['status'], Tone>> = {
  created: 'good',
  updated: 'accent',
  deleted: 'warning',
  unchanged: 'neutral',
  failed: 'bad',
  skipped: 'neutral',
};

/**
 * Lists the result of each row with the API's message. The message says why the row was not applied, or how it differs
 * from the original.
 *
 * @param status '' for all rows
 */
function RowTable({
  one,
  status,
  onFilter,
}: {
  readonly one: Import;
  readonly status: string;
  readonly onFilter: (status: string) => void;
}) {
  const results = one.dryRun ? rowWords.checked : rowWords.statuses;
  const list = useImportRows(one.id, status, isRunning(one));
  return (
    <Card
      title={rowWords.title}
      flush
      actions={
        <Select
          class="input choice-input"
          aria-label={rowWords.filter}
          value={status}
          options={{ '': rowWords.all, ...results }}
          onChoose={onFilter}
        />
      }
    >
      <Loaded query={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <p class="loading">{rowWords.none}</p>;
          return (
            <Table
              label={rowWords.title}
              rows={rows}
              keyOf={({ row }) => row}
              columns={[
                { text: columns.row, class: 'number', cell: ({ row }) => row },
                {
                  text: columns.status,
                  cell: ({ status: result }) => <Badge tone={TONES[result]}>{results[result]}</Badge>,
                },
                { text: columns.source, class: 'row-source', cell: ({ source }) => <code>{source}</code> },
                {
                  text: columns.message,
                  class: 'row-message',
                  cell: ({ field, message }) => (
                    <>
                      {field !== undefined && <code class="quiet">{field}</code>} {message}
                    </>
                  ),
                },
              ]}
            />
          );
        }}
      </Loaded>
      {list.hasNextPage && (
        <div class="pages">
          <MoreButton query={list} />
        </div>
      )}
    </Card>
  );
}
