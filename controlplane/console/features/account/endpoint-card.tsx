import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge, Tag } from '../../components/badge';
import { Button } from '../../components/button';
import { ErrorNote, Loaded } from '../../components/messages';
import { PageButtons } from '../../components/paged-list';
import { useToast } from '../../components/toasts';
import { useDeliveries, useDeliveryChanges, useEndpointChanges } from '../../data/webhooks';
import { texts } from '../../texts/texts';
import { DeliveryTable } from './delivery-table';

const { webhooks: words } = texts.account;

interface Props {
  readonly endpoint: Schemas.WebhookEndpoint;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  /** Asks the user before a new secret is created. */
  readonly onRotate: () => void;
}

/** An endpoint with the messages that it got. */
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
