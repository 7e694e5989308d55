// One target: how it stands, what is wanted of it and what it has, where these differ, and how it stood before.
import { cls, html, useCallback, useEffect, useMemo, useState } from '../lib.js';
import { get, post } from '../api.js';
import { targets } from '../live.js';
import { useLog } from '../log.js';
import { Act, useAnswer } from '../parts/act.js';
import { Diff } from '../parts/diff.js';
import { Icon } from '../parts/icon.js';
import { Refused } from '../parts/notice.js';
import { Search } from '../parts/search.js';
import { State, Status } from '../parts/status.js';
import { Tree } from '../parts/tree.js';
import { Rows } from '../parts/virtual.js';
import { ask, at, usePlace, useTitle } from '../router.js';
import { may } from '../session.js';
import { useStore } from '../store.js';
import { clock, count, zone } from '../words.js';

const SIDES = ['visible', 'committed', 'applied', 'device'];
const ABOUT = {
  visible: 'What readers are served: committed, without an atomic transaction that a device may still refuse.',
  committed: 'What was decided.',
  applied: 'What the device has accepted.',
  device: 'What the device itself says, asked now.',
};

export function Target({ name }) {
  useTitle(name);
  const { all, known } = useStore(targets);
  const target = all.get(name);
  const filter = useMemo(() => ({ target: name }), [name]);
  const [moved, move] = useState(0);
  const log = useLog(filter, (taken) => taken.length && move((count_) => count_ + 1));
  if (!known) return html`<p class="muted wait">Asking the node…</p>`;
  if (!target) {
    return html`<section class="empty"><h1>There is no target ${name}</h1><p>It was removed, or you may not know of it.</p><p><a href="/">All targets</a></p></section>`;
  }
  return html`
    <${Head} target=${target} />
    <${Standing} target=${target} />
    <div class="panes history">
      <${Configuration} target=${target} moved=${moved} />
      <${History} name=${name} log=${log} />
    </div>`;
}

const ACTIONS = {
  sync: { word: 'Sync', title: 'Read it again', about: 'The device is read, and what differs from what was applied is sent to it.' },
  adopt: { word: 'Adopt', title: 'Adopt what it has', danger: true, about: 'What the device has now becomes what is wanted of it. It is recorded as a transaction; what was wanted before can be restored from the history.' },
  pause: { word: 'Pause', title: 'Pause', about: 'Nothing is sent to the device until it is resumed. Changes that would need it are refused, unless they are queued.' },
  resume: { word: 'Resume', title: 'Resume', about: 'The device is read, brought in line, and given what waits for it.' },
  claim: { word: 'Claim', title: 'Claim', danger: true, about: 'Takes the device over from another master that Lockstep does not know.' },
};

function Head({ target }) {
  const [asked, choose] = useState(null);
  const { word, title, danger, about } = ACTIONS[asked] ?? {};
  const paused = target.state === 'paused';
  const actions = ['sync', 'adopt', paused ? 'resume' : 'pause', ...(/foreign/.test(target.reason ?? '') ? ['claim'] : [])];
  return html`
    <div class="title">
      <a class="plain-link" href="/"><${Icon} name="left" />Network</a>
      <h1>${target.name} <${State} word=${target.state} large /></h1>
      <div class="buttons">
        ${may('change') && html`<a class="button" href=${at('/change', { target: target.name })}>Change…</a>`}
        ${may('operate') && actions.map((action) => html`<button key=${action} onClick=${() => choose(action)}>${ACTIONS[action].word}…</button>`)}
      </div>
    </div>
    ${asked && html`
      <${Act} title=${`${title}: ${target.name}`} button=${word} danger=${danger} close=${() => choose(null)}
        work=${() => post(`/targets/${encodeURIComponent(target.name)}/${asked}`)} said=${`${target.name}: ${asked} is done`}>
        <p>${about}</p>
      <//>`}`;
}

