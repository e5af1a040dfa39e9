import type { Import } from '@waymark/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { Button } from '../../components/button';
import { PageHead } from '../../components/layout';
import { ErrorNote, Loaded, Note } from '../../components/messages';
import {
  isRunning,
  rowsAddress,
  useImport,
  useImportChanges,
  useKeptFile,
  useTargetsRefresh,
} from '../../data/imports';
import { ImportDialog } from '../../features/imports/import-dialog';
import { ImportProgress } from '../../features/imports/import-progress';
import { ImportStateBadge } from '../../features/imports/import-state';
import { RowTable } from '../../features/imports/row-table';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { detail: words } = texts.imports;

/** The result of a dry run, or the progress of an import. */
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
        // Failing rows need a look first.
        status={asked === 'all' ? '' : (asked ?? (rows.failed > 0 && !isRunning(one) ? 'failed' : ''))}
        onFilter={(status) => setParams({ status: status || 'all' }, { replace: true })}
      />
    </>
  );
}

/** Imports the file of a dry run. After a reload the browser no longer has it, and the user chooses it again. */
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

/** Has the lists that the import changes read again when it ends. */
function useRefreshAtEnd(one: Import): void {
  const refresh = useTargetsRefresh();
  const wasRunning = useRef(false);
  const isMoving = isRunning(one);
  useEffect(() => {
    if (wasRunning.current && !isMoving && !one.dryRun) refresh();
    wasRunning.current = isMoving;
  }, [isMoving]);
}
