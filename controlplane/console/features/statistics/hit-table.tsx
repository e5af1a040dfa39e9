import type { Hit } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { PageButtons } from '../../components/paged-list';
import { Select } from '../../components/select';
import { Table } from '../../components/table';
import { type HitFilter, type StatisticsPeriod, useHits } from '../../data/statistics';
import { texts } from '../../texts/texts';
import { countryName } from './ranked-rows';

const { hits: words } = texts.statistics;
const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'medium' });

/** Lists single visits, newest first. New visits appear on the first page. */
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
    <div class="hits" id="visits">
      <Card
        title={words.title}
        lead={words.live}
        flush
        actions={
          <Select
            class="input choice-input"
            aria-label={words.who}
            value={filter.isBot}
            options={{ '': words.everyone, false: words.onlyPeople, true: words.onlyBots }}
            onChoose={(bots) => onChange({ bots: bots || null, page: null })}
          />
        }
      >
        <Loaded query={hits}>
          {({ data, pagination }) => (
            <>
              <Table
                label={words.title}
                rows={data}
                keyOf={(hit) => hit.id}
                columns={[
                  { text: words.time, cell: ({ timestamp }) => TIME.format(new Date(timestamp)) },
                  {
                    text: words.request,
                    cell: (hit) => <code title={requestOf(hit)}>{requestOf(hit)}</code>,
                  },
                  {
                    text: words.answer,
                    cell: ({ statusCode, destinationUrl }) => (
                      <>
                        <span class="quiet">{statusCode}</span>{' '}
                        <code title={destinationUrl ?? undefined}>{destinationUrl}</code>
                      </>
                    ),
                  },
                  { text: words.visitor, cell: visitorOf },
                  { text: words.place, cell: ({ country }) => countryName(country) },
                ]}
                empty={<p class="loading">{words.none}</p>}
              />
              <PageButtons
                page={filter.page}
                pages={pagination.totalPages}
                onPage={(page) => onChange({ page: page === 1 ? null : String(page) })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

function visitorOf({ isBot, deviceType, browser, os }: Hit) {
  if (isBot) return <Badge tone="warning">{words.bot}</Badge>;
  return [deviceType, browser, os].filter((part) => part !== null && part !== 'unknown').join(', ');
}

const requestOf = ({ path, query }: Hit) => (query ? `${path}?${query}` : path);