function Standing({ target }) {
  const drift = target.drift.length + target.drift_more;
  const facts = [
    ['Address', html`<code>${target.address}</code>`],
    ['Connected', target.connected ? 'yes' : 'no'],
    ['Master', target.master ?? 'none'],
    ['Term', target.term],
    ['Fencing', target.fencing],
    ['Committed', target.committed ? html`<a href=${`/transactions/${target.committed}`}>#${target.committed}</a>` : '–'],
    ['Applied', target.applied ? html`<a href=${`/transactions/${target.applied}`}>#${target.applied}</a>` : '–'],
    ['Model', target.model],
    ['Source', target.source],
    ['Tags', target.tags.length ? html`<span class="tags">${target.tags.map((tag) => html`<a key=${tag} class="tag" href=${at('/', { tag })}>${tag}</a>`)}</span>` : null],
  ];
  return html`
    ${drift === 0 && target.reason && html`<div class=${cls('callout', target.state === 'failed' ? 'tone-bad' : 'tone-idle')}><${Icon} name=${target.state === 'failed' ? 'cross' : 'pause'} /><p>${target.reason}</p></div>`}
    ${target.waiting_for && html`<div class="callout tone-busy"><${Icon} name="clock" /><p>${target.waiting_for}</p></div>`}
    <section class="card facts wrap" aria-label="Facts">
      <dl>${facts.filter(([, value]) => value !== null).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    </section>
    ${drift > 0 && html`<${Drift} target=${target} />`}`;
}

function Drift({ target }) {
  return html`
    <section class="callout tone-warn drift" aria-label="Drift"><${Icon} name="drift" />
      <div>
        <p><strong>The device was changed behind Lockstep's back.</strong> Sync sends what was applied; adopt keeps what the device has.</p>
        <table>
          <thead><tr><th>Path</th><th>Wanted</th><th>The device shows</th></tr></thead>
          <tbody>${target.drift.map(({ path, shows, wanted }) => html`
            <tr key=${path}><td data-of="Path"><code>${path}</code></td><td data-of="Wanted"><code>${wanted ?? '–'}</code></td><td data-of="The device shows"><code>${shows ?? '–'}</code></td></tr>`)}</tbody>
        </table>
        ${target.drift_more > 0 && html`<p class="muted">And ${count(target.drift_more, 'more', 'more')}.</p>`}
      </div>
    </section>`;
}

/** A side now, or how the visible one stood: what the API calls it, and what a person does. */
function chosen(query, prefix) {
  const index = query.get(`${prefix}index`);
  const side = query.get(`${prefix}side`);
  if (index) return { key: `#${index}`, word: `as of #${index}`, query: { [`${prefix}index`]: index } };
  return side ? { key: side, word: side, query: { [`${prefix}side`]: side } } : null;
}

/** What it is compared with at first: what is wanted with what there is. */
const against = (from) => ({ to_side: from.key === 'device' ? 'applied' : 'device', to_index: '' });
const NOTHING = { to_side: '', to_index: '' };

/** Asked for anew when something happened to the target: its log says so, and its state. */
function Configuration({ target, moved }) {
  const { query } = usePlace();
  const words = query.get('q') ?? '';
  const from = chosen(query, '') ?? { key: 'visible', word: 'visible', query: {} };
  const to = chosen(query, 'to_');
  const place = `/targets/${encodeURIComponent(target.name)}`;
  const now = [from, to].some((one) => one && one.key[0] !== '#') ? `${moved} ${target.committed} ${target.applied} ${target.state}` : '';
  const { value, error, busy } = useAnswer(
    (signal) => (to ? get(`${place}/diff`, { ...from.query, ...to.query }, signal) : get(`${place}/configuration`, from.query, signal)),
    [target.name, from.key, to?.key],
    now,
  );
  return html`
    <section aria-label="Configuration">
      <div class="bar-of-tools">
        <h2>Configuration</h2>
        <label class="field search"><${Icon} name="search" /><span class="unseen">Filter by path or value</span>
          <${Search} name="q" data-filter placeholder="Path or value" /></label>
      </div>
      <div class="card">
        <div class="sides-chosen">
          <${Side} label="Show" prefix="" now=${from} />
          <button class="compare" aria-pressed=${Boolean(to)} title="Shows the difference from one to another" onClick=${() => ask(to ? NOTHING : against(from))}>Compare</button>
          ${to && html`<${Side} label="against" prefix="to_" now=${to} />`}
        </div>
        <p class="muted small about-side">${to ? `From ${from.word} to ${to.word}.` : ABOUT[from.key] ?? `How the visible configuration stood after transaction ${from.key}.`}</p>
        <${Refused} error=${error} />
        <div class=${busy ? 'is-busy' : ''}>
          ${to
            ? value?.changes && html`<${Diff} changes=${words ? value.changes.filter(({ path, before, after }) => `${path} ${before} ${after}`.toLowerCase().includes(words.toLowerCase())) : value.changes} none="They are the same." />`
            : value?.values && html`<${Tree} value=${value.values['/'] ?? {}} words=${words} />`}
        </div>
      </div>
    </section>`;
}

