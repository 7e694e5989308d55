// A value that parts of the page look at; they are drawn again, at most once a frame, when it is another.
import { useEffect, useState } from './lib.js';

export class Store {
  #value;
  #watchers = new Set();
  #planned = false;

  constructor(value) {
    this.#value = value;
  }

  get() {
    return this.#value;
  }

  set(value) {
    if (value === this.#value) return;
    this.#value = value;
    this.#plan();
  }

  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** A tab that nobody sees has no frames, so a timer does as well. */
  #plan() {
    if (this.#planned) return;
    this.#planned = true;
    const tell = () => {
      if (!this.#planned) return;
      this.#planned = false;
      for (const watcher of [...this.#watchers]) watcher(this.#value);
    };
    if (document.hidden) setTimeout(tell);
    else requestAnimationFrame(tell);
  }
}

/** What a store holds. */
export function useStore(store) {
  const [seen, see] = useState(() => store.get());
  useEffect(() => {
    const look = () => see(() => store.get());
    look();
    return store.watch(look);
  }, [store]);
  return seen;
}
