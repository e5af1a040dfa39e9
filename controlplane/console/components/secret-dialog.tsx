import { Button } from './button';
import { CopyField } from './copy-field';
import { Dialog } from './dialog';

/** Shows a secret once. It is closed only on purpose. */
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
