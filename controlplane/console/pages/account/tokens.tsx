import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Tag } from '../../components/badge';
import { Button } from '../../components/button';
import { SecretDialog } from '../../components/copy-field';
import { ConfirmDialog } from '../../components/dialog';
import { Choices, fieldsOf, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { Card } from '../../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../../components/messages';
import { Table } from '../../components/table';
import { agoText, dateText } from '../../components/times';
import { useForm } from '../../components/use-form';
import { SCOPES, useTokenChanges, useTokens } from '../../data/tokens';
import { AccountFrame } from '../../features/account/account-frame';
import { texts } from '../../texts/texts';

const { tokens: words, tabs } = texts.account;
const { columns } = words;
/** Lifetime of a token that does not expire. */
const NO_END = '0';

export default function TokensPage() {
  const tokens = useTokens();
  const { remove } = useTokenChanges();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [deleting, setDeleting] = useState<Schemas.AccessToken>();
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <AccountFrame part={tabs.tokens} actions={create}>
      <p class="lead">{words.lead}</p>
      <ErrorNote error={remove.error} />
      <Loaded query={tokens}>
        {(list) => (
          <Card flush>
            <TokenTable tokens={list} onDelete={setDeleting} />
          </Card>
        )}
      </Loaded>
      {isCreating && (
        <CreateTokenDialog
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
            setSecret(token);
          }}
        />
      )}
      {secret && (
        <SecretDialog
          title={words.shownTitle}
          body={words.shownBody}
          label={texts.auth.token.label}
          secret={secret}
          done={words.done}
          onClose={() => setSecret(undefined)}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={words.deleteTitle(deleting.name)}
          body={words.deleteBody}
          action={texts.shell.delete}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => remove.mutate(deleting.id)}
        />
      )}
    </AccountFrame>
  );
}

function TokenTable({
  tokens,
  onDelete,
}: {
  readonly tokens: readonly Schemas.AccessToken[];
  readonly onDelete: (token: Schemas.AccessToken) => void;
}) {
  return (
    <Table
      label={tabs.tokens}
      rows={tokens}
      empty={<EmptyState {...words.empty} icon="keyboard" />}
      keyOf={({ id }) => id}
      columns={[
        { text: columns.name, cell: ({ name }) => <strong>{name}</strong> },
        {
          text: columns.scopes,
          cell: ({ scopes }) => (
            <span class="tags">
              {scopes.length === SCOPES.length ? (
                <Tag>{words.allScopes}</Tag>
              ) : (
                scopes.map((scope) => <Tag key={scope}>{scope}</Tag>)
              )}
            </span>
          ),
        },
        {
          text: columns.used,
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? words.never : agoText(lastUsedAt)),
        },
        {
          text: columns.ends,
          cell: ({ expiresAt }) => (expiresAt === null ? words.never : dateText(expiresAt)),
        },
      ]}
      actions={(token) => (
        <Button small icon="trash" label={words.deleteOne(token.name)} onClick={() => onDelete(token)} />
      )}
    />
  );
}

/** Creates an access token. @param onCreated receives the token, which is shown once */
function CreateTokenDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}) {
  const { create } = useTokenChanges();
  const form = useForm<{ name: string; scopes: readonly string[]; expiresInDays: string }>({
    initial: { name: '', scopes: ['redirects:read'], expiresInDays: '90' },
    draft: 'new-token',
    async submit({ name, scopes, expiresInDays }) {
      const days = expiresInDays === NO_END ? null : Number(expiresInDays);
      const { token } = await create.mutateAsync({ name, scopes, expiresInDays: days });
      onCreated(token);
    },
  });
  const field = fieldsOf(form, words);
  return (
    <FormDialog title={words.createTitle} form={form} submit={words.create} onClose={onClose}>
      <TextField {...field('name')} data-autofocus />
      <Choices {...field('scopes')} options={SCOPES} />
      <SelectField {...field('expiresInDays')} options={words.lifetimes} />
    </FormDialog>
  );
}
