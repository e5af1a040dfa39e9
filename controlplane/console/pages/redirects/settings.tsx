import { usePatchRedirect } from '../../data/redirects';
import { DeleteCard } from '../../features/redirects/delete-card';
import { RedirectFrame } from '../../features/redirects/redirect-frame';
import { SettingsForm } from '../../features/redirects/settings-form';
import { texts } from '../../texts/texts';

export default function SettingsPage({ id }: { readonly id: string }) {
  const patch = usePatchRedirect(id);
  return (
    <RedirectFrame id={id} part={texts.redirects.detail.tabs.settings}>
      {(redirect) => (
        <div class="stack narrow">
          <SettingsForm redirect={redirect} draft={`settings-${id}`} save={patch.mutateAsync} />
          <DeleteCard redirect={redirect} />
        </div>
      )}
    </RedirectFrame>
  );
}
