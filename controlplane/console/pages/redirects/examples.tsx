import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useExampleChanges, useExamples } from '../../data/examples';
import { ExampleDialog } from '../../features/examples/example-dialog';
import { ExampleTable } from '../../features/examples/example-table';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { texts } from '../../texts/texts';

const { examples: words } = texts;

export default function ExamplesPage({ redirect: { id, fromDomain } }: RedirectPageProps) {
  const query = useExamples(id);
  return (
    <Loaded query={query}>
      {({ data }) => <Examples id={id} host={fromDomain.replace('*', 'www')} examples={data} />}
    </Loaded>
  );
}

function Examples({
  id,
  host,
  examples,
}: {
  readonly id: string;
  readonly host: string;
  readonly examples: readonly Schemas.Example[];
}) {
  const { save: send, run } = useExampleChanges(id);
  const [open, setOpen] = useState<Schemas.Example | 'new'>();
  const [problem, setProblem] = useState<unknown>();
  const toast = useToast();
  const results = new Map<string, Schemas.ExampleResult>(
    run.data?.results.map((result) => [result.name, result]),
  );
  const isEmpty = examples.length === 0;
  /** Results of a run do not apply to examples that were changed since. */
  const save = async (changed: readonly Schemas.Example[]) => {
    await send(changed);
    run.reset();
  };
  const add = (
    <Button look="primary" icon="plus" onClick={() => setOpen('new')}>
      {words.add}
    </Button>
  );
  const attempt = (work: Promise<void>, done?: () => void) => {
    setProblem(undefined);
    void work.then(done, setProblem);
  };
  /** Deletes an example at once, and offers to undo this. */
  const remove = (example: Schemas.Example) =>
    attempt(save(examples.filter((other) => other !== example)), () =>
      toast({ text: words.deleted(example.name), undo: () => attempt(save(examples)) }),
    );
  const runAll = (isDraft: boolean) =>
    run.mutate(isDraft, {
      onSuccess: ({ summary }) => toast({ text: words.ran(summary.passed, summary.total) }),
    });
  return (
    <>
      <div class="part-head">
        <p class="quiet">{words.lead}</p>
        {!isEmpty && (
          <div class="button-row">
            <Button isBusy={run.isPending} onClick={() => runAll(true)}>
              {words.runDraft}
            </Button>
            <Button isBusy={run.isPending} onClick={() => runAll(false)}>
              {words.run}
            </Button>
            {add}
          </div>
        )}
      </div>
      <ErrorNote error={problem ?? run.error} />
      <Card flush>
        {isEmpty ? (
          <EmptyState {...words.empty} icon="check">
            {add}
          </EmptyState>
        ) : (
          <ExampleTable examples={examples} results={results} onEdit={setOpen} onDelete={remove} />
        )}
      </Card>
      {open && (
        <ExampleDialog
          id={id}
          host={host}
          example={open === 'new' ? undefined : open}
          others={examples.filter((other) => other !== open).map(({ name }) => name)}
          save={(example) =>
            save(
              open === 'new'
                ? [...examples, example]
                : examples.map((other) => (other === open ? example : other)),
            )
          }
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
