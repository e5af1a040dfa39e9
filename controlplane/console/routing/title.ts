import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts';

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.shell.product}`;
  }, [title]);
}
