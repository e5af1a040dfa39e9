import { useEffect, useState } from 'preact/hooks';

/** Whether a media query matches, such as `(max-width: 860px)`. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setMatches(list.matches);
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return matches;
}

/** Where the layout is that of a phone. The same width stands in the styles. */
export const NARROW = '(max-width: 860px)';
