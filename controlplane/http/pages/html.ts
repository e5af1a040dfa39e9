/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

/** Builds HTML. Escapes inserted values unless they are `Html`. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  let text = parts[0] ?? '';
  values.forEach((value, index) => {
    text += rendered(value) + (parts[index + 1] ?? '');
  });
  return { html: text };
}

export const NOTHING: Html = { html: '' };

function rendered(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
