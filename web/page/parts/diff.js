// Differences: path by path, what was there and what is. A sign says what becomes of each, as on the command line.
import { html, memo, useMemo, useState } from '../lib.js';
import { byName, count } from '../words.js';
import { Icon } from './icon.js';

/** So many are drawn before somebody asks for the rest. */
const MOST = 200;

/** A value as it is written in a change file, on one line if it is short. */
export function written(value) {
  if (typeof value === 'string') return value;
  const line = JSON.stringify(value);
  return line.length <= 100 ? line : JSON.stringify(value, null, 2);
}

/** A path that is too long goes on with its next step, and not in the middle of a word. What keys have in them is no step. */
const breakable = (path) => steps(path).map((step) => html`<span class="step">${step}</span>`);
export const steps = (path) => path.split(/(?=\/)(?![^[]*\])/);

const sign = ({ before, after }) => (before === null ? '+' : after === null ? '-' : '~');
const WORDS = { '+': 'comes', '-': 'goes', '~': 'changes' };

const Line = memo(({ change }) => {
  const mark = sign(change);
  // A list entry by itself says nothing that its path does not.
  const entry = (value) => typeof value === 'object' && value !== null;
  return html`
    <li class="is-${{ '+': 'come', '-': 'gone', '~': 'other' }[mark]}">
      <span class="sign" title=${WORDS[mark]} aria-label=${WORDS[mark]}>${mark}</span>
      <span class="path">${breakable(change.path)}</span>
      <span class="values">
        ${change.masked
          ? html`<span class="muted">secret; whether it differs is not told</span>`
          : html`
            ${change.before !== null && !(mark === '-' && entry(change.before)) && html`<del>${written(change.before)}</del>`}
            ${mark === '~' && html`<span class="muted" aria-hidden="true"> → </span>`}
            ${change.after !== null && !(mark === '+' && entry(change.after)) && html`<ins>${written(change.after)}</ins>`}`}
      </span>
    </li>`;
});

/** What changes at several paths. `notes` are told at the path they are about. */
export function Diff({ changes, notes = [], none = 'No difference.' }) {
  const [all, showAll] = useState(false);
  const shown = all ? changes : changes.slice(0, MOST);
  const paths = useMemo(() => new Set(changes.map(({ path }) => path)), [changes]);
  const loose = notes.filter(({ path }) => !paths.has(path));
  return html`
    ${loose.map((note, at) => html`<${Note} key=${at} note=${note} path />`)}
    ${!changes.length && !notes.length && html`<p class="muted nothing">${none}</p>`}
    <ul class="diff">
      ${shown.map((change) => html`
        <${Line} key=${change.path} change=${change} />
        ${notes.filter(({ path }) => path === change.path).map((note, at) => html`<${Note} key=${`${change.path} ${at}`} note=${note} />`)}`)}
    </ul>
    ${changes.length > shown.length && html`<button class="plain" onClick=${() => showAll(true)}>And ${count(changes.length - shown.length, 'more', 'more')}</button>`}`;
}

function Note({ note, path }) {
  return html`
    <${path ? 'div' : 'li'} class="note tone-bad"><${Icon} name="cross" />
      <p>${path && note.path && html`<code>${note.path}</code> `}${note.message}</p>
    <//>`;
}

/** What changes on several targets. Those that are broken come first. */
export function DiffByTarget({ changes, violations = [], none }) {
  const names = useMemo(() => {
    const broken = violations.map(({ target }) => target).filter(Boolean);
    return [...new Set([...broken.sort(byName), ...Object.keys(changes).sort(byName)])];
  }, [changes, violations]);
  const [most, showMost] = useState(20);
  const overall = violations.filter(({ target }) => !target);
  return html`
    ${overall.map((note, at) => html`<${Note} key=${at} note=${note} path />`)}
    ${!names.length && !overall.length && html`<p class="muted nothing">${none ?? 'It would change nothing.'}</p>`}
    ${names.slice(0, most).map((name) => html`
      <section key=${name} class="card of-target">
        <h3><a href=${`/targets/${encodeURIComponent(name)}`}>${name}</a> <span class="muted">${count(changes[name]?.length ?? 0, 'change')}</span></h3>
        <${Diff} changes=${changes[name] ?? []} notes=${violations.filter(({ target }) => target === name)} />
      </section>`)}
    ${names.length > most && html`<button class="plain" onClick=${() => showMost(most + 100)}>And ${count(names.length - most, 'more target')}</button>`}`;
}
