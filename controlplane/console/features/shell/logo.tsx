export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M7 10l4.5 13L16 12l4.5 11L25 10" />
    </svg>
  );
}
