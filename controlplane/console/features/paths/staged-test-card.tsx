import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { FieldError, fieldsOf, TextAreaField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { Table } from '../../components/table';
import { useForm } from '../../components/use-form';
import { testStaged } from '../../data/staged-paths';
import { texts } from '../../texts/texts';

const { test: words } = texts.paths.staged;

/** Tests URLs with the staged table and shows their destinations. */
export function StagedTestCard({ id }: { readonly id: string }) {
  const [tested, setTested] = useState<readonly Schemas.TestedPath[]>();
  const form = useForm({
    initial: { urls: '' },
    async submit({ urls }) {
      const lines = urls.split('\n').map((line) => line.trim());
      const given = lines.filter((line) => line !== '');
      if (given.length === 0) throw new FieldError('urls', words.needed);
      setTested(await testStaged(id, given));
    },
    fieldOf: (path) => (path.startsWith('urls') ? 'urls' : path),
  });
  const field = fieldsOf(form, words);
  return (
    <Card title={words.title} lead={words.lead}>
      <Form form={form} submit={words.submit}>
        <TextAreaField {...field('urls')} rows={4} />
      </Form>
      <div aria-live="polite">{tested && <TestedTable tested={tested} />}</div>
    </Card>
  );
}

function TestedTable({ tested }: { readonly tested: readonly Schemas.TestedPath[] }) {
  const { columns } = words;
  return (
    <Table
      label={words.title}
      rows={tested}
      // The list may have the same URL twice.
      keyOf={(_, place) => place}
      columns={[
        { text: columns.url, class: 'break', cell: ({ url }) => <code>{url}</code> },
        {
          text: columns.result,
          class: 'break',
          cell: ({ statusCode, location }) => (
            <>
              <span class="quiet">{statusCode}</span> {location !== null && <code>{location}</code>}
            </>
          ),
        },
        { text: columns.why, cell: ({ reason, source }) => words.reasons[reason](source ?? '') },
      ]}
    />
  );
}
