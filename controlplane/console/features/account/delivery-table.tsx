import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { TableFrame } from '../../components/table-frame';
import { agoText, timeText } from '../../components/times';
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
    <TableFrame
      label={label}
      columns={[
        columns.event,
        columns.status,
        columns.answer,
        columns.attempts,
        columns.time,
        { text: columns.actions, isHidden: true },
      ]}
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td>{delivery.eventType}</td>
          <td>
            <Badge tone={TONES[delivery.status]}>{words.statuses[delivery.status]}</Badge>
            {delivery.nextAttemptAt !== null && delivery.attempts.length > 0 && (
              <>
                <br />
                <span class="quiet">{words.next(timeText(delivery.nextAttemptAt))}</span>
              </>
            )}
          </td>
          <td>{answerText(delivery)}</td>
          <td>{attemptsText(delivery)}</td>
          <td title={timeText(delivery.createdAt)}>{agoText(delivery.createdAt)}</td>
          <td class="actions">
            <Button small onClick={() => onResend(delivery.id)}>
              {words.resend}
            </Button>
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

function answerText({ responseCode, error }: Schemas.WebhookDelivery): string {
  return error === null ? String(responseCode ?? words.noAnswer) : (words.problems[error] ?? error);
}

function attemptsText({ attempts }: Schemas.WebhookDelivery): string {
  const last = attempts.at(-1);
  return last === undefined ? '' : words.attempts(attempts.length, last.durationMs);
}
