import { useEffect, useState } from 'preact/hooks';

/** Returns a value after it has not changed for `delayMs`. For example, a search text after a pause in typing. */
export function useDelayed<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
