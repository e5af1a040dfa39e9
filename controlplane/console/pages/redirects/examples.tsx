import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../../components/messages';
import { Table } from '../../components/table';
import { useToast } from '../../components/toasts';
import { useExampleChanges, useExamples } from '../../data/examples';
import { ExampleDialog } from '../../features/examples/example-dialog';
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
  /** Saves the examples and hides the results of the last run, which do not apply to changed examples. */
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
  /** Deletes an example immediately, and offers to undo this. */
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

/** Lists examples with the results of their last run. */
function ExampleTable({
  examples,
  results,
  onEdit,
  onDelete,
}: {
  readonly examples: readonly Schemas.Example[];
  readonly results: ReadonlyMap<string, Schemas.ExampleResult>;
  readonly onEdit: (example: Schemas.Example) => void;
  readonly onDelete: (example: Schemas.Example) => void;
}) {
  const { columns } = words;
  return (
    <Table
      label={words.title}
      rows={examples}
      keyOf={({ name }) => name}
      columns={[
        { text: columns.example, cell: ({ name }) => name },
        {
          text: columns.visit,
          cell: (example) => (
            <>
              <code class="break">{example.request.url}</code>
              <p class="quiet">{visitorText(example)}</p>
            </>
          ),
        },
        { text: columns.expected, class: 'break', cell: expectedText },
        { text: columns.result, cell: ({ name }) => resultOf(results.get(name)) },
      ]}
      actions={(example) => (
        <>
          <Button small icon="edit" label={words.edit(example.name)} onClick={() => onEdit(example)} />
          <Button
            small
            icon="trash"
            label={words.deleteOne(example.name)}
            onClick={() => onDelete(example)}
          />
        </>
      )}
    />
  );
}

function resultOf(result: Schemas.ExampleResult | undefined) {
  if (result === undefined) return null;
  const { status, message } = result;
  return (
    <>
      <Badge tone={status === 'passed' ? 'good' : 'bad'}>{words.results[status]}</Badge>
      {message && <p class="quiet">{message}</p>}
    </>
  );
}

function visitorText({
  request: { method, headers = {}, userAttributes = {}, at },
}: Schemas.Example): string {
  const facts = [method, ...Object.values(userAttributes), ...Object.values(headers), at];
  return facts.filter(Boolean).join(' · ');
}

function expectedText({ expect: { statusCode, location, ruleName, noMatch } }: Schemas.Example): string {
  if (noMatch) return words.expected.noMatch;
  return [statusCode, location, ruleName && words.expected.rule(ruleName)].filter(Boolean).join(' · ');
}
