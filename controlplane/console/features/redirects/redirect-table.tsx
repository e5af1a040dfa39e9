import type { Redirect } from '@waymark/client';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Tag } from '../../components/badge';
import { agoText, timeText } from '../../components/times';
import { NARROW, useMedia } from '../../components/use-media';
import { useVirtualRows } from '../../components/use-virtual-rows';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { StatusBadge } from './status-badge';

const { columns, selectAll, selectOne } = texts.redirects;
/** Row heights. The styles use the same values. */
const ROW_PX = 58;
const NARROW_ROW_PX = 76;
/** Maximum number of tags in a row. For the others the row shows their count. */
const SHOWN_TAGS = 3;
/** The next page is requested when fewer than this many rows follow the view. */
const ROWS_AHEAD = 30;

interface Props {
  readonly redirects: readonly Redirect[];
  /** Number of all matches, including those not read yet. */
  readonly total: number;
  /** Visits per minute by id. */
  readonly rates: ReadonlyMap<string, number>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  /** Requests the next page. Undefined at the end of the list and while a page is loading. */
  readonly onMore: (() => void) | undefined;
}

/** The list of redirects. Only rows in view are rendered, so 100,000 redirects scroll as fast as 10. */
export function RedirectTable({ redirects, total, rates, selected, onSelect, onMore }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeightPx = useMedia(NARROW) ? NARROW_ROW_PX : ROW_PX;
  const { rows, totalPx } = useVirtualRows({ scroller, count: redirects.length, rowHeightPx });
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last > redirects.length - ROWS_AHEAD) onMore?.();
  }, [last, redirects.length, onMore]);

  function toggle(id: string, isSelected: boolean) {
    const next = new Set(selected);
    if (isSelected) next.add(id);
    else next.delete(id);
    onSelect(next);
  }

  const hasAll = redirects.length > 0 && redirects.every(({ id }) => selected.has(id));
  return (
    <div role="table" aria-label={texts.redirects.title} aria-rowcount={total + 1}>
      <div role="rowgroup">
        <div class="rows-head" role="row" aria-rowindex={1}>
          <span role="columnheader">
            <input
              type="checkbox"
              aria-label={selectAll}
              checked={hasAll}
              onChange={({ currentTarget }) =>
                onSelect(currentTarget.checked ? new Set(redirects.map(({ id }) => id)) : new Set())
              }
            />
          </span>
          <span role="columnheader">{columns.domain}</span>
          <span role="columnheader">{columns.destination}</span>
          <span role="columnheader">{columns.status}</span>
          <span role="columnheader" class="row-number">
            {columns.hits}
          </span>
          <span role="columnheader" class="row-number row-rate">
            {columns.rate}
          </span>
          <span role="columnheader" class="row-date">
            {columns.created}
          </span>
        </div>
      </div>
      <div class="rows-scroll" ref={scroller} role="rowgroup">
        <div class="rows" role="presentation" style={{ height: `${totalPx}px` }}>
          {rows.map(({ index, startPx }) => {
            const redirect = redirects[index];
            return (
              redirect && (
                <Row
                  key={redirect.id}
                  redirect={redirect}
                  rate={rates.get(redirect.id)}
                  index={index}
                  startPx={startPx}
                  isSelected={selected.has(redirect.id)}
                  onToggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly redirect: Redirect;
  /** Visits per minute; undefined until they are known. */
  readonly rate: number | undefined;
  readonly index: number;
  readonly startPx: number;
  readonly isSelected: boolean;
  readonly onToggle: (id: string, isSelected: boolean) => void;
}

function Row({ redirect, rate, index, startPx, isSelected, onToggle }: RowProps) {
  const { id, fromDomain, toDomain, status, tags, analyticsUsage, createdAt } = redirect;
  return (
    <div
      class={isSelected ? 'row row-selected' : 'row'}
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${startPx}px)` }}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={selectOne(fromDomain)}
          checked={isSelected}
          onChange={({ currentTarget }) => onToggle(id, currentTarget.checked)}
        />
      </span>
      <span role="cell" class="row-main">
        <Link href={routes.redirect(id)} title={fromDomain}>
          {fromDomain}
        </Link>
        {tags.length > 0 && (
          <span class="row-tags" title={tags.join(', ')}>
            {tags.slice(0, SHOWN_TAGS).map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
            {tags.length > SHOWN_TAGS && <small class="quiet">+{tags.length - SHOWN_TAGS}</small>}
          </span>
        )}
      </span>
      <span role="cell" class="row-to" title={toDomain}>
        {toDomain}
      </span>
      <span role="cell">
        <StatusBadge status={status} />
      </span>
      <span role="cell" class="row-number">
        {texts.shell.number(analyticsUsage.recordedHits)}
      </span>
      <span role="cell" class="row-number row-rate">
        {rate === undefined ? <span class="quiet">…</span> : rateText(rate)}
      </span>
      <span role="cell" class="row-date" title={timeText(createdAt)}>
        {agoText(createdAt)}
      </span>
    </div>
  );
}

const rateText = (rate: number) =>
  texts.shell.number(rate < 10 ? Math.round(10 * rate) / 10 : Math.round(rate));
