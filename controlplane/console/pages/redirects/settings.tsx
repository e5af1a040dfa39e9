import { useLocation } from 'wouter-preact';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { useErrorToast, useToast } from '../../components/toasts';
import {
  restoreRedirects,
  useDeleteRedirect,
  usePatchRedirect,
  useRedirectsRefresh,
} from '../../data/redirects';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { SettingsForm } from '../../features/redirects/settings-form';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { redirects } = texts;
const { settings: words } = redirects;

export default function SettingsPage({ redirect }: RedirectPageProps) {
  const { id } = redirect;
  const patch = usePatchRedirect(id);
  return (
    <div class="stack narrow">
      <SettingsForm redirect={redirect} draft={`settings-${id}`} save={patch.mutateAsync} />
      <DeleteCard id={id} />
    </div>
  );
}

/** Deletes a redirect and offers to undo this. */
function DeleteCard({ id }: { readonly id: string }) {
  const [, navigate] = useLocation();
  const remove = useDeleteRedirect(id);
  const refresh = useRedirectsRefresh();
  const toast = useToast();
  const fail = useErrorToast();

  async function restore() {
    toast({ text: redirects.restored(await restoreRedirects([id])) });
    await refresh();
  }

  async function run() {
    await remove.mutateAsync();
    navigate(routes.redirects);
    toast({ text: redirects.deleted(1), undo: () => void restore().catch(fail) });
  }

  return (
    <Card title={words.danger} lead={words.dangerBody}>
      <Button look="danger" icon="trash" isBusy={remove.isPending} onClick={() => void run().catch(fail)}>
        {words.deleteButton}
      </Button>
    </Card>
  );
}
