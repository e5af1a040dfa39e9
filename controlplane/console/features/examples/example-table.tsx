import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Table } from '../../components/table';
import { texts } from '../../texts/texts';

const { examples: words } = texts;

/** Examples with the results of their last run. */
export function ExampleTable({
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
        {
          text: columns.actions,
          class: 'actions',
          cell: (example) => (
            <>
              <Button small icon="edit" label={words.edit(example.name)} onClick={() => onEdit(example)} />
              <Button
                small
                icon="trash"
                label={words.deleteOne(example.name)}
                onClick={() => onDelete(example)}
              />
            </>
          ),
        },
      ]}
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
