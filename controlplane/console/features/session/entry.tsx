import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button';
import { type Bound, TextField } from '../../components/field';
import { useTitle } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import type { FormState } from '../../components/use-form';
import { texts } from '../../texts/texts';
import { Logo } from '../shell/logo';

/** The frame of the pages before the log-in. */
export function EntryFrame({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  useTitle(title);
  return (
    <main class="entry">
      <div class="entry-brand">
        <Logo />
        <span>{texts.shell.product}</span>
      </div>
      <div class="entry-card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** A form of the pages before the log-in: an error, its fields, and one button. */
export function EntryForm<V extends object>({
  form,
  submit,
  children,
}: {
  readonly form: FormState<V>;
  readonly submit: string;
  readonly children: ComponentChildren;
}) {
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <ErrorNote error={form.error} />
      {children}
      <Button type="submit" look="primary" isBusy={form.isBusy}>
        {submit}
      </Button>
    </form>
  );
}

export function EmailField({ bound }: { readonly bound: Bound<string> }) {
  return (
    <TextField
      bound={bound}
      label={texts.auth.email}
      type="email"
      autocomplete="username"
      required
      data-autofocus
    />
  );
}
