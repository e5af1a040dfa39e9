import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Button } from '../../components/button';
import { Icon, type IconName } from '../../components/icon';
import { Note } from '../../components/messages';
import { timeText } from '../../components/times';
import { useErrorToast } from '../../components/toasts';
import { useAccount } from '../../data/account';
import { addressOf } from '../../data/request';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { useSession } from '../session/session';
import { Finder } from './finder';
import { Logo } from './logo';
import { ShortcutsDialog, useShortcuts } from './shortcuts';
import { chooseTheme, readTheme, type Theme } from './theme';

/** The layout of all pages of a logged-in user: navigation, finder, shortcuts. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [location, navigate] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [overlay, setOverlay] = useState<'finder' | 'shortcuts'>();
  const { data: account } = useAccount();
  useShortcuts({ openFinder: () => setOverlay('finder'), openHelp: () => setOverlay('shortcuts'), navigate });
  useEffect(() => setMenuOpen(false), [location]);
  useFocusOnNewPage(location);

  return (
    <div class="shell">
      <a class="skip" href="#content">
        {texts.shell.skipToContent}
      </a>
      <header class="bar">
        <Link href={routes.redirects} class="brand">
          <Logo />
          <span>{texts.shell.product}</span>
        </Link>
        <Button icon="search" label={texts.shell.finder.title} onClick={() => setOverlay('finder')} />
        <Button
          icon={isMenuOpen ? 'close' : 'menu'}
          label={texts.shell.menu}
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        />
      </header>
      <aside id="menu" class={isMenuOpen ? 'side side-open' : 'side'} aria-label={texts.shell.menu}>
        <Link href={routes.redirects} class="brand">
          <Logo />
          <span>{texts.shell.product}</span>
        </Link>
        <button type="button" class="find" onClick={() => setOverlay('finder')}>
          <Icon name="search" />
          <span>{texts.shell.finder.open}</span>
          <kbd>{finderKeys()}</kbd>
        </button>
        <Navigation isOperator={account?.isOperator === true} location={location} />
        <div class="side-foot">
          <a class="side-link" href={addressOf('/docs')}>
            <Icon name="book" />
            {texts.shell.nav.documentation}
          </a>
          <button type="button" class="side-link" onClick={() => setOverlay('shortcuts')}>
            <Icon name="keyboard" />
            {texts.shell.shortcuts.open}
          </button>
          <ThemeChoice />
          <Who email={account?.user.email ?? ''} />
        </div>
      </aside>
      <main id="content" class="content" tabIndex={-1}>
        {account?.eraseAt && (
          <Note icon="alert">{texts.account.security.closing(timeText(account.eraseAt))}</Note>
        )}
        {children}
      </main>
      {overlay === 'finder' && (
        <Finder onClose={() => setOverlay(undefined)} isOperator={account?.isOperator === true} />
      )}
      {overlay === 'shortcuts' && <ShortcutsDialog onClose={() => setOverlay(undefined)} />}
    </div>
  );
}

function finderKeys(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';
}

function Navigation({ isOperator, location }: { readonly isOperator: boolean; readonly location: string }) {
  const entries: readonly (readonly [string, string, IconName])[] = [
    [routes.redirects, texts.shell.nav.redirects, 'route'],
    [routes.imports, texts.shell.nav.imports, 'transfer'],
    [routes.account, texts.shell.nav.account, 'user'],
    ...(isOperator ? ([[routes.operator, texts.shell.nav.operator, 'server']] as const) : []),
  ];
  return (
    <nav aria-label={texts.shell.mainNavigation}>
      <ul class="nav">
        {entries.map(([to, text, icon]) => (
          <li key={to}>
            <Link
              href={to}
              class="side-link"
              aria-current={location === to ? 'page' : location.startsWith(`${to}/`) ? 'true' : undefined}
            >
              <Icon name={icon} />
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ThemeChoice() {
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

function Who({ email }: { readonly email: string }) {
  const { logOut } = useSession();
  const fail = useErrorToast();
  return (
    <div class="who">
      <span class="who-name" title={email}>
        {email}
      </span>
      <Button small look="quiet" onClick={() => void logOut().catch(fail)}>
        {texts.auth.logOut}
      </Button>
    </div>
  );
}

/** Moves the focus to the heading of a new page, so screen readers and the keyboard continue there. */
function useFocusOnNewPage(location: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    window.scrollTo(0, 0);
    const frame = requestAnimationFrame(() => {
      const target = document.querySelector<HTMLElement>('#content h1') ?? document.getElementById('content');
      target?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [location]);
}
