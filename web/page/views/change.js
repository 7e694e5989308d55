// A change: a file that says what is asked of each target, what it would do, and off it goes.
import { cls, html, useEffect, useMemo, useRef, useState } from '../lib.js';
import { post } from '../api.js';
import { targets } from '../live.js';
import { useAsking, useOnce } from '../parts/act.js';
import { DiffByTarget } from '../parts/diff.js';
import { Icon } from '../parts/icon.js';
import { Refused } from '../parts/notice.js';
import { go, usePlace, useTitle } from '../router.js';
import { may, me } from '../session.js';
import { useStore } from '../store.js';
import { count } from '../words.js';

const DRAFT = 'lockstep.draft';
const NOTHING = { text: '', comment: '', queued: false, confirm: '', deadline: '' };

const author = () => me.get()?.name ?? null;

/** The draft of this tab, so that a look elsewhere does not cost it; whoever signs in after somebody else does not see theirs. */
function kept() {
  try {
    const { by, ...draft } = JSON.parse(sessionStorage.getItem(DRAFT)) ?? {};
    return by === author() ? { ...NOTHING, ...draft } : NOTHING;
  } catch {
    return NOTHING;
  }
}

function keep(draft) {
  try {
    if (draft) sessionStorage.setItem(DRAFT, JSON.stringify({ ...draft, by: author() }));
    else sessionStorage.removeItem(DRAFT);
  } catch {
    // Then it lasts as long as the view.
  }
}

/** What a file begins with for a target. Only of the model that Lockstep brings along it is known what may be set. */
export function example(name, all) {
  const key = /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
  const isLab = /^lab(?:-|$)/.test(all.get(name)?.model ?? '');
  return isLab ? `${key}:\n  update:\n    /system/motd: hello\n` : `${key}:\n  update: {}\n`;
}

