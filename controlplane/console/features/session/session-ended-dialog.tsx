import { Dialog } from '../../components/dialog';
import { texts } from '../../texts/texts';
import { LogInForms } from './log-in-forms';

/** Asks to log in again on top of the page whose session has ended. */
export function SessionEndedDialog({ onLoggedIn }: { readonly onLoggedIn: () => void }) {
  return (
    <Dialog title={texts.auth.ended.title} isRequired onClose={() => {}}>
      <p class="lead">{texts.auth.ended.lead}</p>
      <LogInForms onLoggedIn={onLoggedIn} />
    </Dialog>
  );
}
