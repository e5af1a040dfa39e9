import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts';
import { Button } from './button';
import { Dialog } from './dialog';
import { Icon } from './icon';
import { ErrorNote } from './messages';
import type { FormState } from './use-form';

interface FormProps {
  readonly form: Pick<FormState<unknown>, 'error' | 'isBusy' | 'isRestored' | 'discard' | 'onSubmit'>;
  /** Text of the submit button. */
  readonly submit: string;
  readonly look?: 'primary' | 'secondary' | 'danger';
  readonly children: ComponentChildren;
}

/** A form with its error, its fields and a submit button. @param onCancel adds a cancel button that calls it */
export function Form({
  form,
  submit,
  look = 'secondary',
  onCancel,
  children,
}: FormProps & { readonly onCancel?: () => void }) {
  const submitButton = (
    <Button type="submit" look={look} isBusy={form.isBusy}>
      {submit}
    </Button>
  );
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <DraftNote form={form} />
      <ErrorNote error={form.error} />
      {children}
      {onCancel === undefined ? (
        submitButton
      ) : (
        <div class="dialog-actions">
          <Button onClick={onCancel}>{texts.shell.cancel}</Button>
          {submitButton}
        </div>
      )}
    </form>
  );
}

/** A dialog with a form and a cancel button. */
export function FormDialog({
  title,
  isWide = false,
  onClose,
  ...form
}: FormProps & { readonly title: string; readonly isWide?: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <Form look="primary" {...form} onCancel={onClose} />
    </Dialog>
  );
}

/** Tells the user that a form shows unsaved values from earlier. */
export function DraftNote({ form }: { readonly form: Pick<FormProps['form'], 'isRestored' | 'discard'> }) {
  if (!form.isRestored) return null;
  return (
    <div class="note note-action" role="status">
      <Icon name="edit" />
      <p>{texts.shell.unsavedChanges}</p>
      <Button small onClick={form.discard}>
        {texts.shell.discard}
      </Button>
    </div>
  );
}
