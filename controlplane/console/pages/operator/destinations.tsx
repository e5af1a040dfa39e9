import type { Schemas } from '@waymark/client';
import { Table } from '../../components/table';
import { dateText, Time } from '../../components/times';
import { useBrokenDestinations } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SearchedList } from '../../features/operator/searched-list';
import { texts } from '../../texts/texts';

const { destinations: words, tabs } = texts.operator;
const { errors } = texts.redirects.health;

export default function BrokenDestinationsPage() {
  const { url, problem, since, redirects } = words.columns;
  return (
    <OperatorFrame part={tabs.destinations}>
      <SearchedList words={words} useRows={useBrokenDestinations}>
        {(destinations) => (
          <Table
            label={tabs.destinations}
            rows={destinations}
            keyOf={(destination) => destination.url}
            columns={[
              { text: url, class: 'break', cell: (destination) => destination.url },
              {
                text: problem,
                cell: (destination) => (
                  <>
                    {problemOf(destination)}
                    <p class="quiet">{words.failures(destination.failures)}</p>
                  </>
                ),
              },
              {
                text: since,
                class: 'no-wrap',
                cell: ({ failingSince }) => failingSince && <Time at={failingSince} format={dateText} />,
              },
              { text: redirects, cell: usersOf },
            ]}
          />
        )}
      </SearchedList>
    </OperatorFrame>
  );
}

function problemOf({ error, statusCode }: Schemas.BrokenDestination): string {
  if (error !== null) return errors[error] ?? error;
  return statusCode === null ? '' : words.status(statusCode);
}

/** Names the redirects that lead to a destination. */
function usersOf({ redirects, redirectCount }: Schemas.BrokenDestination) {
  return (
    <>
      <ul class="plain-list">
        {redirects.map(({ id, fromDomain, userId, email }) => (
          <li key={id}>
            {fromDomain} <span class="quiet">{email ?? userId}</span>
          </li>
        ))}
      </ul>
      {redirectCount > redirects.length && (
        <p class="quiet">{words.more(redirectCount - redirects.length)}</p>
      )}
    </>
  );
}
