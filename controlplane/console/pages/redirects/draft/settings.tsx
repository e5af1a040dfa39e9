import type { Redirect } from '@waymark/client';
import { Link, useLocation } from 'wouter-preact';
import { Loaded } from '../../../components/messages';
import { useDraft, useDraftChanges } from '../../../data/drafts';
import { inPart } from '../../../features/drafts/in-part';
import type { RedirectPageProps } from '../../../features/redirects/redirect-frame';
import { SettingsForm } from '../../../features/redirects/settings-form';
import { routes } from '../../../routing/routes';
import { texts } from '../../../texts/texts';

const { drafts: words } = texts;

export default function DraftSettingsPage({ redirect }: RedirectPageProps) {
  const { id } = redirect;
  const draft = useDraft(id);
  const { edit } = useDraftChanges(id);
  const [, navigate] = useLocation();

  async function save(changed: Record<string, unknown>): Promise<Redirect> {
    await inPart(
      'redirect',
      edit((content) => ({ ...content, redirect: { ...content.redirect, ...changed } })),
    );
    navigate(routes.redirectPart(id, 'draft'));
    return { ...redirect, ...changed };
  }

  return (
    <Loaded query={draft}>
      {(stored) => (
        <div class="stack narrow">
          <Link href={routes.redirectPart(id, 'draft')} class="back">
            {words.backToDraft}
          </Link>
          <h2>{words.settings.formTitle}</h2>
          <SettingsForm
            redirect={{ ...redirect, ...stored?.redirect }}
            draft={`draft-settings-${id}`}
            save={save}
          />
        </div>
      )}
    </Loaded>
  );
}
