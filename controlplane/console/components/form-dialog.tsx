import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts';
import { Button } from './button';
import { Dialog } from './dialog';
import { DraftNote } from './draft-note';
import { ErrorNote } from './messages';
import type { Form } from './use-form';

interface FormDialogProps {
  readonly title: string;
  readonly form: Pick<Form<unknown>, 'error' | 'isBusy' | 'isRestored' | 'discard' | 'onSubmit'>;
  readonly submit: string;
  readonly look?: 'primary' | 'danger';
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with a form: its problem, its fields, and buttons to cancel and to submit it. */
export function FormDialog({
  title,
  form,
  submit,
  look = 'primary',
  isWide = false,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <DraftNote form={form} />
        <ErrorNote error={form.error} />
        {children}
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.shell.cancel}</Button>
          <Button type="submit" look={look} isBusy={form.isBusy}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
