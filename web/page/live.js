// What the page knows of the network, kept as it is now: every target by a watch; nodes and numbers by asking now and
// then.
import { useEffect } from './lib.js';
import { get } from './api.js';
import { watch } from './events.js';
import { me } from './session.js';
import { Store } from './store.js';
import { byName } from './words.js';

/** Targets by name. The map is another one whenever something in it is; a target that did not change is the same object. */
const NO_TARGETS = { all: new Map(), known: false };
export const targets = new Store(NO_TARGETS);
/** How it stands with the node: `joining`, `live`, `lost` with since when and when it is tried again, `refused` with why. */
const JOINING = { is: 'joining' };
export const link = new Store(JOINING);
/** The answer of /api/v1/summary, but for what is counted. */
export const summary = new Store(null);
export const nodes = new Store([]);
/** By how much the node's clock is ahead of this one. */
let ahead = 0;

const EVERY = 10_000;
const SOON = 1_000;
const FIRST = 500;
const LONGEST = 15_000;

let meeting = null;
let watching = null;
let timer = null;
let asked = 0;

export const now = () => Date.now() + ahead;

export function retry() {
  if (watching) watching.retry();
  else meet();
}

/** Asks who this is, until the node says so. */
export async function meet(wait = FIRST) {
  clearTimeout(meeting);
  try {
    const found = await get('/me');
    link.set(JOINING);
    me.set(found);
  } catch (error) {
    if (error.code === 'UNAUTHENTICATED') return;
    link.set(error.isPassing ? { is: 'lost', next: Date.now() + wait } : { is: 'refused', error });
    if (error.isPassing) meeting = setTimeout(meet, wait, Math.min(LONGEST, wait * 2));
  }
}

export function start() {
  stop();
  let first = true;
  watching = watch('/watch/targets', {}, {
    state(state) {
      if (state.is === 'live') first = true;
      const since = link.get().since ?? Date.now();
      link.set(state.is === 'lost' ? { ...state, since } : state);
    },
    event(name, told) {
      if (told.targets.some(isElsewhere)) stir();
      const all = first ? new Map() : new Map(targets.get().all);
      for (const target of told.targets) all.set(target.name, target);
      for (const gone of told.gone) all.delete(gone);
      targets.set({ all: first ? sorted(all) : all.size === targets.get().all.size ? all : sorted(all), known: true });
      first = false;
    },
  });
  look();
}

/** Another node has it now, or none: so it may be that a node has come or gone. */
const isElsewhere = ({ name, master }) => {
  const before = targets.get().all.get(name);
  return before !== undefined && before.master !== master;
};

const sorted = (all) => new Map([...all].sort(([one], [other]) => byName(one, other)));

/** Nothing is known any more either: whoever comes next may not be allowed to. */
export function stop() {
  watching?.stop();
  watching = null;
  clearTimeout(timer);
  targets.set(NO_TARGETS);
  link.set(JOINING);
  summary.set(null);
  nodes.set([]);
}

/** Something happened: the numbers are asked for soon, but not more than once a second. */
export function stir() {
  if (!watching) return;
  clearTimeout(timer);
  timer = setTimeout(look, Math.max(0, asked + SOON - Date.now()));
}

async function look() {
  clearTimeout(timer);
  asked = Date.now();
  try {
    const asking = watching;
    if (!document.hidden) {
      const [numbers, alive] = await Promise.all([get('/summary', { brief: true }), get('/nodes')]);
      if (asking !== watching) return;
      ahead = Date.parse(numbers.now) - Date.now();
      summary.set(numbers);
      nodes.set(alive);
    }
  } catch {
    // Whoever watches sees that the node is gone, or who may not.
  }
  clearTimeout(timer);
  if (watching) timer = setTimeout(look, EVERY);
}

/** Watches for as long as a view is shown. With another `key` it begins anew. */
export function useWatch(key, path, query, told) {
  useEffect(() => {
    if (!path) return undefined;
    const one = watch(path, query, told());
    return () => one.stop();
  }, [key]);
}
