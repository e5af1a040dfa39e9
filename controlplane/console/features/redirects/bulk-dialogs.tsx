import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { TextField } from '../../components/field';
import { texts } from '../../texts/texts';

const { redirects, shell } = texts;
const { tagMany, moveMany, deleteMany } = redirects;

interface Asked {
  readonly count: number;
  readonly onClose: () => void;
}

/** Asks for the text that a change of many redirects needs. */
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
  /** Something else to do with what is typed. */
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

/** Asks to type the number of redirects. */
export function DeleteManyDialog({ count, onClose, onConfirm }: Asked & { readonly onConfirm: () => void }) {
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

/** Adds a tag to all, or removes it. */
export function TagDialog({
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

/** Sends the visitors of all to one destination. */
export function MoveDialog({
  count,
  onClose,
  onConfirm,
}: Asked & { readonly onConfirm: (toDomain: string) => void }) {
  return (
    <TextDialog
      title={moveMany.title(count)}
      body={moveMany.body}
      label={redirects.form.to}
      inputMode="url"
      submit={moveMany.submit}
      onSubmit={onConfirm}
      onClose={onClose}
    />
  );
}
