import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog';
import { CheckField } from '../../components/field';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { shortcuts } = texts.shell;
const LIST: readonly (readonly [string, string])[] = [
  ['Ctrl K / ⌘K', shortcuts.finder],
  ['/', shortcuts.search],
  ['c', shortcuts.create],
  ['r', shortcuts.toRedirects],
  ['a', shortcuts.toAccount],
  ['?', shortcuts.help],
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(readSingleKeys);
  return (
    <Dialog title={shortcuts.title} onClose={onClose}>
      <dl class="keys">
        {LIST.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={shortcuts.singleKeys}
        bound={{
          name: 'singleKeys',
          value: isOn,
          error: undefined,
          set(value) {
            chooseSingleKeys(value);
            setOn(value);
          },
        }}
      />
    </Dialog>
  );
}

const KEY = 'waymark-single-keys';

/**
 * Returns whether single keys (without Ctrl or ⌘) are shortcuts. Users who dictate, or who press keys by accident, can
 * turn them off.
 */
const readSingleKeys = () => localStorage.getItem(KEY) !== 'off';
const chooseSingleKeys = (isOn: boolean) => localStorage.setItem(KEY, isOn ? 'on' : 'off');

interface ShortcutActions {
  openFinder(): void;
  openHelp(): void;
  navigate(to: string): void;
}

/** Handles the shortcuts of the whole console. */
export function useShortcuts(actions: ShortcutActions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        actions.openFinder();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !readSingleKeys() || isTyping(event)) return;
      if (handle(event.key, actions)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function handle(key: string, { openHelp, navigate }: ShortcutActions): boolean {
  switch (key) {
    case '?':
      openHelp();
      return true;
    case '/': {
      const search = document.querySelector<HTMLInputElement>('#content input[type="search"]');
      search?.focus();
      return search !== null;
    }
    case 'c':
      navigate(`${routes.redirects}?new=1`);
      return true;
    case 'r':
      navigate(routes.redirects);
      return true;
    case 'a':
      navigate(routes.account);
      return true;
    default:
      return false;
  }
}

/** Returns whether the target of the key is a control or an open dialog. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
