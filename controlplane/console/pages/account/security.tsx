import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { TextField } from '../../components/field';
import { Form, FormDialog } from '../../components/form';
import { Card } from '../../components/layout';
import { ErrorNote, Loaded } from '../../components/messages';
import { agoText, timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { accountKey, useAccount } from '../../data/account';
import { useRefresh } from '../../data/queries';
import { request } from '../../data/request';
import { sessionsKey, useSessionChanges, useSessions } from '../../data/tokens';
import { AccountFrame } from '../../features/account/account-frame';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;

export default function SecurityPage() {
  return (
    <AccountFrame part={texts.account.tabs.security}>
      <div class="stack narrow">
        <PasswordCard />
        <SessionsCard />
        <DeleteAccountCard />
      </div>
    </AccountFrame>
  );
}

const EMPTY = { currentPassword: '', newPassword: '' };

/** Changes the password, or sets one for a user without a password. This ends all other sessions. */
function PasswordCard() {
  const { data: account } = useAccount();
  const refresh = useRefresh(accountKey, sessionsKey);
  const toast = useToast();
  const form = useForm({
    initial: EMPTY,
    async submit({ currentPassword, newPassword }) {
      const { message } = account?.hasPassword
        ? await request('POST', '/auth/password/change', { body: { currentPassword, newPassword } })
        : await request('POST', '/auth/password/set', { body: { newPassword } });
      form.reset(EMPTY);
      toast({ text: message });
      void refresh();
    },
  });
  if (account === undefined) return null;
  const { hasPassword, user } = account;
  return (
    <Card title={words.password} lead={!hasPassword && words.noPassword(user.email)}>
      <Form form={form} submit={hasPassword ? words.change : words.setFirst}>
        {hasPassword && (
          <TextField
            bound={form.bind('currentPassword')}
            label={texts.auth.currentPassword}
            type="password"
            autocomplete="current-password"
          />
        )}
        <TextField
          bound={form.bind('newPassword')}
          label={texts.auth.newPassword}
          hint={texts.auth.passwordHint}
          type="password"
          autocomplete="new-password"
        />
      </Form>
    </Card>
  );
}

/** Lists the sessions of the user, so users can find sessions that are not theirs. */
function SessionsCard() {
  const query = useSessions();
  const { end, endOthers } = useSessionChanges();
  const toast = useToast();
  const endAll = () =>
    endOthers.mutate(undefined, { onSuccess: ({ ended }) => toast({ text: words.ended(ended) }) });
  return (
    <Card
      title={words.sessions}
      lead={words.sessionsLead}
      actions={
        <Button isBusy={endOthers.isPending} onClick={endAll}>
          {words.endOthers}
        </Button>
      }
    >
      <ErrorNote error={end.error ?? endOthers.error} />
      <Loaded query={query}>
        {({ sessions }) => (
          <ul class="lines">
            {sessions.map((session) => (
              <SessionLine key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function SessionLine({
  session,
  onEnd,
}: {
  readonly session: Schemas.ListedSession;
  readonly onEnd: () => void;
}) {
  const name = session.kind === 'token' ? words.program : browserName(session.userAgent);
  const used = session.lastUsedAt === null ? '' : `, ${words.used(agoText(session.lastUsedAt))}`;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="quiet">
          {words.opened(agoText(session.createdAt))}
          {used}
        </p>
      </div>
      {session.isCurrent ? (
        <Badge tone="good">{words.thisOne}</Badge>
      ) : (
        <Button small aria-label={words.endOne(name)} onClick={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'] as const;

/**
 * Returns a short name of a browser, such as “Firefox on Windows”. The order of the names matters, because Edge's user
 * agent also contains “Chrome”.
 */
function browserName(userAgent: string | null): string {
  const browser = BROWSERS.find(
    (name) => userAgent?.includes(`${name}/`) || userAgent?.includes(`Headless${name}/`),
  );
  const system = SYSTEMS.find((name) => userAgent?.includes(name));
  if (browser === undefined) return words.unknownBrowser;
  return system === undefined ? (NAMES[browser] ?? browser) : `${NAMES[browser] ?? browser}, ${system}`;
}

/** Deletes the account, or cancels a deletion. The operator's account cannot be deleted. */
function DeleteAccountCard() {
  const { data: account } = useAccount();
  const refresh = useRefresh(accountKey);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  if (account === undefined || account.isOperator) return null;
  if (account.eraseAt !== null) {
    return (
      <Card title={words.deleteAccount} lead={words.closing(timeText(account.eraseAt))}>
        <ErrorNote error={problem} />
        <Button
          look="primary"
          onClick={() => void request('POST', '/auth/user/restore', { body: {} }).then(refresh, setProblem)}
        >
          {words.restore}
        </Button>
      </Card>
    );
  }
  return (
    <Card title={words.deleteAccount} lead={words.deleteBody}>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.deleteAccount}
      </Button>
      {isAsking && (
        <DeleteAccountDialog
          onClose={() => setAsking(false)}
          onDeleted={() => {
            setAsking(false);
            void refresh();
          }}
        />
      )}
    </Card>
  );
}

/** Asks for the password before the account is deleted. */
function DeleteAccountDialog({
  onClose,
  onDeleted,
}: {
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const form = useForm({
    initial: { password: '' },
    async submit({ password }) {
      await request('DELETE', '/auth/user', { body: { password } });
      onDeleted();
    },
  });
  return (
    <FormDialog
      title={words.deleteAccount}
      form={form}
      submit={words.deleteAccount}
      look="danger"
      onClose={onClose}
    >
      <p>{words.deleteBody}</p>
      <TextField
        bound={form.bind('password')}
        label={texts.auth.password}
        type="password"
        autocomplete="current-password"
        data-autofocus
      />
    </FormDialog>
  );
}