const isJson = (text) => /^\s*[{[]/.test(text);

/** The line where something is wrong, as the node says it in a sentence. */
export function told(error, text) {
  const line = /\bline (\d+)/.exec(error.message);
  if (line && error.code === 'INVALID_ARGUMENT') return Number(line[1]);
  const place = /^target ([^:\s]+): (\/.*?): /.exec(error.message);
  return place && lineOf(text, place[1], place[2]);
}

/** The line of a change file that is about this path: the one whose path reaches furthest towards it. */
export function lineOf(text, target, path) {
  const all = text.split('\n');
  const name = (line) => line.trim().replace(/^["'{]+|["']?\s*:.*$/g, '');
  const start = Math.max(0, all.findIndex((line) => name(line) === target || line.includes(target)));
  let best = { line: start + 1, reach: 0 };
  for (let at = start; at < all.length; at += 1) {
    if (at > start && /^\S/.test(all[at]) && !all[at].startsWith('}')) break;
    for (const [found] of all[at].matchAll(/\/[\w-]+(?:\[[^\]]*\]|[\w/.:-])*/g)) {
      const clean = found.replace(/:$/, '');
      if ((path.startsWith(clean) || clean.startsWith(path)) && clean.length > best.reach) best = { line: at + 1, reach: clean.length };
    }
  }
  return best.line;
}

export function Change() {
  useTitle('Change');
  const { query } = usePlace();
  const { all, known } = useStore(targets);
  const [draft, setDraft] = useState(kept);
  const asked = query.get('target');
  useEffect(() => {
    if (asked && known) setDraft((before) => (before.text.trim() ? before : { ...before, text: example(asked, all) }));
  }, [asked, known]);
  const [tried, setTried] = useState(null);
  const trying = useAsking();
  const submitting = useAsking();
  const once = useOnce();
  const edit = (changes) => {
    const next = { ...draft, ...changes };
    setDraft(next);
    keep(next);
    // Another change is another request.
    once.renew();
  };
  const current = tried?.text === draft.text ? tried.found : null;
  const empty = !draft.text.trim();
  const mayTry = !empty && !trying.busy;
  const maySubmit = !empty && !submitting.busy && current?.valid !== false;
  const body = { body: draft.text, type: isJson(draft.text) ? 'application/json' : 'application/yaml' };
  const dryRun = () => trying.run(async () => {
    setTried(null);
    setTried({ text: draft.text, found: await post('/transactions', { dry_run: true }, body) });
  });
  const submit = async () => {
    const { comment, queued, confirm, deadline } = draft;
    const minutes = queued ? 0 : Number(confirm) * 60;
    const made = await submitting.run(() => once.send((id) => post('/transactions', { comment, queued, deadline, confirm: minutes || '', async: true, id }, body)));
    if (!made) return;
    keep(null);
    go(`/transactions/${made.index}`);
  };
  const press = (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey && maySubmit) submit();
    else if (!event.shiftKey && mayTry) dryRun();
  };
  const wrong = trying.error ?? submitting.error;
  const line = wrong && told(wrong, draft.text);
  const marks = useMemo(() => {
    const found = (current?.violations ?? []).filter(({ target }) => target).map(({ target, path }) => lineOf(draft.text, target, path ?? ''));
    return new Set(line ? [...found, line] : found);
  }, [current, wrong]);
  if (!may('change')) {
    return html`<section class="empty"><h1>Change</h1><p>No role gives you <code>change</code> on any target. <a href="/docs/security">What roles give</a></p></section>`;
  }
  return html`
    <div class="bar-of-tools">
      <h1>Change</h1>
      <${Targets} add=${(name) => edit({ text: `${draft.text}${draft.text && !draft.text.endsWith('\n') ? '\n' : ''}${example(name, all)}` })} />
      ${!empty && html`<button class="plain" onClick=${() => { edit(NOTHING); setTried(null); }}>Discard</button>`}
    </div>
    <div class="panes change" onKeyDown=${press}>
      <div class="stack">
        <${Editor} text=${draft.text} write=${(text) => edit({ text })} marks=${marks} />
        <p class="muted small">Read as ${isJson(draft.text) ? 'JSON' : 'YAML'}. For each target: <code>update</code> and <code>replace</code> with paths and values, <code>delete</code> with a list of paths. <a href="/docs/http">The change file</a></p>
        <${Options} draft=${draft} edit=${edit} />
        <div class="buttons start">
          <button onClick=${dryRun} disabled=${!mayTry} title="Ctrl Enter">${trying.busy ? 'Trying…' : 'Dry run'}</button>
          <button class="primary" onClick=${submit} disabled=${!maySubmit} title="Ctrl Shift Enter">${submitting.busy ? 'Submitting…' : current ? 'Submit' : 'Submit without a dry run'}</button>
        </div>
      </div>
      <section aria-label="What it would do" aria-live="polite">
        <${Found} found=${current} stale=${Boolean(tried) && !current} wrong=${wrong} line=${line} />
      </section>
    </div>`;
}

/** Names to begin with. */
function Targets({ add }) {
  const { all } = useStore(targets);
  const [name, write] = useState('');
  const take = (event) => {
    event.preventDefault();
    if (!name) return;
    add(name);
    write('');
  };
  return html`
    <form class="field" onSubmit=${take}>
      <label class="field"><span class="unseen">Target to add</span>
        <input list="names" placeholder="Add a target" value=${name} onInput=${(event) => write(event.target.value)} /></label>
      <datalist id="names">${[...all.keys()].slice(0, 2000).map((one) => html`<option key=${one} value=${one} />`)}</datalist>
      <button disabled=${!name}>Add</button>
    </form>`;
}

/** Lines that there is always room for. */
const FEWEST = 12;

/** As high as its text, so that the numbers of its lines stay beside them. */
function Editor({ text, write, marks }) {
  const box = useRef(null);
  const numbers = text.split('\n').length;
  useEffect(() => {
    const [first] = [...marks].sort((one, other) => one - other);
    if (!first) return;
    const before = text.split('\n').slice(0, first - 1).join('\n').length;
    const at = first > 1 ? before + 1 : 0;
    box.current.setSelectionRange(at, at + (text.split('\n')[first - 1] ?? '').length);
  }, [marks]);
  return html`
    <div class="editor card">
      <ol class="gutter" aria-hidden="true">${Array.from({ length: numbers }, (_, at) => html`
        <li key=${at} class=${cls(marks.has(at + 1) && 'marked')}>${marks.has(at + 1) ? html`<${Icon} name="cross" />` : at + 1}</li>`)}</ol>
      <textarea ref=${box} rows=${Math.max(FEWEST, numbers)} wrap="off" spellcheck=${false} autocomplete="off" autocapitalize="off" aria-label="Change file" aria-invalid=${marks.size > 0}
        placeholder=${'leaf1:\n  update:\n    /system/motd: hello\n  delete:\n    - /vlans/vlan[id=7]'} value=${text} onInput=${(event) => write(event.target.value)}></textarea>
    </div>`;
}

function Options({ draft, edit }) {
  return html`
    <div class="options card">
      <label class="line">Comment <input value=${draft.comment} placeholder="What it is for" onInput=${(event) => edit({ comment: event.target.value })} /></label>
      <fieldset class="choices">
        <legend>If a device refuses, or is not reachable</legend>
        <label class="check"><input type="radio" name="mode" checked=${!draft.queued} onChange=${() => edit({ queued: false })} /> Atomic: everywhere or nowhere</label>
        <label class="check"><input type="radio" name="mode" checked=${draft.queued} onChange=${() => edit({ queued: true })} /> Queued: each target when it can</label>
      </fieldset>
      <div class="pair">
        <label class=${cls('line', draft.queued && 'muted')} title=${draft.queued ? 'Only an atomic change can be asked to be confirmed' : ''}>Revert unless confirmed within <span><input type="number" min="0" step="any" disabled=${draft.queued} value=${draft.queued ? '' : draft.confirm} placeholder="–" onInput=${(event) => edit({ confirm: event.target.value })} /> minutes</span></label>
        <label class="line" title=${draft.queued ? 'Once it is decided, each target has it when it can, however long that takes' : 'What is not applied everywhere by then is reverted'}>${draft.queued ? 'Reject if not decided within' : 'Give up after'} <span><input type="number" min="1" step="any" value=${draft.deadline} placeholder="60" onInput=${(event) => edit({ deadline: event.target.value })} /> seconds</span></label>
      </div>
    </div>`;
}

function Found({ found, stale, wrong, line }) {
  if (wrong) {
    return html`
      <${Refused} error=${wrong}>${line && html`<p class="muted">Line ${line} of the file.</p>`}<//>`;
  }
  if (!found) {
    return html`<div class="empty"><h3>${stale ? 'The file is another one now' : 'What would it do?'}</h3>
      <p>A dry run says what would change on each target, and why it would be refused. It changes nothing. <kbd>Ctrl</kbd> <kbd>Enter</kbd></p></div>`;
  }
  const all = Object.values(found.changes).reduce((sum, changes) => sum + changes.length, 0);
  return html`
    <div class="stack">
      <div class=${cls('callout', found.valid ? 'tone-ok' : 'tone-bad')}><${Icon} name=${found.valid ? 'check' : 'cross'} />
        <p>${found.valid
          ? html`<strong>Valid.</strong> ${count(all, 'change')} on ${count(Object.keys(found.changes).length, 'target')}.`
          : html`<strong>Not valid.</strong> It would be rejected everywhere, for ${count(found.violations.length, 'reason')}.`}</p></div>
      <${DiffByTarget} changes=${found.changes} violations=${found.violations} />
    </div>`;
}
