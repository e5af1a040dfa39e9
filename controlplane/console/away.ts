import { applyTheme } from './features/shell/theme';
import { shell, away as words } from './texts/en/shell';
import './styles/away.css';

const RETRY_MS = 3_000;

/** Shows that the server is away, and loads the page again when it is back. */
function showAway(): void {
  document.title = `${words.title} · ${shell.product}`;
  const heading = document.createElement('h1');
  heading.textContent = words.title;
  const body = document.createElement('p');
  body.textContent = words.body;
  const retry = document.createElement('button');
  retry.type = 'button';
  retry.textContent = shell.retry;
  retry.addEventListener('click', load);
  document.getElementById('away')?.replaceChildren(heading, body, retry);
}

/** Reloads the requested page. At the address of this page itself, opens the console. */
function load(): void {
  if (location.pathname.endsWith('/console/away')) location.replace('./');
  else location.reload();
}

async function loadWhenBack(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok === true) load();
  else setTimeout(() => void loadWhenBack(), RETRY_MS);
}

applyTheme();
showAway();
setTimeout(() => void loadWhenBack(), RETRY_MS);
