import { useState } from 'preact/hooks';
import { Button } from '../components/button';
import { Card, PageHead } from '../components/layout';
import { EmptyState, Loaded } from '../components/messages';
import { useImports } from '../data/imports';
import { ExportLinks } from '../features/imports/export-links';
import { ImportDialog } from '../features/imports/import-dialog';
import { ImportTable } from '../features/imports/import-table';
import { texts } from '../texts/texts';

const { imports: words } = texts;

export default function ImportsPage() {
  const imports = useImports();
  const [isChoosing, setChoosing] = useState(false);
  const start = (
    <Button look="primary" icon="plus" onClick={() => setChoosing(true)}>
      {words.start}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title} actions={start}>
        <p class="lead">{words.lead}</p>
      </PageHead>
      <div class="columns">
        <Loaded query={imports}>
          {({ data }) =>
            data.length === 0 ? (
              <Card>
                <EmptyState title={words.list.empty.title} body={words.list.empty.body} icon="transfer" />
              </Card>
            ) : (
              <Card title={words.list.title} lead={words.list.kept} flush>
                <ImportTable imports={data} />
              </Card>
            )
          }
        </Loaded>
        <div class="stack">
          <ExportLinks words={words.exports} path="/exports/redirects" />
        </div>
      </div>
      {isChoosing && <ImportDialog onClose={() => setChoosing(false)} />}
    </>
  );
}
