import { useState } from 'preact/hooks';
import { texts } from '../../texts/texts';
import { chooseTheme, readTheme, type Theme } from './theme';

export function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <label class="theme">
      <span>{texts.shell.theme.label}</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as Theme;
          chooseTheme(chosen);
          setTheme(chosen);
        }}
      >
        {(['auto', 'light', 'dark'] as const).map((name) => (
          <option key={name} value={name}>
            {texts.shell.theme[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
