/** SVG paths of the icons, in a view box of 16 by 16. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  external: 'M9 3h4v4M13 3L7 9M11 9v4H3V5h4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  alert: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5v.2',
  transfer: 'M5 13V3M2 6l3-3 3 3M11 3v10M8 10l3 3 3-3',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 1.5',
  route: 'M4 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 11h4a2 2 0 0 0 2-2V7',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.5-4 5.5-4s5 1 5.5 4',
  server: 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.1M4.5 11h.1',
  book: 'M3 2.5h6a2 2 0 0 1 2 2v9H5a2 2 0 0 1-2-2zM11 4.5h2v9h-2',
  edit: 'M3 13l.8-3L11 2.8 13.2 5 6 12.2z',
  trash: 'M3 4h10M6 4V2.5h4V4M4.5 4l.7 9.5h5.6l.7-9.5',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.5 6.5h.1M9 6.5h.1M11.5 6.5h.1M5 9.5h6',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside words. It is hidden from screen readers, which read the words. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
