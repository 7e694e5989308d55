// Addresses: each view has one, with what is filtered and chosen in it, so that "back" and a link to a colleague work.
import { useEffect } from './lib.js';
import { Store, useStore } from './store.js';

const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search), hash: location.hash });

export const place = new Store(read());

export const usePlace = () => useStore(place);

/** Goes to another view. With `replace`, "back" leads to where one was before this one. */
export function go(to, { replace = false } = {}) {
  if (to === location.pathname + location.search + location.hash) return;
  const elsewhere = new URL(to, location.href).pathname !== location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  place.set(read());
  if (elsewhere && !location.hash) scrollTo(0, 0);
}

/** An address with parameters; what is empty is left out. */
export function at(path, query = {}) {
  const pairs = Object.entries(query).flatMap(([name, given]) =>
    [given].flat().filter((one) => one !== '' && one !== undefined && one !== null && one !== false)
      .map((one) => [name, one === true ? '' : String(one)]));
  const text = new URLSearchParams(pairs).toString();
  return text ? `${path}?${text}` : path;
}

/** The same place with some parameters otherwise. */
export function ask(changes) {
  const query = Object.fromEntries([...place.get().query.keys()].map((name) => [name, place.get().query.getAll(name)]));
  go(at(place.get().path, { ...query, ...changes }), { replace: true });
}

/** A part of an address as text; nothing, if it cannot be that. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Whether an address is one of the page: the names of targets may look like files, but files are the node's own to serve. */
export function isView(path) {
  return /^\/(?:(?:targets|transactions|change|login)(?:\/|$)|$)/.test(path) || /^\/docs(?:$|\/(?!.*\.[a-z]+$))/.test(path);
}

export function start() {
  addEventListener('popstate', () => place.set(read()));
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
    const to = new URL(link.href, location.href);
    if (to.origin !== location.origin || !isView(to.pathname)) return;
    if (to.pathname === location.pathname && to.search === location.search && to.hash) return;
    event.preventDefault();
    go(to.pathname + to.search + to.hash);
  });
}

/** The title of the window. */
export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Lockstep` : 'Lockstep';
  }, [title]);
}
