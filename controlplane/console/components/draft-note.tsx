import { texts } from '../texts/texts';
import { Button } from './button';
import { Icon } from './icon';

/** Says that a form shows values that were typed earlier and never saved. */
export function DraftNote({
  form,
}: {
  readonly form: { readonly isRestored: boolean; readonly discard: () => void };
}) {
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
