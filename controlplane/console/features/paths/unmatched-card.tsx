import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { TableFrame } from '../../components/table-frame';
import { useUnmatchedPaths } from '../../data/paths';
import { texts } from '../../texts/texts';

const { unmatched: words } = texts.paths;

/** Paths that visitors ask for and that no entry decides. @param onAdd opens a new entry for a path */
export function UnmatchedCard({
  id,
  onAdd,
}: {
  readonly id: string;
  readonly onAdd: (path: string) => void;
}) {
  const paths = useUnmatchedPaths(id);
  return (
    <Card title={words.title} lead={words.lead} flush>
      <Loaded query={paths}>
        {(list) =>
          list.length === 0 ? (
            <p class="card-note">{words.none}</p>
          ) : (
            <TableFrame
              label={words.title}
              columns={[
                words.path,
                { text: words.visits, isNumber: true },
                { text: words.actions, isHidden: true },
              ]}
            >
              {list.map(({ path, hits }) => (
                <tr key={path}>
                  <td class="break">
                    <code>{path}</code>
                  </td>
                  <td class="number">{texts.shell.number(hits)}</td>
                  <td class="actions">
                    <Button small icon="plus" aria-label={words.addOne(path)} onClick={() => onAdd(path)}>
                      {words.add}
                    </Button>
                  </td>
                </tr>
              ))}
            </TableFrame>
          )
        }
      </Loaded>
    </Card>
  );
}