function Side({ label, prefix, now }) {
  const choose = (side) => ask({ [`${prefix}side`]: side === 'visible' && !prefix ? '' : side, [`${prefix}index`]: '' });
  return html`
    <div class="choice-of" role="group" aria-label=${label}>
      <span class="muted">${label}</span>
      ${SIDES.map((side) => html`<button key=${side} title=${ABOUT[side]} aria-pressed=${now.key === side} onClick=${() => choose(side)}>${side}</button>`)}
      ${now.key[0] === '#' && html`<button aria-pressed="true" title="Leave it" onClick=${() => choose('')}>${now.word}</button>`}
    </div>`;
}

/** What happened to it; each entry is a point that it can be looked at, and compared with. */
function History({ name, log }) {
  const { query } = usePlace();
  const { list, synced, more, error } = log;
  const index = query.get('index');
  const toIndex = query.get('to_index');
  const row = useCallback((position) => {
    const one = list[position];
    const here = String(one.index);
    return html`
      <div class=${cls('moment', here === index && 'is-from', here === toIndex && 'is-to')}>
        <a class="lead index" href=${`/transactions/${one.index}`}>#${one.index}</a>
        <${Status} word=${one.stage ?? one.status} />
        <time class="muted" title=${one.submitted}>${clock(one.submitted)}</time>
        <span class="what" title=${one.comment}><span class="kind">${one.kind}</span> ${one.comment}</span>
        <span class="points">
          <button class="plain" aria-pressed=${here === index} onClick=${() => ask({ index: here === index ? '' : here, side: '' })} title="How it stood after this">as of</button>
          <button class="plain" aria-pressed=${here === toIndex} onClick=${() => ask({ to_index: here === toIndex ? '' : here, to_side: '' })} title="Compare with how it stood after this">against</button>
        </span>
      </div>`;
  }, [list, index, toIndex]);
  const id = useCallback((position) => list[position].index, [list]);
  return html`
    <section aria-label="History">
      <div class="bar-of-tools"><h2>History <span class="muted zone">${zone()}</span></h2><${AsOf} /><a href=${at('/transactions', { target: name })}>In the log</a></div>
      <${Refused} error=${error} />
      ${synced && !list.length && html`<p class="empty small">Nothing has happened to it.</p>`}
      ${list.length > 0 && html`<div class="card list tall"><${Rows} count=${list.length} height=${56} row=${row} id=${id} end=${more} inside label="History" /></div>`}
    </section>`;
}

/** How it stood after any transaction, also one that was about others. */
function AsOf() {
  const given = usePlace().query.get('index') ?? '';
  const [text, write] = useState(given);
  useEffect(() => write(given), [given]);
  const index = /^#?(\d+)$/.exec(text.trim());
  const take = (event) => {
    event.preventDefault();
    if (index || !text.trim()) ask({ index: index?.[1] ?? '', side: '' });
  };
  return html`
    <form onSubmit=${take}>
      <label class="field"><span>as of #</span>
        <input size="8" inputmode="numeric" placeholder="any index" value=${text} aria-invalid=${Boolean(text.trim()) && !index} title="How it stood after any transaction of the log, also one that was about others: its index, and Enter" onInput=${(event) => write(event.target.value)} /></label>
    </form>`;
}
