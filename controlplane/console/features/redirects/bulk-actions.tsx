import type { Redirect } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { texts } from '../../texts/texts';
import { DeleteManyDialog, MoveDialog, TagDialog } from './bulk-dialogs';
import { useBulk } from './use-bulk';

const { redirects, shell } = texts;
/** Beyond this number the deletion asks first. Fewer are undone by a click. */
const MAX_WITHOUT_ASKING = 20;

interface Props {
  readonly selected: readonly Redirect[];
  readonly onDone: () => void;
}

/** What can be done with the selected redirects. */
export function BulkActions({ selected, onDone }: Props) {
  const [asking, setAsking] = useState<'delete' | 'tag' | 'move'>();
  const { progress, setEnabled, setTags, setDestination, remove } = useBulk(selected, onDone);
  const isBusy = progress !== undefined;
  const close = () => setAsking(undefined);
  const closing = (run: () => void) => {
    close();
    run();
  };
  return (
    <div class="bulk">
      <span role="status">{redirects.selected(selected.length)}</span>
      <Button small isBusy={isBusy} onClick={() => setEnabled(true)}>
        {redirects.enable}
      </Button>
      <Button small isBusy={isBusy} onClick={() => setEnabled(false)}>
        {redirects.disable}
      </Button>
      <Button small isBusy={isBusy} onClick={() => setAsking('tag')}>
        {redirects.tagMany.open}
      </Button>
      <Button small isBusy={isBusy} onClick={() => setAsking('move')}>
        {redirects.moveMany.open}
      </Button>
      <Button
        small
        look="danger"
        isBusy={isBusy}
        onClick={() => (selected.length > MAX_WITHOUT_ASKING ? setAsking('delete') : remove())}
      >
        {shell.delete}
      </Button>
      <Button small look="quiet" onClick={onDone}>
        {redirects.clearSelection}
      </Button>
      {progress && (
        <label class="bulk-progress">
          <progress value={progress.done} max={progress.total} />{' '}
          {redirects.progress(progress.done, progress.total)}
        </label>
      )}
      {asking === 'delete' && (
        <DeleteManyDialog count={selected.length} onClose={close} onConfirm={() => closing(remove)} />
      )}
      {asking === 'tag' && (
        <TagDialog
          count={selected.length}
          onClose={close}
          onConfirm={(tag, isAdded) => closing(() => setTags(tag, isAdded))}
        />
      )}
      {asking === 'move' && (
        <MoveDialog
          count={selected.length}
          onClose={close}
          onConfirm={(toDomain) => closing(() => setDestination(toDomain))}
        />
      )}
    </div>
  );
}
