import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { TableFrame } from '../../components/table-frame';
import { dateText } from '../../components/times';
import { texts } from '../../texts/texts';

const { plan: words, money } = texts.account;

const TONES: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', pending: 'warning' };

/** The newest payments with their documents. */
export function Payments({ transactions }: { readonly transactions: readonly Schemas.Transaction[] }) {
  return (
    <Card title={words.payments} flush>
      {transactions.length === 0 ? (
        <p class="card-note">{words.noPayments}</p>
      ) : (
        <TableFrame
          label={words.payments}
          columns={[
            words.columns.date,
            words.columns.type,
            words.columns.status,
            { text: words.columns.amount, isNumber: true },
            words.columns.document,
          ]}
        >
          {transactions.map((transaction) => (
            <tr key={transaction.id}>
              <td>{dateText(transaction.createdAt)}</td>
              <td>{transaction.type.replaceAll('_', ' ')}</td>
              <td>
                <Badge tone={TONES[transaction.status] ?? 'neutral'}>
                  {transaction.status.replaceAll('_', ' ')}
                </Badge>
              </td>
              <td class="number">{money(transaction.amount, transaction.currency)}</td>
              <td>
                <Documents transaction={transaction} />
              </td>
            </tr>
          ))}
        </TableFrame>
      )}
    </Card>
  );
}

function Documents({
  transaction: { invoiceUrl, receiptUrl },
}: {
  readonly transaction: Schemas.Transaction;
}) {
  if (!invoiceUrl && !receiptUrl) return <>–</>;
  return (
    <a href={invoiceUrl || receiptUrl || ''} target="_blank" rel="noreferrer">
      {invoiceUrl ? words.invoice : words.receipt}
    </a>
  );
}
