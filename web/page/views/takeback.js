// What changes a change: rolling it back, restoring, confirming or cancelling it; each says first what it would do.
import { html, useState } from '../lib.js';
import { post } from '../api.js';
import { Act, useAnswer, useOnce } from '../parts/act.js';
import { DiffByTarget } from '../parts/diff.js';
import { Refused } from '../parts/notice.js';
import { go } from '../router.js';
import { byName, count } from '../words.js';

/** With more targets, all or none of them can be chosen at once. */
const FEW = 12;

/** What it would do, and a comment; `path` is of the API. Targets go into the body: an address has no room for thousands. */
function Preview({ title, button, path, query, targets, close, children, wait = false }) {
  const [comment, write] = useState('');
  const once = useOnce();
  const body = targets && JSON.stringify({ targets });
  const { value, error, busy } = useAnswer((signal) => (wait ? null : post(path, { ...query, dry_run: true }, { body, signal })), [path, query, body, wait]);
  const work = () => once.send((id) => post(path, { ...query, comment, async: true, id }, { body }));
  return html`
    <${Act} title=${title} button=${button} danger wide close=${close} work=${work} ready=${Boolean(value?.valid) && Object.keys(value.changes).length > 0 && !busy && !error}
      done=${(made) => go(`/transactions/${made.index}`)}>
      ${children}
      <label class="line">Comment <input value=${comment} placeholder="Why" onInput=${(event) => write(event.target.value)} /></label>
      <h3>What it would do ${value?.valid && Object.keys(value.changes).length > 0 && html`<span class="muted">on ${count(Object.keys(value.changes).length, 'target')}</span>`}</h3>
      <${Refused} error=${error} />
      <div class=${busy ? 'preview is-busy' : 'preview'}>
        ${value ? html`<${DiffByTarget} changes=${value.changes} violations=${value.violations} />` : busy && html`<p class="muted">Asking the node…</p>`}
      </div>
    <//>`;
}

export function Rollback({ one, close }) {
  const [rule, choose] = useState('target');
  return html`
    <${Preview} title=${`Roll back #${one.index}`} button="Roll it back" path=${`/transactions/${one.index}/rollback`} query=${{ rule }} close=${close}>
      <p>Puts back what stood before this transaction, as a transaction of its own: everywhere, or nowhere.</p>
      <fieldset class="choices">
        <legend>When it counts as the latest</legend>
        <label class="check"><input type="radio" name="rule" checked=${rule === 'target'} onChange=${() => choose('target')} /> Nothing came later on its targets</label>
        <label class="check"><input type="radio" name="rule" checked=${rule === 'path'} onChange=${() => choose('path')} /> Nothing came later at its paths</label>
      </fieldset>
    <//>`;
}

/** Of those that the transaction concerned, the ones that are chosen are named: to name none would be every target there is. */
export function Restore({ one, close }) {
  const all = Object.keys(one.targets).sort(byName);
  const [targets, choose] = useState(all);
  const toggle = (name) => choose(targets.includes(name) ? targets.filter((other) => other !== name) : [...targets, name]);
  return html`
    <${Preview} title=${`Restore to #${one.index}`} button="Restore" path=${`/transactions/${one.index}/restore`} targets=${targets} wait=${!targets.length} close=${close}>
      <p>Takes these targets back to how they stood after this transaction, whatever came later.</p>
      <fieldset class="choices"><legend>Targets: ${targets.length.toLocaleString('en')} of ${all.length.toLocaleString('en')}</legend>
        ${all.length > FEW && html`
          <p><button class="plain" onClick=${() => choose(all)}>All</button> <button class="plain" onClick=${() => choose([])}>None</button></p>`}
        <div class="many">
          ${all.map((name) => html`<label key=${name} class="check"><input type="checkbox" checked=${targets.includes(name)} onChange=${() => toggle(name)} /> ${name}</label>`)}
        </div>
      </fieldset>
    <//>`;
}

export function Cancel({ one, close, done }) {
  return html`
    <${Act} title=${`Cancel #${one.index}`} button="Cancel it" danger close=${close}
      work=${() => post(`/transactions/${one.index}/cancel`)} done=${done} said=${`#${one.index}: cancel is done`}>
      <p>${one.window === 'open'
        ? 'What it changed is reverted everywhere, at once instead of when its time is over.'
        : 'Where it has not been applied it will not be; what was applied is undone.'}</p>
    <//>`;
}

export function Confirm({ one, close, done }) {
  return html`
    <${Act} title=${`Confirm #${one.index}`} button="Confirm it" close=${close}
      work=${() => post(`/transactions/${one.index}/confirm`)} done=${done} said=${`#${one.index}: confirm is done`}>
      <p>It stays, and is not reverted any more when its time is over.</p>
    <//>`;
}
