import type { Redirect } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { TextField } from '../../components/field';
import { texts } from '../../texts/texts';
import { useBulk } from './use-bulk';

const { redirects, shell } = texts;
/** Maximum number of redirects that are deleted without a confirmation. One click undoes their deletion. */
const MAX_WITHOUT_ASKING = 20;

interface Props {
  readonly selected: readonly Redirect[];
  readonly onDone: () => void;
}

/** Shows the actions on the selected redirects. */
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

const { tagMany, moveMany, deleteMany } = redirects;

interface Asked {
  readonly count: number;
  readonly onClose: () => void;
}

/** Asks for a text that is applied to many redirects. */
function TextDialog({
  title,
  body,
  label,
  inputMode = 'text',
  look = 'primary',
  submit,
  isReady = (typed) => typed !== '',
  otherAction,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  readonly body: string;
  readonly label: string;
  readonly inputMode?: 'text' | 'numeric' | 'url';
  readonly look?: 'primary' | 'danger';
  readonly submit: string;
  readonly isReady?: (typed: string) => boolean;
  /** A second action with the typed text. */
  readonly otherAction?: { readonly text: string; readonly run: (typed: string) => void };
  readonly onSubmit: (typed: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const typed = text.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady(typed)) onSubmit(typed);
        }}
      >
        <p>{body}</p>
        <TextField
          label={label}
          bound={{ name: 'text', value: text, error: undefined, set: setText }}
          inputMode={inputMode}
          data-autofocus
        />
        <div class="dialog-actions">
          <Button onClick={onClose}>{shell.cancel}</Button>
          {otherAction && (
            <Button disabled={!isReady(typed)} onClick={() => otherAction.run(typed)}>
              {otherAction.text}
            </Button>
          )}
          <Button type="submit" look={look} disabled={!isReady(typed)}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Confirms a deletion: the user types the number of redirects. */
function DeleteManyDialog({ count, onClose, onConfirm }: Asked & { readonly onConfirm: () => void }) {
  return (
    <TextDialog
      title={deleteMany.title(count)}
      body={deleteMany.body}
      label={deleteMany.confirmLabel(count)}
      inputMode="numeric"
      look="danger"
      submit={shell.delete}
      isReady={(typed) => typed === String(count)}
      onSubmit={onConfirm}
      onClose={onClose}
    />
  );
}

/** Adds a tag to all selected redirects, or removes it. */
function TagDialog({
  count,
  onClose,
  onConfirm,
}: Asked & { readonly onConfirm: (tag: string, isAdded: boolean) => void }) {
  return (
    <TextDialog
      title={tagMany.title(count)}
      body={tagMany.body}
      label={tagMany.label}
      submit={tagMany.add}
      otherAction={{ text: tagMany.remove, run: (tag) => onConfirm(tag, false) }}
      onSubmit={(tag) => onConfirm(tag, true)}
      onClose={onClose}
    />
  );
}

/** Sets one destination for all selected redirects. */
function MoveDialog({
  count,
  onClose,
  onConfirm,
}: Asked & { readonly onConfirm: (toDomain: string) => void }) {
  return (
    <TextDialog
      title={moveMany.title(count)}
      body={moveMany.body}
      label={redirects.form.toDomain}
      inputMode="url"
      submit={moveMany.submit}
      onSubmit={onConfirm}
      onClose={onClose}
    />
  );
}
