// What is said in passing: shown for a while, and read out by whoever reads the page to its user.
import { html, useEffect, useState } from '../lib.js';
import { Store, useStore } from '../store.js';
import { Icon } from './icon.js';

const LONG = 6_000;
const said = new Store([]);
let last = 0;

export function say(words, tone = 'idle') {
  last += 1;
  const one = { id: last, words, tone };
  said.set([...said.get().slice(-3), one]);
  setTimeout(() => said.set(said.get().filter((other) => other !== one)), LONG);
}

/** Read out alone: what everybody else sees happen. At most once a second, and then the latest. */
const heard = new Store('');
let waiting = null;
let next = '';
export function read(words) {
  next = words;
  waiting ??= setTimeout(() => {
    waiting = null;
    heard.set(next);
  }, 1000);
}

export function Notices() {
  const all = useStore(said);
  const words = useStore(heard);
  return html`
    <div class="notices" role="status" aria-live="polite">
      ${all.map(({ id, words: text, tone }) => html`<p key=${id} class="notice tone-${tone}">${text}</p>`)}
    </div>
    <div class="unseen" role="log" aria-live="polite">${words}</div>`;
}

/** Why something was not done, where it was asked for. */
export function Refused({ error, children }) {
  if (!error) return null;
  return html`
    <div class="callout tone-bad" role="alert">
      <${Icon} name="cross" />
      <div>
        <p><strong>${TITLES[error.code] ?? 'Not done'}</strong> <code class="muted">${error.code}</code></p>
        <p>${error.message}</p>
        ${error.transaction && html`<p><a href=${`/transactions/${error.transaction.index}`}>Transaction #${error.transaction.index}</a> has what became of it.</p>`}
        ${children}
      </div>
    </div>`;
}

const TITLES = {
  UNAUTHENTICATED: 'Not signed in',
  PERMISSION_DENIED: 'Not allowed',
  INVALID_ARGUMENT: 'Not understood',
  FAILED_PRECONDITION: 'Not possible as things stand',
  UNAVAILABLE: 'Not reachable',
  UNREACHABLE: 'No answer',
  NOT_FOUND: 'Not found',
  OUT_OF_RANGE: 'Not kept any more',
  ABORTED: 'Refused by a device',
  DEADLINE_EXCEEDED: 'Out of time',
  RESOURCE_EXHAUSTED: 'Too much at once',
};

/** A time of the node, drawn again every second while something counts down or up. */
export function useTicking(on = true) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [on]);
}
