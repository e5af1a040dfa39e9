import { type ComponentType, lazy } from 'preact/compat';

const RELOADED_FOR = 'waymark-reloaded-for';

/**
 * Loads the code of a page when it is opened. After an upgrade an old tab asks for files that are gone: the page is
 * loaded again once, with the new files. Drafts of forms survive that.
 */
export function lazyPage<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>) {
  return lazy(async () => {
    try {
      const page = await load();
      sessionStorage.removeItem(RELOADED_FOR);
      return page;
    } catch (error) {
      const address = location.href;
      if (sessionStorage.getItem(RELOADED_FOR) === address) throw error;
      sessionStorage.setItem(RELOADED_FOR, address);
      location.reload();
      return new Promise<never>(() => {});
    }
  });
}
