import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { texts } from '../texts/texts';

/** The head of a page with title and actions. */
export function PageHead({
  title,
  tab,
  actions,
  children,
}: {
  readonly title: string;
  /** Title of the browser tab. Default: the title. */
  readonly tab?: string;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  useTitle(tab ?? title);
  const heading = useRef<HTMLHeadingElement>(null);
  // The shell focuses the content while the data of a page loads. Move this focus to the heading when it appears.
  useEffect(() => {
    if (document.activeElement?.id === 'content') heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="page-head">
      <div class="page-title">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {children}
      </div>
      {actions && <div class="button-row">{actions}</div>}
    </header>
  );
}

/** A box with a heading. */
export function Card({
  title,
  lead,
  actions,
  children,
  flush,
}: {
  readonly title?: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Whether the content reaches the edges of the box, as tables do. */
  readonly flush?: boolean;
}) {
  return (
    <section class={flush ? 'card card-flush' : 'card'}>
      {(title || actions) && (
        <header class="card-head">
          <div>
            {title && <h2>{title}</h2>}
            {lead && <p class="lead">{lead}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** Links between the parts of a page. Each part has its own URL. */
export function PartLinks({
  label,
  links,
}: {
  readonly label: string;
  readonly links: readonly { readonly to: string; readonly text: string }[];
}) {
  const [location] = useLocation();
  const element = useRef<HTMLElement>(null);
  // On a phone, the links of the last parts can be out of view.
  useEffect(() => {
    element.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
  const isAbove = (to: string) => location === to || location.startsWith(`${to}/`);
  const nearest = links
    .map(({ to }) => to)
    .filter(isAbove)
    .reduce((one, other) => (other.length > one.length ? other : one), '');
  return (
    <nav class="parts" aria-label={label} ref={element}>
      {links.map(({ to, text }) => (
        <Link
          key={to}
          href={to}
          aria-current={to !== nearest ? undefined : to === location ? 'page' : 'true'}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Names with their values. Omits null values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: string | null])[];
}) {
  const known = facts.filter(([, value]) => value !== null);
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.shell.product}`;
  }, [title]);
}
