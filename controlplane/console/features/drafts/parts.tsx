import type { Redirect } from '@waymark/client';
import { Button, LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import { type DraftContent, readPathTable } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { DifferenceTable } from '../history/difference-table';

const { settings, paths: pathWords } = texts.drafts;

/** Shows the settings that the draft changes. */
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
      title={settings.title}
      actions={
        <div class="button-row">
          {differences.length > 0 && (
            <Button small look="quiet" onClick={() => onEdit(({ redirect: _, ...rest }) => rest)}>
              {settings.remove}
            </Button>
          )}
          <LinkButton small to={routes.draftSettings(redirect.id)}>
            {texts.drafts.editSettings}
          </LinkButton>
        </div>
      }
    >
      {differences.length === 0 ? (
        <p class="quiet">{settings.none}</p>
      ) : (
        <DifferenceTable label={settings.title} differences={differences} ruleNames={new Map()} />
      )}
    </Card>
  );
}

/** Shows the path table of the draft. */
export function PathsPart({
  id,
  paths,
  onEdit,
}: {
  readonly id: string;
  readonly paths: DraftContent['paths'];
  readonly onEdit: (change: (content: DraftContent) => DraftContent | Promise<DraftContent>) => void;
}) {
  const begin = () =>
    onEdit(async (content) => {
      const table = await readPathTable(id);
      if (table === undefined) throw new Error(pathWords.tooMany);
      return { ...content, paths: table };
    });
  return (
    <Card
      title={pathWords.title}
      actions={
        paths === undefined ? (
          <Button small onClick={begin}>
            {pathWords.begin}
          </Button>
        ) : (
          <div class="button-row">
            <Button small look="quiet" onClick={() => onEdit(({ paths: _, ...rest }) => rest)}>
              {pathWords.remove}
            </Button>
            <LinkButton small to={routes.draftPaths(id)}>
              {pathWords.open}
            </LinkButton>
          </div>
        )
      }
    >
      <p class="quiet">{paths === undefined ? pathWords.none : pathWords.total(paths.entries.length)}</p>
    </Card>
  );
}
