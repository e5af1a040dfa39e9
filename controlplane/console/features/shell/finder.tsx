import { useId, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from '../../components/dialog';
import { useRedirectSearch } from '../../data/redirects';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ACCOUNT_PARTS, OPERATOR_PARTS } from './parts';

interface Found {
  readonly to: string;
  readonly text: string;
  readonly detail: string;
}

const PAGES: readonly Found[] = [
  { to: routes.redirects, text: texts.redirects.title, detail: '' },
  { to: `${routes.redirects}?new=1`, text: texts.redirects.create, detail: '' },
  { to: routes.imports, text: texts.imports.title, detail: '' },
  ...ACCOUNT_PARTS.map((part) => ({ ...part, detail: texts.account.title })),
];
const OPERATOR_PAGES = OPERATOR_PARTS.map((part) => ({ ...part, detail: texts.operator.title }));

/** A combobox that finds redirects and pages by a part of their name. Arrow keys choose, Enter opens. */
export function Finder({
  onClose,
  isOperator,
}: {
  readonly onClose: () => void;
  readonly isOperator: boolean;
}) {
  const [, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const found = useFound(search.trim(), isOperator);
  const active = Math.min(chosen, found.length - 1);

  function open(entry: Found | undefined) {
    if (entry === undefined) return;
    onClose();
    navigate(entry.to);
  }

  function onKey(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setChosen((active + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(found[active]);
    }
  }

  return (
    <Dialog title={texts.shell.finder.title} onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        aria-label={texts.shell.finder.title}
        placeholder={texts.shell.finder.placeholder}
        spellcheck={false}
        data-autofocus
        value={search}
        onKeyDown={onKey}
        onInput={({ currentTarget }) => {
          setSearch(currentTarget.value);
          setChosen(0);
        }}
      />
      <div class="found" role="listbox" id={`${id}-list`} aria-label={texts.shell.finder.title}>
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above takes the keys
          <div
            key={entry.to}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => open(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <span>{entry.text}</span>
            <span class="found-detail">{entry.detail}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="lead">{texts.shell.finder.nothing}</p>}
    </Dialog>
  );
}

function useFound(search: string, isOperator: boolean): readonly Found[] {
  const { data } = useRedirectSearch(search, search !== '');
  const words = search.toLowerCase();
  const pages = [...PAGES, ...(isOperator ? OPERATOR_PAGES : [])].filter(({ text, detail }) =>
    `${text} ${detail}`.toLowerCase().includes(words),
  );
  const redirects = search === '' ? [] : (data?.data ?? []);
  return [
    ...redirects.map(({ id, fromDomain, toDomain }) => ({
      to: routes.redirect(id),
      text: fromDomain,
      detail: toDomain,
    })),
    ...pages,
  ];
}
