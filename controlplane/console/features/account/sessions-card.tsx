import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { ErrorNote, Loaded } from '../../components/messages';
import { agoText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useSessionChanges, useSessions } from '../../data/tokens';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;

/** The sessions of the user, to look for ones that should not be there. */
export function SessionsCard() {
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

/** A short name of a browser, such as “Firefox on Windows”. The order of the names matters: Edge claims to be Chrome. */
function browserName(userAgent: string | null): string {
  const browser = BROWSERS.find(
    (name) => userAgent?.includes(`${name}/`) || userAgent?.includes(`Headless${name}/`),
  );
  const system = SYSTEMS.find((name) => userAgent?.includes(name));
  if (browser === undefined) return words.unknownBrowser;
  return system === undefined ? (NAMES[browser] ?? browser) : `${NAMES[browser] ?? browser}, ${system}`;
}
