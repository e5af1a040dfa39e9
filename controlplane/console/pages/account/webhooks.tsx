import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { Card } from '../../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../../components/messages';
import { SecretDialog } from '../../components/secret-dialog';
import type { WebhookEndpoint } from '../../data/account-records';
import { useEndpointChanges, useEndpoints } from '../../data/webhooks';
import { AccountFrame } from '../../features/account/account-frame';
import { CreateEndpointDialog } from '../../features/account/create-endpoint-dialog';
import { EndpointCard } from '../../features/account/endpoint-card';
import { texts } from '../../texts/texts';

const { webhooks: words, tabs, tokens } = texts.account;

export default function WebhooksPage() {
  const endpoints = useEndpoints();
  const { remove } = useEndpointChanges();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [deleting, setDeleting] = useState<WebhookEndpoint>();
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <AccountFrame part={tabs.webhooks} actions={create}>
      <p class="lead">{words.lead}</p>
      <ErrorNote error={remove.error} />
      <Loaded query={endpoints}>
        {({ endpoints: list }) => (
          <>
            {list.length === 0 && (
              <Card>
                <EmptyState title={words.empty.title} body={words.empty.body} icon="route" />
              </Card>
            )}
            {list.map((endpoint) => (
              <EndpointCard key={endpoint.id} endpoint={endpoint} onDelete={() => setDeleting(endpoint)} />
            ))}
          </>
        )}
      </Loaded>
      {isCreating && (
        <CreateEndpointDialog
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created);
          }}
        />
      )}
      {secret && (
        <SecretDialog
          title={words.secretTitle}
          body={words.secretBody}
          label={texts.redirects.dns.value}
          secret={secret}
          done={tokens.done}
          onClose={() => setSecret(undefined)}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={words.deleteTitle}
          body={words.deleteBody}
          action={texts.shell.delete}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => {
            remove.mutate(deleting.id);
            setDeleting(undefined);
          }}
        />
      )}
    </AccountFrame>
  );
}
