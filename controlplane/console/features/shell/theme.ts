export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'waymark-theme';

export function readTheme(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

/** Applies the color theme. It follows the system unless the user has chosen one. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme(theme);
}
