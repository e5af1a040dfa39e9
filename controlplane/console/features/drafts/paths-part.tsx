import { Button, LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import { type DraftContent, readPathTable } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { paths: words } = texts.drafts;

/** The table of paths of the draft. */
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
      if (table === undefined) throw new Error(words.tooMany);
      return { ...content, paths: table };
    });
  return (
    <Card
      title={words.title}
      actions={
        paths === undefined ? (
          <Button small onClick={begin}>
            {words.begin}
          </Button>
        ) : (
          <div class="button-row">
            <Button small look="quiet" onClick={() => onEdit(({ paths: _, ...rest }) => rest)}>
              {words.remove}
            </Button>
            <LinkButton small to={routes.draftPaths(id)}>
              {words.open}
            </LinkButton>
          </div>
        )
      }
    >
      <p class="quiet">{paths === undefined ? words.none : words.total(paths.entries.length)}</p>
    </Card>
  );
}
