// What changes a change: rolling it back, restoring, keeping it or calling it off; each says first what it would do.
import { html, useRef, useState } from '../lib.js';
import { newId, post } from '../api.js';
import { Confirm, useAnswer } from '../parts/act.js';
import { DiffByTarget } from '../parts/diff.js';
import { Refused } from '../parts/notice.js';
import { go } from '../router.js';
import { count } from '../words.js';

/** What it would do, and a comment; `path` is of the API. */
function Preview({ title, button, path, query, close, children, wait = false }) {
  const [comment, write] = useState('');
  const id = useRef(newId());
  const key = JSON.stringify(query);
  const { value, error, busy } = useAnswer((signal) => (wait ? null : post(path, { ...query, dry_run: true }, { signal })), [key, wait]);
  const work = () => post(path, { ...query, comment, async: true, id: id.current });
  return html`
    <${Confirm} title=${title} button=${button} danger wide close=${close} work=${work} ready=${Boolean(value?.valid) && Object.keys(value.changes).length > 0 && !busy}
      done=${(made) => go(`/transactions/${made.index}`)}>
      ${children}
      <label class="line">Comment <input value=${comment} placeholder="Why" onInput=${(event) => write(event.target.value)} /></label>
      <h3>What it would do ${value?.valid && html`<span class="muted">on ${count(Object.keys(value.changes).length, 'target')}</span>`}</h3>
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
      <p>Puts back what stood before this change, as a transaction of its own: everywhere, or nowhere.</p>
      <fieldset class="choices">
        <legend>When it counts as the latest</legend>
        <label class="check"><input type="radio" name="rule" checked=${rule === 'target'} onChange=${() => choose('target')} /> Nothing came later on its targets</label>
        <label class="check"><input type="radio" name="rule" checked=${rule === 'path'} onChange=${() => choose('path')} /> Nothing came later at its paths</label>
      </fieldset>
    <//>`;
}

export function Restore({ one, close }) {
  const all = Object.keys(one.targets);
  const [targets, choose] = useState(all.length <= 12 ? all : []);
  const toggle = (name) => choose(targets.includes(name) ? targets.filter((other) => other !== name) : [...targets, name]);
  const none = all.length <= 12 && !targets.length;
  return html`
    <${Preview} title=${`Restore to #${one.index}`} button="Restore" path=${`/transactions/${one.index}/restore`} query=${{ target: targets }} wait=${none} close=${close}>
      <p>Takes ${all.length <= 12 ? 'these targets' : 'every target'} back to how they stood after this transaction, whatever came later.</p>
      ${all.length <= 12 && html`
        <fieldset class="choices"><legend>Targets</legend>
          ${all.map((name) => html`<label key=${name} class="check"><input type="checkbox" checked=${targets.includes(name)} onChange=${() => toggle(name)} /> ${name}</label>`)}
        </fieldset>`}
    <//>`;
}

export function CallOff({ one, close, done }) {
  const open = one.window === 'open';
  return html`
    <${Confirm} title=${open ? `Take back #${one.index}` : `Call off #${one.index}`} button=${open ? 'Take it back' : 'Call it off'} danger close=${close}
      work=${() => post(`/transactions/${one.index}/cancel`)} done=${done} said=${`#${one.index} is called off`}>
      <p>${open
        ? 'What it changed is put back everywhere, at once instead of when its time is over.'
        : 'Where it has not been applied it will not be; what was applied is undone.'}</p>
    <//>`;
}

export function Keep({ one, close, done }) {
  return html`
    <${Confirm} title=${`Keep #${one.index}`} button="Keep it" close=${close}
      work=${() => post(`/transactions/${one.index}/confirm`)} done=${done} said=${`#${one.index} is kept`}>
      <p>It stays, and is not taken back any more when its time is over.</p>
    <//>`;
}
