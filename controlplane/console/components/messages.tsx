import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts';
import { Button } from './button';
import { Icon, type IconName } from './icon';

/** Returns the text of an error for the user. */
export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : texts.errors.unexpected;

/** The error of a form or a view, with the API's message. */
export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === undefined || error === null) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="note note-error" role="alert">
      <Icon name="alert" />
      <p>{message}</p>
      {onRetry && (
        <Button small onClick={onRetry}>
          {texts.shell.retry}
        </Button>
      )}
    </div>
  );
}

export function Note({
  children,
  icon = 'clock',
}: {
  readonly children: ComponentChildren;
  readonly icon?: IconName;
}) {
  return (
    <div class="note">
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** A text in place of an empty list. It explains the purpose of the list and the first step. */
export function EmptyState({
  title,
  body,
  icon,
  children,
}: {
  readonly title: string;
  readonly body: ComponentChildren;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {icon && (
        <span class="empty-icon">
          <Icon name={icon} />
        </span>
      )}
      <h2>{title}</h2>
      <p>{body}</p>
      {children && <div class="empty-actions">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      {texts.shell.loading}
    </p>
  );
}

interface Answer<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

/** Shows the data of a query, a loading state or an error. */
export function Loaded<T>({
  query,
  children,
}: {
  readonly query: Answer<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading />;
}

interface Named {
  /** Subject of the message; '' if it is not known. */
  readonly name: string;
  readonly message: string;
}

/** Messages, each with the name of its subject. */
export function ProblemList({ problems }: { readonly problems: readonly Named[] }) {
  return (
    <ul class="problems">
      {problems.map(({ name, message }) => (
        <li key={`${name} ${message}`}>
          {name !== '' && <strong>{name}</strong>}
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}
