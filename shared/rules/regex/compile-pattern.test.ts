import { expect, it } from 'vitest';
import { patternFault } from './compile-pattern.js';

it.each([
  { pattern: 'a'.repeat(512), fault: undefined },
  { pattern: '\\pL{300}', fault: undefined },
  { pattern: '[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+$', fault: undefined },
  { pattern: 'a{998}', fault: undefined },
  {
    pattern: 'a{999}',
    fault: 'expands to 1001 steps, of which 1000 are accepted: give smaller repeat counts',
  },
  { pattern: '(((a{10}){10}){10})', fault: 'expands to 1224 steps' },
  { pattern: '(', fault: 'is not RE2 syntax: missing closing ) in (' },
  { pattern: '[z-a]', fault: 'is not RE2 syntax: invalid character class range in z-a' },
  { pattern: '\\', fault: 'is not RE2 syntax: trailing backslash' },
  { pattern: `${'('.repeat(256)}${')'.repeat(256)}`, fault: undefined },
  { pattern: '('.repeat(512), fault: 'is not RE2 syntax' },
])('finds in $pattern the fault $fault', ({ pattern, fault }) => {
  if (fault === undefined) expect(patternFault(pattern)).toBeUndefined();
  else expect(patternFault(pattern)).toContain(fault);
});
