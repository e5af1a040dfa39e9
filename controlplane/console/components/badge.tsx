import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

/** A state in a word. The color of the dot has the same meaning as the word. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

export function Tag({ children }: { readonly children: ComponentChildren }) {
  return <span class="tag">{children}</span>;
}
