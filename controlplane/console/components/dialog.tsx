import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts/texts';
import { Button } from './button';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Whether the dialog has no close button and ignores Escape: the user must complete its action. */
  readonly isRequired?: boolean;
  readonly isWide?: boolean;
}

/** A modal dialog. The browser keeps the focus inside and restores it when the dialog closes. */
export function Dialog({ title, onClose, children, isRequired, isWide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const former = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog?.close();
      if (former instanceof HTMLElement && former.isConnected) former.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isRequired) onClose();
      }}
      // Browsers close a dialog without asking when Escape is pressed twice.
      onClose={() => {
        if (element.current === null) return;
        if (isRequired) element.current.showModal();
        else onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isRequired && <Button icon="close" label={texts.shell.close} onClick={onClose} />}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

/** A confirmation dialog for an action that cannot be undone. Either answer closes it. */
export function ConfirmDialog({
  title,
  body,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly body: ComponentChildren;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{body}</p>
      <div class="dialog-actions">
        <Button onClick={onClose}>{texts.shell.cancel}</Button>
        <Button
          look="danger"
          data-autofocus
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
