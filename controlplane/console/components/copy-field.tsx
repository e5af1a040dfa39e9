import { useRef, useState } from 'preact/hooks';
import { texts } from '../texts/texts';
import { Button } from './button';
import { Dialog } from './dialog';

const SHOWN_MS = 2_000;

/** A value to copy, such as a part of a DNS record. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);
  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      // Browsers offer the clipboard to secure pages only. Otherwise select the value, so the user can copy it by
      // keyboard.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return (
    <div class="copy">
      <span class="copy-label">{label}</span>
      <code class="copy-value" ref={shown}>
        {value}
      </code>
      <Button
        small
        icon={isCopied ? 'check' : 'copy'}
        aria-label={`${texts.shell.copy}: ${label}`}
        onClick={() => void copy()}
      >
        <span aria-live="polite">{isCopied ? texts.shell.copied : texts.shell.copy}</span>
      </Button>
    </div>
  );
}

/** Shows a secret once. Only its button closes the dialog. */
export function SecretDialog({
  title,
  body,
  label,
  secret,
  done,
  onClose,
}: {
  readonly title: string;
  readonly body: string;
  readonly label: string;
  readonly secret: string;
  readonly done: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} isRequired onClose={onClose}>
      <p>{body}</p>
      <div class="copy-list">
        <CopyField label={label} value={secret} />
      </div>
      <div class="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {done}
        </Button>
      </div>
    </Dialog>
  );
}
