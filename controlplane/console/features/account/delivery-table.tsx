import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { Table } from '../../components/table';
import { Time, timeText } from '../../components/times';
import { texts } from '../../texts/texts';

const { webhooks: words } = texts.account;
const TONES: Readonly<Record<Schemas.WebhookDelivery['status'], Tone>> = {
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
};

/** Messages to an endpoint, newest first. */
export function DeliveryTable({
  label,
  deliveries,
  onResend,
}: {
  readonly label: string;
  readonly deliveries: readonly Schemas.WebhookDelivery[];
  readonly onResend: (id: string) => void;
}) {
  const { columns } = words;
  return (
    <Table
      label={label}
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        { text: columns.event, cell: ({ eventType }) => eventType },
        { text: columns.status, cell: statusOf },
        { text: columns.answer, cell: answerText },
        { text: columns.attempts, cell: attemptsText },
        { text: columns.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          text: columns.actions,
          class: 'actions',
          cell: ({ id }) => (
            <Button small onClick={() => onResend(id)}>
              {words.resend}
            </Button>
          ),
        },
      ]}
    />
  );
}

function statusOf({ status, nextAttemptAt, attempts }: Schemas.WebhookDelivery) {
  return (
    <>
      <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>
      {nextAttemptAt !== null && attempts.length > 0 && (
        <>
          <br />
          <span class="quiet">{words.next(timeText(nextAttemptAt))}</span>
        </>
      )}
    </>
  );
}

function answerText({ responseCode, error }: Schemas.WebhookDelivery): string {
  return error === null ? String(responseCode ?? words.noAnswer) : (words.problems[error] ?? error);
}

function attemptsText({ attempts }: Schemas.WebhookDelivery): string {
  const last = attempts.at(-1);
  return last === undefined ? '' : words.attempts(attempts.length, last.durationMs);
}
