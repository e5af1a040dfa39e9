import type { Schemas } from '@waymark/client';
import { TableFrame } from '../../components/table-frame';
import { dateText, timeText } from '../../components/times';
import { useBrokenDestinations } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SearchedList } from '../../features/operator/searched-list';
import { texts } from '../../texts/texts';

const { destinations: words, tabs } = texts.operator;
const { errors } = texts.redirects.health;

export default function BrokenDestinationsPage() {
  return (
    <OperatorFrame part={tabs.destinations}>
      <SearchedList words={words} useRows={useBrokenDestinations}>
        {(destinations) => <DestinationTable destinations={destinations} />}
      </SearchedList>
    </OperatorFrame>
  );
}

function DestinationTable({ destinations }: { readonly destinations: readonly Schemas.BrokenDestination[] }) {
  const { url, problem, since, redirects } = words.columns;
  return (
    <TableFrame label={tabs.destinations} columns={[url, problem, since, redirects]}>
      {destinations.map((each) => (
        <tr key={each.url}>
          <td class="break">{each.url}</td>
          <td>
            {problemOf(each)}
            <p class="quiet">{words.failures(each.failures)}</p>
          </td>
          <td class="no-wrap" title={each.failingSince === null ? undefined : timeText(each.failingSince)}>
            {each.failingSince !== null && dateText(each.failingSince)}
          </td>
          <td>
            <ul class="plain-list">
              {each.redirects.map(({ id, fromDomain, userId, email }) => (
                <li key={id}>
                  {fromDomain} <span class="quiet">{email ?? userId}</span>
                </li>
              ))}
            </ul>
            {each.redirectCount > each.redirects.length && (
              <p class="quiet">{words.more(each.redirectCount - each.redirects.length)}</p>
            )}
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

function problemOf({ error, statusCode }: Schemas.BrokenDestination): string {
  if (error !== null) return errors[error] ?? error;
  return statusCode === null ? '' : words.status(statusCode);
}
