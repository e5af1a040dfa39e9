import { useEffect, useState } from 'preact/hooks';

/** Returns whether a media query such as `(max-width: 860px)` matches. */
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

/** Media query of the phone layout. The styles use the same width. */
export const NARROW = '(max-width: 860px)';
