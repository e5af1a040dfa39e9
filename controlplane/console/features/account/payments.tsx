import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { Table } from '../../components/table';
import { dateText } from '../../components/times';
import { texts } from '../../texts/texts';

const { plan: words, money } = texts.account;
const { columns } = words;

const TONES: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', pending: 'warning' };

/** The newest payments with their documents. */
export function Payments({ transactions }: { readonly transactions: readonly Schemas.Transaction[] }) {
  return (
    <Card title={words.payments} flush>
      {transactions.length === 0 ? (
        <p class="card-note">{words.noPayments}</p>
      ) : (
        <Table
          label={words.payments}
          rows={transactions}
          keyOf={({ id }) => id}
          columns={[
            { text: columns.date, cell: ({ createdAt }) => dateText(createdAt) },
            { text: columns.type, cell: ({ type }) => type.replaceAll('_', ' ') },
            {
              text: columns.status,
              cell: ({ status }) => (
                <Badge tone={TONES[status] ?? 'neutral'}>{status.replaceAll('_', ' ')}</Badge>
              ),
            },
            {
              text: columns.amount,
              class: 'number',
              cell: ({ amount, currency }) => money(amount, currency),
            },
            { text: columns.document, cell: documentOf },
          ]}
        />
      )}
    </Card>
  );
}

function documentOf({ invoiceUrl, receiptUrl }: Schemas.Transaction) {
  if (!invoiceUrl && !receiptUrl) return '–';
  return (
    <a href={invoiceUrl || receiptUrl || ''} target="_blank" rel="noreferrer">
      {invoiceUrl ? words.invoice : words.receipt}
    </a>
  );
}
