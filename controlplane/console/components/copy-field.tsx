import { useState } from 'preact/hooks';
import { texts } from '../texts/texts';
import { Button } from './button';

const SHOWN_MS = 2_000;

/** A value to copy, such as a part of a DNS record. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return (
    <div class="copy">
      <span class="copy-label">{label}</span>
      <code class="copy-value">{value}</code>
      <Button
        small
        icon={isCopied ? 'check' : 'copy'}
        aria-label={`${texts.shell.copy}: ${label}`}
        onClick={() => void copy()}
      >
        <span aria-live="polite">{isCopied ? texts.shell.copied : texts.shell.copy}</span>
      </Button>
    </div>
  );
}
