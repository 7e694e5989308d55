// A part of the log as a list, latest first: its beginning is watched, what lies further back is asked for as somebody
// goes there.
import { useCallback, useEffect, useRef, useState } from './lib.js';
import { get } from './api.js';
import { watch } from './events.js';
import { stir } from './live.js';
import { isOpen } from './words.js';

const LATEST = 100;
const PAGE = 200;
/** With fewer, one page more is asked for at once. */
const FEW = 40;
/** So many are kept, unless somebody looks at them. */
const MOST = 10_000;

/** Where an index is in a list that has the latest first, or would be. */
function placeOf(list, index) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].index > index) low = middle + 1;
    else high = middle;
  }
  return low;
}

const has = (list, index) => list[placeOf(list, index)]?.index === index;

/** Latest first, with newer ones in the place of older ones of the same index. */
export function merged(list, more) {
  const all = [...list];
  const added = new Map();
  for (const one of more) {
    const at = placeOf(list, one.index);
    if (list[at]?.index === one.index) all[at] = one;
    else added.set(one.index, one);
  }
  const fresh = [...added.values()].sort((one, other) => other.index - one.index);
  // What comes is nearly always before all of them, or after.
  if (!fresh.length) return all;
  if (!all.length || fresh.at(-1).index > all[0].index) return [...fresh, ...all];
  if (fresh[0].index < all.at(-1).index) return [...all, ...fresh];
  return [...all, ...fresh].sort((one, other) => other.index - one.index);
}

/** What a watch does not filter by, as the node does when it is asked for a list. */
export function wants({ status, comment, until, before }, one) {
  return (!before || one.index < before)
    && (!status || one.status === status)
    && (!comment || one.comment.toLowerCase().includes(comment.toLowerCase()))
    && (!until || Date.parse(one.submitted) <= Date.parse(until));
}

class Log {
  list = [];
  synced = false;
  complete = false;
  /** Why it is not watched, and why what lies further back could not be had. */
  #unwatched = null;
  #unasked = null;
  #filter;
  #watch;
  #told;
  #first = null;
  /** Below this index nothing was asked for yet. */
  #bottom = 0;
  #asking = false;
  #gathered = [];
  #planned = false;

  constructor(filter, told) {
    this.#filter = filter;
    this.#told = told;
    const { status, until, comment, before, ...watched } = filter;
    // From somewhere in the middle on, nothing new comes in; but what is there moves on.
    this.#watch = watch('/watch/transactions', { ...watched, brief: true, latest: before ? 0 : LATEST }, {
      state: (state) => this.#state(state),
      event: (name, data) => this.#event(name, data),
    });
  }

  stop() {
    this.#watch.stop();
  }

  #state(state) {
    if (state.is === 'live') this.#first = [];
    this.#unwatched = state.is === 'refused' ? state.error : null;
    if (this.#unwatched) this.#told();
  }

  get error() {
    return this.#unwatched ?? this.#unasked;
  }

  #event(name, data) {
    if (name === 'transaction') {
      if (this.#first) this.#first.push(data);
      else this.#gather(data);
    } else if (name === 'synced' && this.#first) {
      this.#begin(this.#first);
      this.#first = null;
    }
  }

  /** Either the beginning fits what was known before, or that is let go of: there would be a gap. */
  #begin(first) {
    const known = this.list;
    const { before } = this.#filter;
    const whole = first.length < LATEST && !before;
    const fits = whole || (known.length > 0 && (before || first[0].index <= known[0].index + 1));
    this.list = merged(fits ? known : [], first.filter((one) => wants(this.#filter, one)));
    if (!fits || !this.synced) {
      this.complete = whole;
      this.#bottom = before ?? first[0]?.index ?? 0;
    }
    this.synced = true;
    this.#refresh(known, first);
    this.#told();
    if (this.list.length < FEW) this.more();
  }

  /** What had no outcome when the node went away, and is not told of again. */
  async #refresh(known, first) {
    const told = new Set(first.map((one) => one.index));
    for (const one of known.filter((other) => isOpen(other) && !told.has(other.index)).slice(0, 20)) {
      try {
        this.#gather(await get(`/transactions/${one.index}`, { brief: true }));
      } catch {
        // It stays as it was seen last.
      }
    }
  }

  #gather(one) {
    this.#gathered.push(one);
    stir();
    if (this.#planned) return;
    this.#planned = true;
    const take = () => {
      this.#planned = false;
      // An entry that fits no more stays, so that one sees what became of it.
      const taken = this.#gathered.filter((other) => has(this.list, other.index) || wants(this.#filter, other));
      this.#gathered = [];
      if (!taken.length) return;
      this.list = merged(this.list, taken);
      this.#forget();
      this.#told(taken);
    };
    if (document.hidden) setTimeout(take);
    else requestAnimationFrame(take);
  }

  /** A page that is open for days does not keep all that came by; it is asked for again by whoever goes there. */
  #forget() {
    if (this.list.length <= MOST || scrollY > innerHeight) return;
    this.list = this.list.slice(0, MOST / 2);
    this.#bottom = this.list.at(-1).index;
    this.complete = false;
  }

  /** Asks for what lies further back. */
  more = async () => {
    if (this.#asking || this.complete || !this.synced) return;
    this.#asking = true;
    try {
      const query = { ...this.#filter, brief: true, limit: PAGE, before: this.#bottom || '' };
      const { transactions, next_before: next } = await get('/transactions', query);
      this.list = merged(this.list, transactions);
      this.complete = next === null;
      this.#bottom = next ?? 0;
      this.#unasked = null;
    } catch (error) {
      if (!error.isPassing) this.#unasked = error;
    }
    this.#asking = false;
    this.#told();
  };
}

/** The list, whether it has begun and is complete, and how to have more of it. */
export function useLog(filter, told = () => {}) {
  const key = JSON.stringify(filter);
  const log = useRef(null);
  const [, draw] = useState(0);
  useEffect(() => {
    const one = new Log(filter, (taken = []) => {
      told(taken);
      draw((count) => count + 1);
    });
    log.current = one;
    draw((count) => count + 1);
    return () => one.stop();
  }, [key]);
  const more = useCallback(() => log.current?.more(), []);
  const { list = [], synced = false, complete = false, error = null } = log.current ?? {};
  return { list, synced, complete, error, more };
}
