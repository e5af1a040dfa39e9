import type { ComponentChildren } from 'preact';
import { type Bound, TextField } from '../../components/field';
import { useTitle } from '../../components/layout';
import { texts } from '../../texts/texts';
import { Logo } from '../shell/logo';

/** The layout of the pages before log-in. */
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
