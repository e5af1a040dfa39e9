import { Badge, Tag, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { ErrorNote, Loaded } from '../../components/messages';
import { TableFrame } from '../../components/table-frame';
import { agoText } from '../../components/times';
import { useToast } from '../../components/toasts';
import type { WebhookDelivery, WebhookEndpoint } from '../../data/account-records';
import { useDeliveries, useResend } from '../../data/webhooks';
import { texts } from '../../texts/texts';

const { webhooks: words } = texts.account;
const TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
};

/** An endpoint with what was sent to it. */
export function EndpointCard({
  endpoint,
  onDelete,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly onDelete: () => void;
}) {
  const deliveries = useDeliveries(endpoint.id);
  const resend = useResend(endpoint.id);
  const toast = useToast();
  return (
    <section class="card card-flush">
      <header class="card-head">
        <div class="stack-small">
          <h2 class="break">{endpoint.url}</h2>
          <span class="tags">
            {endpoint.events.map((event) => (
              <Tag key={event}>{event}</Tag>
            ))}
          </span>
          {endpoint.disabledAt !== null && <Badge tone="bad">{words.disabled}</Badge>}
        </div>
        <Button look="quiet" icon="trash" label={words.deleteOne(endpoint.url)} onClick={onDelete} />
      </header>
      <ErrorNote error={resend.error} />
      <Loaded query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="card-note">{words.noDeliveries}</p>
          ) : (
            <DeliveryTable
              label={`${words.deliveries}: ${endpoint.url}`}
              deliveries={data}
              onResend={(id) => resend.mutate(id, { onSuccess: () => toast({ text: words.resent }) })}
            />
          )
        }
      </Loaded>
    </section>
  );
}

function DeliveryTable({
  label,
  deliveries,
  onResend,
}: {
  readonly label: string;
  readonly deliveries: readonly WebhookDelivery[];
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
        columns.time,
        { text: columns.actions, isHidden: true },
      ]}
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td>{delivery.eventType}</td>
          <td>
            <Badge tone={TONES[delivery.status]}>{words.statuses[delivery.status]}</Badge>
          </td>
          <td>{delivery.responseCode ?? delivery.error ?? words.noAnswer}</td>
          <td>{agoText(delivery.createdAt)}</td>
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
