import type { Hit } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { Select } from '../../components/select';
import { TableFrame } from '../../components/table-frame';
import { type HitFilter, type StatisticsPeriod, useHits } from '../../data/statistics';
import { texts } from '../../texts/texts';
import { countryName } from './ranked-rows';

const { hits: words } = texts.statistics;
const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'medium' });

/** Single visits, newest first. New ones appear on the first page. */
export function HitTable({
  id,
  period,
  filter,
  onChange,
}: {
  readonly id: string;
  readonly period: StatisticsPeriod;
  readonly filter: HitFilter;
  readonly onChange: (changed: Readonly<Record<string, string | null>>) => void;
}) {
  const hits = useHits(id, period, filter);
  return (
    <Card flush>
      <header class="card-head hits-head" id="visits">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">{words.live}</p>
        </div>
        <div class="hits-filters">
          <Select
            aria-label={words.who}
            value={filter.isBot}
            options={{ '': words.everyone, false: words.onlyPeople, true: words.onlyBots }}
            onChoose={(bots) => onChange({ bots: bots || null, page: null })}
          />
        </div>
      </header>
      <div class="hits">
        <Loaded query={hits}>
          {({ data, pagination }) => (
            <>
              {data.length === 0 ? (
                <p class="loading">{words.none}</p>
              ) : (
                <TableFrame
                  label={words.title}
                  columns={[words.time, words.request, words.answer, words.visitor, words.place]}
                >
                  {data.map((hit) => (
                    <HitRow key={hit.id} hit={hit} />
                  ))}
                </TableFrame>
              )}
              {pagination.totalPages > 1 && (
                <footer class="pages">
                  <Button
                    small
                    disabled={filter.page <= 1}
                    onClick={() => onChange({ page: filter.page <= 2 ? null : String(filter.page - 1) })}
                  >
                    {words.newer}
                  </Button>
                  <span class="quiet">{words.page(pagination.page, pagination.totalPages)}</span>
                  <Button
                    small
                    disabled={filter.page >= pagination.totalPages}
                    onClick={() => onChange({ page: String(filter.page + 1) })}
                  >
                    {words.older}
                  </Button>
                </footer>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function HitRow({ hit }: { readonly hit: Hit }) {
  const visitor = [hit.deviceType, hit.browser, hit.os].filter((part) => part !== null && part !== 'unknown');
  return (
    <tr>
      <td>{TIME.format(new Date(hit.timestamp))}</td>
      <td>
        <code title={requestOf(hit)}>{requestOf(hit)}</code>
      </td>
      <td>
        <span class="quiet">{hit.statusCode}</span>{' '}
        <code title={hit.destinationUrl ?? undefined}>{hit.destinationUrl}</code>
      </td>
      <td>{hit.isBot ? <Badge tone="warning">{words.bot}</Badge> : visitor.join(', ')}</td>
      <td>{countryName(hit.country)}</td>
    </tr>
  );
}

const requestOf = ({ path, query }: Hit) => (query ? `${path}?${query}` : path);
