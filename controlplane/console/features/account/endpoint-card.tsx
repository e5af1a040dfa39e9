import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge, Tag, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { ErrorNote, Loaded } from '../../components/messages';
import { PageButtons } from '../../components/paged-list';
import { Table } from '../../components/table';
import { Time, timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useDeliveries, useDeliveryChanges, useEndpointChanges } from '../../data/webhooks';
import { texts } from '../../texts/texts';

const { webhooks: words } = texts.account;

interface Props {
  readonly endpoint: Schemas.WebhookEndpoint;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  /** Asks the user before a new secret is created. */
  readonly onRotate: () => void;
}

/** A webhook endpoint with its deliveries. */
export function EndpointCard({ endpoint, onEdit, onDelete, onRotate }: Props) {
  const [page, setPage] = useState(1);
  const deliveries = useDeliveries(endpoint.id, page);
  const { sendTest, resend } = useDeliveryChanges(endpoint.id);
  const { update } = useEndpointChanges();
  const toast = useToast();
  const { id, url, paused } = endpoint;
  return (
    <section class="card card-flush">
      <header class="card-head">
        <div class="stack-small">
          <h2 class="break">
            {url} {paused && <Badge tone="warning">{words.paused}</Badge>}
          </h2>
          <span class="tags">
            {endpoint.events.map((event) => (
              <Tag key={event}>{event}</Tag>
            ))}
          </span>
          {endpoint.disabledAt !== null && <Badge tone="bad">{words.disabled}</Badge>}
        </div>
        <div class="button-row">
          <Button
            small
            isBusy={sendTest.isPending}
            onClick={() => sendTest.mutate(undefined, { onSuccess: () => toast({ text: words.tested }) })}
          >
            {words.test}
          </Button>
          <Button
            small
            isBusy={update.isPending}
            onClick={() => update.mutate({ id, changes: { paused: !paused } })}
          >
            {paused ? words.resume : words.pause}
          </Button>
          <Button small onClick={onRotate}>
            {words.rotate}
          </Button>
          <span class="no-wrap">
            <Button small icon="edit" label={words.editOne(url)} onClick={onEdit} />
            <Button small icon="trash" label={words.deleteOne(url)} onClick={onDelete} />
          </span>
        </div>
      </header>
      <ErrorNote error={resend.error ?? update.error ?? sendTest.error} />
      <Loaded query={deliveries}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p class="card-note">{words.noDeliveries}</p>
          ) : (
            <>
              <DeliveryTable
                label={`${words.deliveries}: ${url}`}
                deliveries={data}
                onResend={(delivery) =>
                  resend.mutate(delivery, { onSuccess: () => toast({ text: words.resent }) })
                }
              />
              <PageButtons page={page} pages={pagination.totalPages} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const TONES: Readonly<Record<Schemas.WebhookDelivery['status'], Tone>> = {
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
};

/** Deliveries to an endpoint, newest first. */
function DeliveryTable({
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
      ]}
      actions={({ id }) => (
        <Button small onClick={() => onResend(id)}>
          {words.resend}
        </Button>
      )}
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
