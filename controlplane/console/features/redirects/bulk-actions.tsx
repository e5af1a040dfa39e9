import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { TextField } from '../../components/field';
import { useToast } from '../../components/toasts';
import { useAccountRefresh } from '../../data/account';
import { type BulkOperation, restoreRedirects, runBulk, useRedirectsRefresh } from '../../data/redirects';
import { texts } from '../../texts/texts';

const { redirects, shell } = texts;
/** Beyond this number the deletion asks first. Fewer are undone by a click. */
const MAX_WITHOUT_ASKING = 20;

interface Props {
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** What can be done with the selected redirects. */
export function BulkActions({ selected, onDone }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, setEnabled, remove } = useBulk([...selected], onDone);
  return (
    <div class="bulk">
      <span role="status">{redirects.selected(selected.size)}</span>
      <Button small isBusy={isBusy} onClick={() => setEnabled(true)}>
        {redirects.enable}
      </Button>
      <Button small isBusy={isBusy} onClick={() => setEnabled(false)}>
        {redirects.disable}
      </Button>
      <Button
        small
        look="danger"
        isBusy={isBusy}
        onClick={() => (selected.size > MAX_WITHOUT_ASKING ? setAsking(true) : remove())}
      >
        {shell.delete}
      </Button>
      <Button small look="quiet" onClick={onDone}>
        {redirects.clearSelection}
      </Button>
      {isAsking && (
        <DeleteManyDialog
          count={selected.size}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            remove();
          }}
        />
      )}
    </div>
  );
}

function useBulk(ids: readonly string[], onDone: () => void) {
  const [isBusy, setBusy] = useState(false);
  const refresh = useRedirectsRefresh();
  const refreshAccount = useAccountRefresh();
  const toast = useToast();

  async function attempt(work: () => Promise<void>) {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      toast({ text: error instanceof Error ? error.message : texts.errors.unexpected, isError: true });
    } finally {
      setBusy(false);
      await refresh();
      refreshAccount();
    }
  }

  /** Resolves to the ids that were changed. */
  async function apply(operations: readonly BulkOperation[]): Promise<readonly string[]> {
    const { results, summary } = await runBulk(operations);
    const failed = results.find(({ status }) => status === 'failed');
    if (failed)
      toast({ text: redirects.someFailed(summary.failed, failed.error?.message ?? ''), isError: true });
    return results.flatMap(({ status, id }) => (status === 'failed' || id === undefined ? [] : [id]));
  }

  const undoDeletion = (deleted: readonly string[]) =>
    void attempt(async () => {
      toast({ text: redirects.restored(await restoreRedirects(deleted)) });
    });

  return {
    isBusy,
    setEnabled: (enabled: boolean) =>
      void attempt(async () => {
        const changed = await apply(ids.map((id) => ({ op: 'update', id, enabled })));
        const text = enabled ? redirects.enabled(changed.length) : redirects.disabled(changed.length);
        if (changed.length > 0) toast({ text });
      }),
    remove: () =>
      void attempt(async () => {
        const deleted = await apply(ids.map((id) => ({ op: 'delete', id })));
        onDone();
        if (deleted.length > 0) {
          toast({ text: redirects.deleted(deleted.length), undo: () => undoDeletion(deleted) });
        }
      }),
  };
}

/** Asks to type the number of redirects. */
function DeleteManyDialog({
  count,
  onConfirm,
  onClose,
}: {
  readonly count: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={redirects.deleteMany.title(count)} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === String(count)) onConfirm();
        }}
      >
        <p>{redirects.deleteMany.body}</p>
        <TextField
          label={redirects.deleteMany.confirmLabel(count)}
          bound={{ name: 'count', value: typed, error: undefined, set: setTyped }}
          inputMode="numeric"
          autocomplete="off"
          data-autofocus
        />
        <div class="dialog-actions">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="danger" disabled={typed.trim() !== String(count)}>
            {shell.delete}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
