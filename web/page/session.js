// Who is looking. What they show (a password or a token) goes into a header of each request and nowhere else: never
// into an address, a cookie, or what the browser keeps for good. It is kept in memory, and, only if they ask to stay signed
// in when the page is loaded again, in this tab's sessionStorage, which ends with the tab and which other tabs cannot
// read.
import { Store } from './store.js';

const KEY = 'lockstep.credential';

/** `undefined`: not asked yet. `null`: the node wants to know who it is. Otherwise the answer of /api/v1/me. */
export const me = new Store(undefined);
/** Why somebody has to say again who they are. */
export const asked = new Store(null);

let credential = kept();

function kept() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function header() {
  return credential ? { authorization: credential } : {};
}

export const isSignedIn = () => credential !== null;

/** In UTF-8, as the node says it reads them. */
export function basic(name, password) {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

export const bearer = (token) => `Bearer ${token.trim()}`;

export function show(shown, keep) {
  credential = shown;
  try {
    if (keep) sessionStorage.setItem(KEY, shown);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Then it is in memory alone.
  }
}

/** Nothing of theirs stays in the tab. */
export function signOut() {
  forget();
  try {
    sessionStorage.clear();
  } catch {
    // There was nothing to forget.
  }
}

/** Forgets who it is, because the node wants to know; with a reason, if it knew before. */
export function forget(why = null) {
  credential = null;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // There was nothing to forget.
  }
  asked.set(why);
  me.set(null);
}

/** Whether they hold a right on some target; where, the node decides. */
export const may = (right) => Boolean(me.get()?.rights.includes(right));
