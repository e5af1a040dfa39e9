import { render } from 'preact';
import { App } from './app';
import { pageFacts } from './data/page-facts';
import { applyTheme } from './features/shell/theme';
import { routes } from './routing/routes';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/redirects.css';
import './styles/rules.css';
import './styles/statistics.css';
import './styles/imports.css';
import './styles/history.css';
import './styles/experiments.css';

/** Changes the URL `/` to that of the list of redirects. URLs of views are below `/console`. */
function enterConsole(): void {
  const base = `${pageFacts.basePath}/console`;
  if (location.pathname.startsWith(base)) return;
  history.replaceState(null, '', base + routes.redirects);
}

/**
 * Registers the service worker, so the browser shows a page of the console when the server is unavailable. Browsers
 * allow service workers with TLS and on loopback.
 */
function keepAwayPage(): void {
  if (!('serviceWorker' in navigator)) return;
  // If the registration fails, the browser shows its own page.
  navigator.serviceWorker.register(`${pageFacts.basePath}/console/worker.js`).catch(() => undefined);
}

applyTheme();
enterConsole();
const root = document.getElementById('console');
if (root !== null) render(<App />, root);
if (document.readyState === 'complete') keepAwayPage();
else addEventListener('load', keepAwayPage);
