import type { Redirect } from '@waymark/client';
import { Button, LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import type { DraftContent } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { DifferenceTable } from '../history/difference-table';

const { drafts } = texts;
const { settings: words } = drafts;

/** Settings that the draft changes. */
export function SettingsPart({
  redirect,
  changed = {},
  onEdit,
}: {
  readonly redirect: Redirect;
  readonly changed: DraftContent['redirect'];
  readonly onEdit: (change: (content: DraftContent) => DraftContent) => void;
}) {
  const differences = Object.entries(changed).map(([name, after]) => ({
    path: `redirect.${name}`,
    before: redirect[name as keyof Redirect],
    after,
  }));
  return (
    <Card
      title={words.title}
      actions={
        <div class="button-row">
          {differences.length > 0 && (
            <Button small look="quiet" onClick={() => onEdit(({ redirect: _, ...rest }) => rest)}>
              {words.remove}
            </Button>
          )}
          <LinkButton small to={routes.draftSettings(redirect.id)}>
            {drafts.editSettings}
          </LinkButton>
        </div>
      }
    >
      {differences.length === 0 ? (
        <p class="quiet">{words.none}</p>
      ) : (
        <DifferenceTable label={words.title} differences={differences} ruleNames={new Map()} />
      )}
    </Card>
  );
}
